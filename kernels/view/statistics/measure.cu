// Statistics, percentiles, histograms and point values of a quantity on CUDA.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/reductions.cuh"
#include "kernels/field/divide.h"
#include "kernels/view/cuda_walk.cuh"
#include "kernels/view/sampled.h"
#include "kernels/view/statistics/percentiles.h"
#include "kernels/view/view.h"

namespace stencil {
namespace {

// The leaves of the field's sum tree that belong to a view (sum_tree.h). A half-warp sums one at a time.
struct Leaves {
    std::int64_t first;  ///< in the whole tree
    std::int64_t count;
    int per_row;
};

constexpr int kSumThreads = 256;
constexpr int kSumWarps = kSumThreads / 32;
constexpr int kSumBlocks = 2112;
constexpr int kLoadsInFlight = 16;
constexpr int kBatch = kLoadsInFlight * kSumLanes;
static_assert(kSumRun % kBatch == 0 && 32 % kSumLanes == 0);

// fold_kernel() adds up this many leaves to one node, kFoldLevels higher.
constexpr int kFold = kSumThreads;
constexpr int kFoldLevels = 8;
static_assert(kFold == 1 << kFoldLevels);

// The output of fold_kernel(): nodes, and the leaves at both ends that do not fill a node.
struct Folded {
    FiniteCells finite;
    double head[kFold], tail[kFold];
    double nodes[1];
};

struct MergeFinite {
    __device__ FiniteCells operator()(FiniteCells a, const FiniteCells& b) const {
        a.add(b);
        return a;
    }
};

// Reduces over a block, in a fixed order.
__device__ FiniteCells merge_block(const FiniteCells& mine) {
    return block_reduce(mine, MergeFinite(), FiniteCells::none());
}

// Loads kLoadsInFlight cells of this lane, beginning with column `begin`; NaN outside of the field.
template <Quantity Q, class T>
__device__ void load_batch(const QuantitySource<T>& source,
                           int begin,
                           int y,
                           QuantityValue<Q, T> (&values)[kLoadsInFlight]) {
    constexpr int kReach = Q == Quantity::laplacian ? 1 : 0;
    const int nx = source.field.nx();
    const int lane = int(threadIdx.x) % kSumLanes;
    const bool inner =
        begin >= kReach && begin + kBatch + kReach <= nx && y >= kReach && y + kReach < source.field.ny();
    if (inner) {
#pragma unroll
        for (int i = 0; i < kLoadsInFlight; ++i)
            values[i] = quantity_at<Q, true>(source, begin + i * kSumLanes + lane, y);
    } else {
#pragma unroll
        for (int i = 0; i < kLoadsInFlight; ++i) {
            const int x = begin + i * kSumLanes + lane;
            values[i] = x < nx ? quantity_at<Q>(source, x, y) : QuantityValue<Q, T>(NAN);
        }
    }
}

template <Quantity Q, Summand kSummand, class T>
__global__ void __launch_bounds__(kSumThreads)
    sums_kernel(QuantitySource<T> source, Leaves leaves, double* sums, FiniteCells* blocks) {
    using V = QuantityValue<Q, T>;
    V low = V(INFINITY);
    V high = -V(INFINITY);
    unsigned finite = 0;
    constexpr int kPerBlock = kSumThreads / kSumLanes;
    // A warp stays together, because a shuffle needs all of its lanes.
    for (std::int64_t group = blockIdx.x; group * kPerBlock < leaves.count; group += gridDim.x) {
        const std::int64_t leaf = group * kPerBlock + int(threadIdx.x) / kSumLanes;
        double sum = 0;
        if (leaf < leaves.count) {
            const int y = int(leaf / leaves.per_row);
            const int x = int(leaf % leaves.per_row) * kSumRun;
            const int end = min(x + kSumRun, source.field.nx());
            for (int begin = x; begin < end; begin += kBatch) {
                V values[kLoadsInFlight];
                load_batch<Q>(source, begin, y, values);
#pragma unroll
                for (const V value : values) {
                    if (!is_finite(value)) continue;
                    low = value < low ? value : low;
                    high = value > high ? value : high;
                    ++finite;
                    // Without FMA, which would give other bits than on the host.
                    const double cell = value;
                    sum = __dadd_rn(sum, kSummand == Summand::square ? __dmul_rn(cell, cell) : cell);
                }
            }
        }
        sum = warp_sum(sum, kSumLanes);
        if (leaf < leaves.count && threadIdx.x % kSumLanes == 0) sums[leaf] = sum;
    }
    const FiniteCells all = merge_block({double(low), double(high), finite});
    if (threadIdx.x == 0) blocks[blockIdx.x] = all;
}

// Block b folds the b-th group of kFold leaves of the tree, counted from the first group that intersects the
// view; the block after the last one merges the counts of finite cells.
__global__ void __launch_bounds__(kSumThreads)
    fold_kernel(Leaves leaves, const double* sums, const FiniteCells* blocks, int count, Folded* folded) {
    const int thread = int(threadIdx.x);
    if (blockIdx.x == gridDim.x - 1) {
        FiniteCells mine = FiniteCells::none();
        for (int i = thread; i < count; i += kSumThreads) mine.add(blocks[i]);
        mine = merge_block(mine);
        if (thread == 0) folded->finite = mine;
        return;
    }
    const std::int64_t begin = (leaves.first / kFold + blockIdx.x) * kFold - leaves.first;
    const std::int64_t leaf = begin + thread;
    const double sum = leaf >= 0 && leaf < leaves.count ? sums[leaf] : 0;
    if (begin < 0 || begin + kFold > leaves.count) {
        (blockIdx.x == 0 ? folded->head : folded->tail)[thread] = sum;
        return;
    }
    // A tree adds neighbours first; warp_reduce() adds them last.
    double node = sum;
#pragma unroll
    for (int mask = 1; mask < 32; mask *= 2) node += other_lane(node, mask);
    __shared__ double of_warps[kSumWarps];
    if (thread % 32 == 0) of_warps[thread / 32] = node;
    __syncthreads();
    if (thread >= 32) return;
    node = of_warps[thread % kSumWarps];
#pragma unroll
    for (int mask = 1; mask < kSumWarps; mask *= 2) node += other_lane(node, mask);
    if (thread == 0) folded->nodes[blockIdx.x] = node;
}

/// The bins of a pass of a radix selection.
template <class Key>
struct DigitBins {
    static constexpr int kMost = kMaxRanks * kRadixBins;
    RadixSearch<Key> search;
    int pass;
    int count = search.slots * kRadixBins;

    template <class V>
    __device__ int bin_of(V value) const {
        if (!is_finite(value)) return -1;
        const Key key = radix_key(value);
        const int slot = search.slot_of(key, pass);
        return slot < 0 ? -1 : slot * kRadixBins + radix_digit(key, pass);
    }
};

template <Quantity Q, class Bins, class T>
__global__ void __launch_bounds__(kWalkThreads)
    count_kernel(QuantitySource<T> source, const __grid_constant__ Bins bins, unsigned long long* counts) {
    __shared__ unsigned own[Bins::kMost];
    for (int i = walk_thread(); i < bins.count; i += kWalkThreads) own[i] = 0;
    __syncthreads();
    for_cells<Q>(source, [&](auto value) {
        const int bin = bins.bin_of(value);
        if (bin >= 0) atomicAdd(&own[bin], 1u);
    });
    __syncthreads();
    for (int i = walk_thread(); i < bins.count; i += kWalkThreads)
        if (own[i] > 0) atomicAdd(&counts[i], static_cast<unsigned long long>(own[i]));
}

struct SampledPoints {
    const SamplePoint* points;
    double* values;
    int count;
    Sampling how;
};

template <Quantity Q, class T>
__global__ void __launch_bounds__(kWalkThreads) sample_kernel(QuantitySource<T> source, SampledPoints all) {
    const int i = int(blockIdx.x * kWalkThreads + threadIdx.x);
    if (i >= all.count) return;
    all.values[i] = sampled<Q>(source, all.points[i], all.how);
}

// Copies to the host and waits.
template <class V>
void fetch(V* to, const void* from, std::size_t count, CudaStream& stream) {
    CUDA_CHECK(cudaMemcpyAsync(to, from, count * sizeof(V), cudaMemcpyDeviceToHost, cuda_handle(stream)));
    stream.synchronize();
}

template <Quantity Q, class Bins, class T>
std::vector<std::uint64_t> counts_of(const CudaView<T>& view, const Bins& bins) {
    const WalkShape walk = walk_over(view.source.field.nx(), view.source.field.ny());
    const std::size_t bytes = std::size_t(bins.count) * sizeof(std::uint64_t);
    const cudaStream_t stream = cuda_handle(view.stream);
    auto* counts = static_cast<unsigned long long*>(view.scratch.reserve(bytes));
    CUDA_CHECK(cudaMemsetAsync(counts, 0, bytes, stream));
    count_kernel<Q><<<walk.grid, walk.block, 0, stream>>>(view.source, bins, counts);
    check_launch("count_kernel");
    std::vector<std::uint64_t> result(std::size_t(bins.count));
    fetch(result.data(), counts, result.size(), view.stream);
    return result;
}

// Combines the output of fold_kernel(), in the order of the leaves.
SumTree tree_of(const Leaves& leaves, const Folded& folded, int groups) {
    SumTree tree(leaves.first);
    for (int group = 0; group < groups; ++group) {
        const std::int64_t begin = (leaves.first / kFold + group) * kFold - leaves.first;
        if (begin >= 0 && begin + kFold <= leaves.count) {
            tree.add(folded.nodes[group], kFoldLevels);
            continue;
        }
        const double* raw = group == 0 ? folded.head : folded.tail;
        for (int i = 0; i < kFold; ++i)
            if (begin + i >= 0 && begin + i < leaves.count) tree.add(raw[i]);
    }
    return tree;
}

}  // namespace

template <class T>
PartialStatistics sums(const CudaView<T>& view, Summand summand, int first_row) {
    const PlainView<const T>& field = view.source.field;
    const std::int64_t per_row = sum_runs(field.nx());
    const Leaves leaves{first_row * per_row, field.ny() * per_row, int(per_row)};
    const int groups = int((leaves.first + leaves.count - 1) / kFold - leaves.first / kFold + 1);
    const int blocks =
        int(std::min<std::int64_t>(ceil_div(leaves.count * kSumLanes, kSumThreads), kSumBlocks));
    const std::size_t folded_bytes = sizeof(Folded) + std::size_t(groups) * sizeof(double);
    auto* memory = static_cast<std::byte*>(view.scratch.reserve(folded_bytes +
                                                                std::size_t(blocks) * sizeof(FiniteCells) +
                                                                std::size_t(leaves.count) * sizeof(double)));
    auto* folded = reinterpret_cast<Folded*>(memory);
    auto* finite = reinterpret_cast<FiniteCells*>(memory + folded_bytes);
    auto* sums = reinterpret_cast<double*>(finite + blocks);
    const cudaStream_t stream = cuda_handle(view.stream);
    with_quantity(view.quantity, [&](auto quantity) {
        const auto kernel = summand == Summand::square ? sums_kernel<quantity.value, Summand::square, T>
                                                       : sums_kernel<quantity.value, Summand::value, T>;
        kernel<<<unsigned(blocks), kSumThreads, 0, stream>>>(view.source, leaves, sums, finite);
        check_launch("sums_kernel");
    });
    fold_kernel<<<unsigned(groups) + 1, kSumThreads, 0, stream>>>(leaves, sums, finite, blocks, folded);
    check_launch("fold_kernel");
    std::vector<std::byte> fetched(folded_bytes);
    fetch(fetched.data(), folded, folded_bytes, view.stream);
    const auto& result = *reinterpret_cast<const Folded*>(fetched.data());
    return {result.finite,
            std::uint64_t(field.nx()) * std::uint64_t(field.ny()),
            tree_of(leaves, result, groups)};
}

template <class T>
std::vector<std::uint64_t> histogram(const CudaView<T>& view, const HistogramBins& bins) {
    return with_quantity(view.quantity, [&](auto quantity) { return counts_of<quantity.value>(view, bins); });
}

template <class T>
std::vector<double> percentiles(const CudaView<T>& view, std::span<const double> q, const SumOverSlabs& sum) {
    if (!sum && only_extremes(q)) return extremes(q, sums(view, Summand::value));
    return with_quantity(view.quantity, [&](auto quantity) {
        using V = QuantityValue<quantity.value, T>;
        return percentiles_by<V>(q, sum, [&](const auto& search, int pass) {
            return counts_of<quantity.value>(view, DigitBins<RadixKey<V>>{search, pass});
        });
    });
}

template <class T>
std::vector<double> sample(const CudaView<T>& view,
                           std::span<const SamplePoint> points,
                           const Sampling& how) {
    const std::size_t count = points.size();
    std::vector<double> result(count);
    if (count == 0) return result;
    const cudaStream_t stream = cuda_handle(view.stream);
    auto* on_device =
        static_cast<SamplePoint*>(view.scratch.reserve(count * (sizeof(SamplePoint) + sizeof(double))));
    auto* values = reinterpret_cast<double*>(on_device + count);
    CUDA_CHECK(cudaMemcpyAsync(
        on_device, points.data(), count * sizeof(SamplePoint), cudaMemcpyHostToDevice, stream));
    with_quantity(view.quantity, [&](auto quantity) {
        const unsigned blocks = unsigned((count - 1) / kWalkThreads + 1);
        sample_kernel<quantity.value><<<blocks, kWalkThreads, 0, stream>>>(
            view.source, SampledPoints{on_device, values, int(count), how});
        check_launch("sample_kernel");
    });
    fetch(result.data(), values, count, view.stream);
    return result;
}

template std::vector<double> percentiles(const CudaView<float>&,
                                         std::span<const double>,
                                         const SumOverSlabs&);
template std::vector<double> percentiles(const CudaView<double>&,
                                         std::span<const double>,
                                         const SumOverSlabs&);
template PartialStatistics sums(const CudaView<float>&, Summand, int);
template PartialStatistics sums(const CudaView<double>&, Summand, int);
template std::vector<std::uint64_t> histogram(const CudaView<float>&, const HistogramBins&);
template std::vector<std::uint64_t> histogram(const CudaView<double>&, const HistogramBins&);
template std::vector<double> sample(const CudaView<float>&, std::span<const SamplePoint>, const Sampling&);
template std::vector<double> sample(const CudaView<double>&, std::span<const SamplePoint>, const Sampling&);

}  // namespace stencil
