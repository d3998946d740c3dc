// Signals that stop the program, polled between batches of work.
#pragma once

namespace stencil {

/// Records SIGINT, SIGTERM, SIGHUP and SIGUSR1 (which launch.cpp sends to processes under mpirun) instead of
/// dying, except those ignored at start-up. The first Ctrl-C says what happens, the second signal ends the
/// program at once by status 128 + signal; no file is left half written, because they are renamed when whole.
void watch_for_interrupts();

/// Returns the first signal that arrived, or 0.
int interrupt_signal();

}  // namespace stencil
