// Several processes from one command line.
#pragma once

#include <optional>

namespace CLI {
class App;
}

namespace stencil {

/// `--gpus N` and `--processes N`: words of the commands that step a field.
void add_processes(CLI::App& command);

/// Where the words ask for several processes and this is not one of them yet: runs the program again by
/// mpirun, and returns its status. Throws InputError and MachineError.
std::optional<int> launch_processes(int argc, char** argv);

}  // namespace stencil
