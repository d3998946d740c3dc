#include "app/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace stencil {
namespace {

volatile std::sig_atomic_t caught = 0;

extern "C" void note_signal(int signal) {
    caught = signal == SIGUSR1 ? SIGINT : signal;
}

}  // namespace

void watch_for_interrupts() {
    struct sigaction action {};
    action.sa_handler = note_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
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
