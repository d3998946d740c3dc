// The halos of each device.
#pragma once

#include <memory>

#include "kernels/methods/method.h"
#include "sim/machine/team.h"
#include "sim/run/solvers/halo.h"
#include "sim/spread/partition.h"

namespace stencil {

/// All processes of the team call it. Throws CudaError.
std::unique_ptr<HaloExchange> make_halo(Team& team, const Partition& partition, Device device);

/// By the copy engines, between GPUs of one host.
std::unique_ptr<HaloExchange> make_cuda_halo(Team& team, const Partition& partition);

}  // namespace stencil
