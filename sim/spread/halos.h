// The halos of each device.
#pragma once

#include <memory>
#include <span>

#include "kernels/methods/method.h"
#include "sim/machine/team.h"
#include "sim/run/solvers/halo.h"
#include "sim/spread/partition.h"

namespace stencil {

/// All processes of the team call it. Throws CudaError.
std::unique_ptr<HaloExchange> make_halo(Team& team, const Partition& partition, Device device);

/// The GPUs of one host, each of which reaches the memory of those of these processes, of which it may be
/// one. All processes of the team call it.
bool reach_each_other(Team& team, std::span<const int> others);

/// By the copy engines into the neighbours' memory, where each process's GPU reaches those of its neighbours.
std::unique_ptr<HaloExchange> make_peer_halo(Team& team, const Partition& partition);
/// By NCCL, between GPUs of which no two are one.
std::unique_ptr<HaloExchange> make_nccl_halo(Team& team, const Partition& partition);

}  // namespace stencil
