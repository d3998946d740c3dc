// Starts several processes (MPI) from one command line.
#pragma once

#include <optional>
#include <string_view>

namespace CLI {
class App;
}

namespace stencil {

/// Adds `--gpus N` and `--processes N`, for commands that step a field or several.
void add_processes(CLI::App& command, std::string_view shared = "the field");

/// If several processes are requested and this is not one of them, restarts the program under mpirun and
/// returns its exit status. Throws InputError and MachineError.
std::optional<int> launch_processes(int argc, char** argv);

}  // namespace stencil
