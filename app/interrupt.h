// Ctrl-C and termination, noticed between batches of work.
#pragma once

namespace stencil {

/// From now on SIGINT, SIGTERM, SIGHUP and SIGUSR1 (Ctrl-C as mpirun passes it on) are noted instead of
/// ending the program, unless it was started with them ignored; after the first one they end it at once again
/// (files appear whole or not at all, so nothing is lost).
void watch_for_interrupts();

/// The first signal that came, or 0.
int interrupt_signal();

}  // namespace stencil
