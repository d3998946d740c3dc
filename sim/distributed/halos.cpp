#include "sim/distributed/halos.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "kernels/cuda/peer_memory.h"
#include "sim/distributed/packet.h"

namespace stencil {

HaloRanges ranges_of(const HaloRows& array, const Partition& partition, int part) {
    const Slab slab = partition.slab(part);
    auto* row_0 = static_cast<std::byte*>(array.data);
    const auto row = [&](int y) { return row_0 + std::size_t(y) * array.row_bytes; };
    const int end = slab.above + partition.local_rows(part);
    return {slab.above > 0 ? row(0) : nullptr,
            slab.below > 0 ? row(end) : nullptr,
            row(slab.above),
            row(end - partition.depth),
            std::size_t(partition.depth) * array.row_bytes};
}

void MpiHalo::exchange(std::span<const HaloRows> arrays, CudaStream*) {
    const int part = comm_.rank();
    for (const HaloRows& array : arrays) {
        const HaloRanges ranges = ranges_of(array, partition_, part);
        comm_.exchange({partition_.above(part), ranges.first, ranges.above},
                       {partition_.below(part), ranges.last, ranges.below},
                       ranges.bytes);
        for (const int to : {partition_.above(part), partition_.below(part)})
            if (to >= 0) count_message(ranges.bytes);
    }
}

#if STENCILSCOPE_HAS_CUDA
namespace {

// Tests can request NCCL although peer memory would work.
bool wants_nccl() {
    const char* halo = std::getenv("STENCILSCOPE_HALO");
    return halo && std::string_view(halo) == "nccl";
}

}  // namespace

bool reach_each_other(Communicator& comm, std::span<const int> others) {
    const int own = default_cuda_device();
    const auto gpus = gather_values(comm, own);
    bool reach = comm.host_size() == comm.size() && !wants_nccl();
    for (const int other : others)
        if (reach && other >= 0 && gpus[std::size_t(other)] != own)
            reach = reach_gpu(own, gpus[std::size_t(other)]);
    return std::ranges::all_of(gather_values(comm, char(reach)), [](char each) { return each != 0; });
}
#endif

std::unique_ptr<HaloExchange> make_halo(Communicator& comm, const Partition& partition, Device device) {
#if STENCILSCOPE_HAS_CUDA
    if (device == Device::cuda) {
        const int neighbours[] = {partition.above(comm.rank()), partition.below(comm.rank())};
        return reach_each_other(comm, neighbours) ? make_peer_halo(comm, partition)
                                                  : make_nccl_halo(comm, partition);
    }
#endif
    static_cast<void>(device);
    return std::make_unique<MpiHalo>(comm, partition);
}

}  // namespace stencil
