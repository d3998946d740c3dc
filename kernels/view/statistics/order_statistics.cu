// Percentiles of a quantity on CUDA, by radix selection (kernels/view/statistics/radix_select.h). The host is
// not involved until the end.

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/view/cuda_view.h"
#include "kernels/view/cuda_walk.cuh"
#include "kernels/view/statistics/percentiles.h"

namespace stencil {
namespace {

constexpr unsigned kAllLanes = 0xffffffffu;
constexpr int kLanes = 32;
constexpr int kCounts = kMaxRanks * kRadixBins;
constexpr int kBinsPerLane = kRadixBins / kLanes;
constexpr int kBinsPerLaneAgain = kBinsPerLane / kLanes;
static_assert(kBinsPerLaneAgain == 2, "find_digit() knows two bins");

using Count = unsigned long long;

/// q / 100
struct Fractions {
    double of[kPercentilesAtOnce];
};

// `counts` is (slots, kRadixBins) and starts as zeros.
template <Quantity Q, class T, class Key>
__global__ void __launch_bounds__(kWalkThreads)
    count_digits_kernel(QuantitySource<T> source, const RadixSearch<Key>* search, int pass, Count* counts) {
    __shared__ unsigned own[kCounts];
    const RadixSearch<Key> at = *search;
    if (pass > 0 && at.count == 0) return;
    const int used = (pass == 0 ? 1 : at.slots) * kRadixBins;
    for (int i = walk_thread(); i < used; i += kWalkThreads) own[i] = 0;
    __syncthreads();
    for_cells<Q>(source, [&](auto value) {
        if (!is_finite(value)) return;
        const Key key = radix_key(value);
        const int slot = at.slot_of(key, pass);
        if (slot >= 0) atomicAdd(&own[slot * kRadixBins + radix_digit(key, pass)], 1u);
    });
    __syncthreads();
    for (int i = walk_thread(); i < used; i += kWalkThreads)
        if (own[i] > 0) atomicAdd(&counts[i], Count(own[i]));
}

// Exclusive prefix sum over the lanes.
__device__ Count sum_before(Count mine) {
    const int lane = int(threadIdx.x) % kLanes;
    Count sum = mine;
    for (int offset = 1; offset < kLanes; offset *= 2) {
        const Count before = __shfl_up_sync(kAllLanes, sum, unsigned(offset));
        if (lane >= offset) sum += before;
    }
    return sum - mine;
}

__device__ Count sum_of_lane(const Count* bins) {
    const Count* own = bins + int(threadIdx.x) % kLanes * kBinsPerLane;
    Count sum = 0;
    for (int i = 0; i < kBinsPerLane; ++i) sum += own[i];
    return sum;
}

// By a whole warp: the bin that contains a rank, which becomes the rank within that bin. The bins hold more
// keys than the rank.
__device__ int find_digit(const Count* bins, Count& rank) {
    const int lane = int(threadIdx.x) % kLanes;
    const Count sum = sum_of_lane(bins);
    const Count before = sum_before(sum);
    const int part = __ffs(int(__ballot_sync(kAllLanes, rank >= before && rank - before < sum))) - 1;
    rank -= __shfl_sync(kAllLanes, before, part);

    const int first_bin = part * kBinsPerLane + lane * kBinsPerLaneAgain;
    const Count first = bins[first_bin];
    const Count both = first + bins[first_bin + 1];
    const Count before_both = sum_before(both);
    const int pair =
        __ffs(int(__ballot_sync(kAllLanes, rank >= before_both && rank - before_both < both))) - 1;
    rank -= __shfl_sync(kAllLanes, before_both, pair);
    const Count in_first = __shfl_sync(kAllLanes, first, pair);
    const bool second = rank >= in_first;
    if (second) rank -= in_first;
    return part * kBinsPerLane + pair * kBinsPerLaneAgain + int(second);
}

// One block with a warp for each rank. Resets the counts for the next pass.
template <class Key>
__global__ void __launch_bounds__(kLanes* kMaxRanks)
    choose_digits_kernel(RadixSearch<Key>* search, Fractions fractions, int pass, Count* counts) {
    const int lane = int(threadIdx.x) % kLanes;
    const int warp = int(threadIdx.x) / kLanes;
    if (pass == 0 && warp == 0) {
        const Count sum = sum_of_lane(counts);
        const Count all = sum_before(sum) + sum;
        if (lane == kLanes - 1 && all > 0) search->begin(all, fractions.of);
    }
    __syncthreads();
    if (search->count == 0) return;
    Count rank = search->rank[warp];
    const int digit = find_digit(counts + search->slot[warp] * kRadixBins, rank);
    if (lane == 0) {
        search->rank[warp] = rank;
        search->prefix[warp] |= Key(digit) << radix_shift<Key>(pass);
    }
    __syncthreads();
    if (threadIdx.x == 0) search->share_slots();
    for (int i = int(threadIdx.x); i < kCounts; i += kLanes * kMaxRanks) counts[i] = 0;
}

// Sums the counts of a distributed field over all processes, on the host.
void sum_parts(Count* counts, const SumOverSlabs& sum, CudaStream& stream) {
    std::vector<std::uint64_t> here(kCounts);
    static_assert(sizeof(Count) == sizeof(std::uint64_t));
    const std::size_t bytes = here.size() * sizeof(Count);
    CUDA_CHECK(cudaMemcpyAsync(here.data(), counts, bytes, cudaMemcpyDeviceToHost, cuda_handle(stream)));
    stream.synchronize();
    sum(here);
    CUDA_CHECK(cudaMemcpyAsync(counts, here.data(), bytes, cudaMemcpyHostToDevice, cuda_handle(stream)));
    stream.synchronize();
}

template <Quantity Q, class T, class Key>
RadixSearch<Key> find_ranks(const CudaView<T>& view, const Fractions& fractions, const SumOverSlabs& sum) {
    const cudaStream_t stream = cuda_handle(view.stream);
    const WalkShape walk = walk_over(view.source.field.nx(), view.source.field.ny());
    const std::size_t bytes = kCounts * sizeof(Count) + sizeof(RadixSearch<Key>);
    auto* counts = static_cast<Count*>(view.scratch.reserve(bytes));
    auto* search = reinterpret_cast<RadixSearch<Key>*>(counts + kCounts);
    CUDA_CHECK(cudaMemsetAsync(counts, 0, bytes, stream));
    for (int pass = 0; pass < kRadixPasses<Key>; ++pass) {
        count_digits_kernel<Q, T, Key>
            <<<walk.grid, walk.block, 0, stream>>>(view.source, search, pass, counts);
        check_launch("count_digits_kernel");
        if (sum) sum_parts(counts, sum, view.stream);
        choose_digits_kernel<Key><<<1, kLanes * kMaxRanks, 0, stream>>>(search, fractions, pass, counts);
        check_launch("choose_digits_kernel");
    }
    RadixSearch<Key> found;
    CUDA_CHECK(cudaMemcpyAsync(&found, search, sizeof(found), cudaMemcpyDeviceToHost, stream));
    view.stream.synchronize();
    return found;
}

}  // namespace

template <class T>
std::vector<double> cuda_percentiles(const CudaView<T>& view,
                                     std::span<const double> q,
                                     const SumOverSlabs& sum) {
    if (!sum && only_extremes(q)) return extremes(q, cuda_sums(view, Summand::value));
    return with_quantity(view.quantity, [&](auto quantity) {
        using V = QuantityValue<quantity.value, T>;
        return percentiles_by<V>(q, [&](const double* fractions) {
            return find_ranks<quantity.value, T, RadixKey<V>>(
                view, Fractions{{fractions[0], fractions[1]}}, sum);
        });
    });
}

template std::vector<double> cuda_percentiles(const CudaView<float>&,
                                              std::span<const double>,
                                              const SumOverSlabs&);
template std::vector<double> cuda_percentiles(const CudaView<double>&,
                                              std::span<const double>,
                                              const SumOverSlabs&);

}  // namespace stencil
