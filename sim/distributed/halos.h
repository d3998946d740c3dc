// Halo exchanges by device.
#pragma once

#include <memory>
#include <span>

#include "kernels/methods/method.h"
#include "sim/distributed/partition.h"
#include "sim/machine/communicator.h"
#include "sim/solvers/halo.h"

namespace stencil {

/// Collective. Throws CudaError.
std::unique_ptr<HaloExchange> make_halo(Communicator& comm, const Partition& partition, Device device);

/// Whether all processes are on one host and every GPU can access the memory of the GPUs of its `others`,
/// which may include itself. Collective.
bool reach_each_other(Communicator& comm, std::span<const int> others);

/// Makes an exchange by copy engines into the neighbours' memory; needs reach_each_other().
std::unique_ptr<HaloExchange> make_peer_halo(Communicator& comm, const Partition& partition);
/// Makes an exchange by NCCL; needs a GPU of its own for each process.
std::unique_ptr<HaloExchange> make_nccl_halo(Communicator& comm, const Partition& partition);

}  // namespace stencil
