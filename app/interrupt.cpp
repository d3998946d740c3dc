#include "app/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <initializer_list>

namespace stencil {
namespace {

volatile std::sig_atomic_t caught = 0;

extern "C" void note_signal(int signal) {
    const int given = signal == SIGUSR1 ? SIGINT : signal;
    if (caught != 0) ::_exit(128 + given);
    caught = given;
    constexpr char kText[] =
        "\nstencilscope: stopping and writing what is done; Ctrl-C again stops at once\n";
    if (signal == SIGINT) static_cast<void>(!::write(STDERR_FILENO, kText, sizeof kText - 1));
}

}  // namespace

void watch_for_interrupts() {
    struct sigaction action {};
    action.sa_handler = note_signal;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
        // Signals that are ignored when the program starts (nohup, background jobs of scripts) stay ignored.
        struct sigaction inherited {};
        sigaction(signal, nullptr, &inherited);
        if (inherited.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
    }
}

int interrupt_signal() {
    return caught;
}

}  // namespace stencil
