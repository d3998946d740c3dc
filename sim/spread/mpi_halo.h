// Halos on the CPU, from process to process by MPI.
#pragma once

#include "sim/machine/team.h"
#include "sim/run/solvers/halo.h"
#include "sim/spread/partition.h"

namespace stencil {

class MpiHalo : public HaloExchange {
  public:
    MpiHalo(Team& team, const Partition& partition) : team_(team), partition_(partition) {}
    int depth() const override { return partition_.depth; }
    void exchange(std::span<const HaloRows> arrays, CudaStream*) override;

  private:
    Team& team_;
    Partition partition_;
};

/// Where the halo of a part's array is, and what its neighbours need: each `depth` rows.
struct HaloPlaces {
    std::byte *above, *below;       ///< null where there is none
    const std::byte *first, *last;  ///< own rows
    std::size_t bytes;              ///< of each
};
HaloPlaces places_of(const HaloRows& array, const Partition& partition, int part);

}  // namespace stencil
