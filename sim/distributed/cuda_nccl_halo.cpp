// Halo exchange by NCCL, between GPUs that cannot access each other's memory. NCCL's kernels need free
// multiprocessors, so unlike copy engines they do not overlap with a full-size kernel.

#include <algorithm>
#include <string>

#include "kernels/cuda/nccl.h"
#include "sim/distributed/halos.h"
#include "sim/distributed/mpi_halo.h"
#include "sim/distributed/packet.h"

namespace stencil {
namespace {

struct Offer {
    NcclName name{};
    bool has_nccl = false;
};

// Distributes process 0's NCCL id. Throws on all if any process lacks NCCL, since the others would wait for
// it.
NcclName common_name(Team& team) {
    Offer own;
    std::string why = "another process has no NCCL";
    try {
        own = {make_nccl_name(), true};
    } catch (const CudaError& error) {
        why = error.what();
    }
    const auto offers = gather_values(team, own);
    if (!std::ranges::all_of(offers, &Offer::has_nccl)) throw CudaError(why);
    return offers.front().name;
}

class NcclHalo : public HaloExchange {
  public:
    NcclHalo(Team& team, const Partition& partition)
        : rank_(team.rank()), partition_(partition), link_(common_name(team), rank_, team.size()) {}

    int depth() const override { return partition_.depth; }

    void exchange(std::span<const HaloRows> arrays, CudaStream* stream) override {
        const int above = partition_.above(rank_), below = partition_.below(rank_);
        for (const HaloRows& array : arrays) {
            const HaloPlaces places = places_of(array, partition_, rank_);
            link_.exchange({above, places.first, places.above},
                           {below, places.last, places.below},
                           places.bytes,
                           *stream);
            for (const int to : {above, below})
                if (to >= 0) count_message(places.bytes);
        }
    }

  private:
    int rank_;
    Partition partition_;
    NcclLink link_;
};

}  // namespace

std::unique_ptr<HaloExchange> make_nccl_halo(Team& team, const Partition& partition) {
    return std::make_unique<NcclHalo>(team, partition);
}

}  // namespace stencil
