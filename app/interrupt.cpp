#include "app/interrupt.h"

#include <csignal>

namespace stencil {
namespace {

volatile std::sig_atomic_t caught = 0;

extern "C" void note_signal(int signal) {
    caught = signal;
}

}  // namespace

void watch_for_interrupts() {
    struct sigaction action {};
    action.sa_handler = note_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

int interrupt_signal() {
    return caught;
}

}  // namespace stencil
