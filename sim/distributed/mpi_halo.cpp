#include "sim/distributed/mpi_halo.h"

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

}  // namespace stencil
