// Halo exchanges by device.
#pragma once

#include <memory>
#include <span>

#include "kernels/methods/method.h"
#include "sim/distributed/partition.h"
#include "sim/machine/communicator.h"
#include "sim/solvers/halo.h"

namespace stencil {

/// The halo rows of a slab's array and the local rows that its neighbours need, `depth` rows each.
struct HaloRanges {
    std::byte *above, *below;       ///< null if there is no neighbour
    const std::byte *first, *last;  ///< first and last local rows
    std::size_t bytes;              ///< per side
};
HaloRanges ranges_of(const HaloRows& array, const Partition& partition, int part);

/// On the CPU, by MPI.
class MpiHalo : public HaloExchange {
  public:
    MpiHalo(Communicator& comm, const Partition& partition) : comm_(comm), partition_(partition) {}
    int depth() const override { return partition_.depth; }
    void exchange(std::span<const HaloRows> arrays, CudaStream*) override;

  private:
    Communicator& comm_;
    Partition partition_;
};

/// The exchange of the device. Collective. Throws CudaError.
std::unique_ptr<HaloExchange> make_halo(Communicator& comm, const Partition& partition, Device device);

/// Whether all processes are on one host and every GPU can access the memory of the GPUs of its `others`,
/// which may include itself. Collective.
bool reach_each_other(Communicator& comm, std::span<const int> others);

/// Makes an exchange by copy engines into the neighbours' memory; needs reach_each_other().
std::unique_ptr<HaloExchange> make_peer_halo(Communicator& comm, const Partition& partition);
/// Makes an exchange by NCCL; needs a GPU of its own for each process.
std::unique_ptr<HaloExchange> make_nccl_halo(Communicator& comm, const Partition& partition);

}  // namespace stencil
