// Starts several processes (MPI) from one command line.
#pragma once

#include <optional>

namespace CLI {
class App;
}

namespace stencil {

/// Adds `--gpus N` and `--processes N`, for commands that step a field.
void add_processes(CLI::App& command);

/// If several processes are requested and this is not one of them, restarts the program under mpirun and
/// returns its exit status. Throws InputError and MachineError.
std::optional<int> launch_processes(int argc, char** argv);

}  // namespace stencil
