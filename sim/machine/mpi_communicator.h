// Interface of the module that alone links MPI.
#pragma once

#include "sim/machine/communicator.h"

namespace stencil {

/// File name of the module.
inline constexpr const char* kMpiModule = "stencilscope_mpi.so";

/// stencilscope_begin_mpi: the communicator of all launched processes, owned by the caller. `interrupted`
/// tells whether process 0 was asked to end.
using BeginMpi = Communicator* (*)(int (*interrupted)());
/// stencilscope_end_mpi: called when no communicator is left.
using EndMpi = void (*)();

}  // namespace stencil
