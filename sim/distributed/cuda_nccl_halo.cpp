// Halo exchange by NCCL, between GPUs that cannot access each other's memory. NCCL's kernels need free
// multiprocessors, so unlike copy engines they do not overlap with a full-size kernel.

#include <algorithm>
#include <string>

#include "kernels/cuda/nccl.h"
#include "sim/distributed/halos.h"
#include "sim/distributed/packet.h"

namespace stencil {
namespace {

struct Offer {
    NcclName name{};
    bool has_nccl = false;
};

// Distributes process 0's NCCL id. Throws on all if any process lacks NCCL, since the others would wait for
// it.
NcclName common_name(Communicator& comm) {
    Offer own;
    std::string why = "another process has no NCCL";
    try {
        own = {make_nccl_name(), true};
    } catch (const CudaError& error) {
        why = error.what();
    }
    const auto offers = gather_values(comm, own);
    if (!std::ranges::all_of(offers, &Offer::has_nccl)) throw CudaError(why);
    return offers.front().name;
}

class NcclHalo : public HaloExchange {
  public:
    NcclHalo(Communicator& comm, const Partition& partition)
        : rank_(comm.rank()), partition_(partition), link_(common_name(comm), rank_, comm.size()) {}

    int depth() const override { return partition_.depth; }

    void exchange(std::span<const HaloRows> arrays, CudaStream* stream) override {
        const int above = partition_.above(rank_), below = partition_.below(rank_);
        for (const HaloRows& array : arrays) {
            const HaloRanges ranges = ranges_of(array, partition_, rank_);
            link_.exchange({above, ranges.first, ranges.above},
                           {below, ranges.last, ranges.below},
                           ranges.bytes,
                           *stream);
            for (const int to : {above, below})
                if (to >= 0) count_message(ranges.bytes);
        }
    }

  private:
    int rank_;
    Partition partition_;
    NcclLink link_;
};

}  // namespace

std::unique_ptr<HaloExchange> make_nccl_halo(Communicator& comm, const Partition& partition) {
    return std::make_unique<NcclHalo>(comm, partition);
}

}  // namespace stencil
