// Signals that stop the program, polled between batches of work.
#pragma once

namespace stencil {

/// Records SIGINT, SIGTERM, SIGHUP and SIGUSR1 (which launch.cpp sends to processes under mpirun) instead of
/// dying, except those ignored at start-up. A second signal ends the program at once; that loses no data,
/// because files are written whole and renamed.
void watch_for_interrupts();

/// Returns the first signal that arrived, or 0.
int interrupt_signal();

}  // namespace stencil
