// Teams by MPI, where this build has it.
#pragma once

#include <memory>

#include "sim/spread/team.h"

namespace stencil {

/// Of all processes that the launcher started. `interrupted` says whether process 0 was told to end.
std::unique_ptr<Team> begin_mpi(int (*interrupted)());
void end_mpi();

}  // namespace stencil
