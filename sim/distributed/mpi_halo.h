// Halo exchange on the CPU, by MPI.
#pragma once

#include "sim/distributed/partition.h"
#include "sim/machine/communicator.h"
#include "sim/solvers/halo.h"

namespace stencil {

class MpiHalo : public HaloExchange {
  public:
    MpiHalo(Communicator& comm, const Partition& partition) : comm_(comm), partition_(partition) {}
    int depth() const override { return partition_.depth; }
    void exchange(std::span<const HaloRows> arrays, CudaStream*) override;

  private:
    Communicator& comm_;
    Partition partition_;
};

/// The halo rows of a slab's array and the local rows that its neighbours need, `depth` rows each.
struct HaloRanges {
    std::byte *above, *below;       ///< null if there is no neighbour
    const std::byte *first, *last;  ///< first and last local rows
    std::size_t bytes;              ///< per side
};
HaloRanges ranges_of(const HaloRows& array, const Partition& partition, int part);

}  // namespace stencil
