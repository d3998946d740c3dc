// Teams by MPI: what the module has that alone is linked with MPI.
#pragma once

#include "sim/machine/team.h"

namespace stencil {

/// Its file.
inline constexpr const char* kMpiModule = "stencilscope_mpi.so";

/// stencilscope_begin_mpi: all processes that the launcher started; the caller owns the team. `interrupted`
/// says whether process 0 was told to end.
using BeginMpi = Team* (*)(int (*interrupted)());
/// stencilscope_end_mpi: once no team is left.
using EndMpi = void (*)();

}  // namespace stencil
