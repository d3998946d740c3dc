// Statistics, histograms and point values of a quantity on CUDA.

#include <cmath>
#include <limits>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/reductions.cuh"
#include "kernels/view/cuda_view.h"
#include "kernels/view/cuda_walk.cuh"
#include "kernels/view/sampled.h"
#include "kernels/view/statistics/radix_select.h"

namespace stencil {
namespace {

struct Merge {
    __device__ PartialStatistics operator()(PartialStatistics a, const PartialStatistics& b) const {
        a.add(b);
        return a;
    }
};

// Reduces over a block, in a fixed order.
__device__ PartialStatistics merge_block(const PartialStatistics& mine, int thread) {
    return block_reduce(mine, Merge(), PartialStatistics::none(), thread);
}

template <Quantity Q, class T>
__global__ void __launch_bounds__(kWalkThreads)
    statistics_kernel(QuantitySource<T> source, PartialStatistics* blocks) {
    using V = QuantityValue<Q, T>;
    V low = V(INFINITY);
    V high = -V(INFINITY);
    double total = 0;
    unsigned finite = 0;
    for_cells<Q>(source, [&](V value) {
        if (!is_finite(value)) return;
        low = value < low ? value : low;
        high = value > high ? value : high;
        total += double(value);
        ++finite;
    });
    const PartialStatistics all = merge_block({double(low), double(high), total, finite}, walk_thread());
    if (walk_thread() == 0) blocks[walk_block()] = all;
}

__global__ void __launch_bounds__(kWalkThreads)
    merge_kernel(const PartialStatistics* blocks, int count, PartialStatistics* result) {
    PartialStatistics mine = PartialStatistics::none();
    for (int i = int(threadIdx.x); i < count; i += kWalkThreads) mine.add(blocks[i]);
    mine = merge_block(mine, int(threadIdx.x));
    if (threadIdx.x == 0) *result = mine;
}

// Sums of squares, as `total`. for_cells() also passes NaN outside of the field, so NaN cells are detected by
// the count of finite ones.
template <Quantity Q, class T>
__global__ void __launch_bounds__(kWalkThreads)
    squares_kernel(QuantitySource<T> source, PartialStatistics* blocks) {
    double squares = 0;
    unsigned finite = 0;
    for_cells<Q>(source, [&](auto value) {
        if (!is_finite(value)) return;
        squares += double(value) * double(value);
        ++finite;
    });
    const PartialStatistics all = merge_block({0, 0, squares, finite}, walk_thread());
    if (walk_thread() == 0) blocks[walk_block()] = all;
}

template <Quantity Q, class T>
__global__ void __launch_bounds__(kWalkThreads)
    histogram_kernel(QuantitySource<T> source, HistogramBins bins, unsigned long long* counts) {
    __shared__ unsigned own[kMaxBins];
    for (int i = walk_thread(); i < bins.count; i += kWalkThreads) own[i] = 0;
    __syncthreads();
    for_cells<Q>(source, [&](auto value) {
        const int bin = bins.bin_of(double(value));
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

// Launches a kernel that writes one partial result per block, and merges these.
template <class T, class Launch>
PartialStatistics merged_parts(const CudaView<T>& view, const Launch& launch) {
    const PlainView<const T>& field = view.source.field;
    const WalkShape walk = walk_over(field.nx(), field.ny());
    auto* blocks = static_cast<PartialStatistics*>(
        view.scratch.reserve(std::size_t(walk.blocks() + 1) * sizeof(PartialStatistics)));
    PartialStatistics* merged = blocks + walk.blocks();
    with_quantity(view.quantity, [&](auto quantity) { launch(quantity, walk, blocks); });
    merge_kernel<<<1, kWalkThreads, 0, cuda_handle(view.stream)>>>(blocks, walk.blocks(), merged);
    check_launch("merge_kernel");
    PartialStatistics all{};
    fetch(&all, merged, 1, view.stream);
    return all;
}

template <class T>
std::size_t cells_of(const CudaView<T>& view) {
    return std::size_t(view.source.field.nx()) * std::size_t(view.source.field.ny());
}

}  // namespace

template <class T>
Statistics cuda_statistics(const CudaView<T>& view) {
    const PartialStatistics all = merged_parts(view, [&](auto quantity, const WalkShape& walk, auto* blocks) {
        statistics_kernel<quantity.value>
            <<<walk.grid, walk.block, 0, cuda_handle(view.stream)>>>(view.source, blocks);
        check_launch("statistics_kernel");
    });
    return all.of_field(cells_of(view));
}

template <class T>
double cuda_norm(const CudaView<T>& view) {
    const PartialStatistics all = merged_parts(view, [&](auto quantity, const WalkShape& walk, auto* blocks) {
        squares_kernel<quantity.value>
            <<<walk.grid, walk.block, 0, cuda_handle(view.stream)>>>(view.source, blocks);
        check_launch("squares_kernel");
    });
    return all.finite < cells_of(view) ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(all.total);
}

template <class T>
std::vector<std::uint64_t> cuda_histogram(const CudaView<T>& view, const HistogramBins& bins) {
    const WalkShape walk = walk_over(view.source.field.nx(), view.source.field.ny());
    const std::size_t count = std::size_t(bins.count);
    const cudaStream_t stream = cuda_handle(view.stream);
    auto* counts = static_cast<unsigned long long*>(view.scratch.reserve(count * sizeof(unsigned long long)));
    CUDA_CHECK(cudaMemsetAsync(counts, 0, count * sizeof(unsigned long long), stream));
    with_quantity(view.quantity, [&](auto quantity) {
        histogram_kernel<quantity.value><<<walk.grid, walk.block, 0, stream>>>(view.source, bins, counts);
        check_launch("histogram_kernel");
    });
    std::vector<std::uint64_t> result(count);
    fetch(result.data(), counts, count, view.stream);
    return result;
}

template <class T>
std::vector<double> cuda_sample(const CudaView<T>& view,
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

template Statistics cuda_statistics(const CudaView<float>&);
template Statistics cuda_statistics(const CudaView<double>&);
template double cuda_norm(const CudaView<float>&);
template double cuda_norm(const CudaView<double>&);
template std::vector<std::uint64_t> cuda_histogram(const CudaView<float>&, const HistogramBins&);
template std::vector<std::uint64_t> cuda_histogram(const CudaView<double>&, const HistogramBins&);
template std::vector<double> cuda_sample(const CudaView<float>&,
                                         std::span<const SamplePoint>,
                                         const Sampling&);
template std::vector<double> cuda_sample(const CudaView<double>&,
                                         std::span<const SamplePoint>,
                                         const Sampling&);

}  // namespace stencil
