// Statistics, histograms and points of a quantity on CUDA.

#include <cmath>
#include <limits>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/reductions.cuh"
#include "kernels/view/cell_span.h"
#include "kernels/view/cuda_view.h"
#include "kernels/view/cuda_walk.cuh"
#include "kernels/view/statistics/radix_select.h"

namespace stencil {
namespace {

/// Of finite cells. Where there is none, low > high.
struct PartialStatistics {
    double low;
    double high;
    double total;
    unsigned long long finite;
};

__device__ PartialStatistics none() {
    return {INFINITY, -INFINITY, 0, 0};
}

struct Merge {
    __device__ PartialStatistics operator()(const PartialStatistics& a, const PartialStatistics& b) const {
        return {fmin(a.low, b.low), fmax(a.high, b.high), a.total + b.total, a.finite + b.finite};
    }
};

// Of a whole block, always in the same order.
__device__ PartialStatistics merge_block(const PartialStatistics& mine, int thread) {
    return block_reduce(mine, Merge(), none(), thread);
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
    PartialStatistics mine = none();
    for (int i = int(threadIdx.x); i < count; i += kWalkThreads) mine = Merge()(mine, blocks[i]);
    mine = merge_block(mine, int(threadIdx.x));
    if (threadIdx.x == 0) *result = mine;
}

// The sums of squares, as the totals of parts. Beyond the field for_cells() gives NaN, too: cells that are no
// numbers are told by the count of the others.
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
    bool smooth;
};

template <Quantity Q, class T>
__global__ void __launch_bounds__(kWalkThreads) sample_kernel(QuantitySource<T> source, SampledPoints all) {
    const int i = int(blockIdx.x * kWalkThreads + threadIdx.x);
    if (i >= all.count) return;
    const SamplePoint point = all.points[i];
    double sum = NAN;
    if (holds(point, source.state.nx, source.state.ny)) {
        const CellSpan columns = point_span(point.x, source.state.nx, all.smooth);
        const CellSpan rows = point_span(point.y, source.state.ny, all.smooth);
        sum = 0;
        for (int y = rows.first; y <= rows.last; ++y)
            for (int x = columns.first; x <= columns.last; ++x)
                sum += rows.weight(y) * columns.weight(x) * double(quantity_at<Q>(source, x, y));
    }
    all.values[i] = sum;
}

// Waits for it.
template <class V>
void fetch(V* to, const void* from, std::size_t count, CudaStream& stream) {
    CUDA_CHECK(cudaMemcpyAsync(to, from, count * sizeof(V), cudaMemcpyDeviceToHost, cuda_handle(stream)));
    stream.synchronize();
}

// Launches a kernel that leaves a part for each block of the walk, and merges the parts.
template <class T, class Launch>
PartialStatistics merged_parts(const CudaView<T>& view, const Launch& launch) {
    const FieldView<const T>& state = view.source.state;
    const WalkShape walk = walk_over(state.nx, state.ny);
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
std::size_t not_finite(const CudaView<T>& view, const PartialStatistics& all) {
    return std::size_t(view.source.state.nx) * std::size_t(view.source.state.ny) - std::size_t(all.finite);
}

}  // namespace

template <class T>
Statistics cuda_statistics(const CudaView<T>& view) {
    const PartialStatistics all = merged_parts(view, [&](auto quantity, const WalkShape& walk, auto* blocks) {
        statistics_kernel<quantity.value>
            <<<walk.grid, walk.block, 0, cuda_handle(view.stream)>>>(view.source, blocks);
        check_launch("statistics_kernel");
    });
    Statistics result;
    result.not_finite = not_finite(view, all);
    if (all.finite == 0) return no_finite_cell(result.not_finite);
    result.min = all.low;
    result.max = all.high;
    result.total = all.total;
    result.mean = all.total / double(all.finite);
    return result;
}

template <class T>
double cuda_norm(const CudaView<T>& view) {
    const PartialStatistics all = merged_parts(view, [&](auto quantity, const WalkShape& walk, auto* blocks) {
        squares_kernel<quantity.value>
            <<<walk.grid, walk.block, 0, cuda_handle(view.stream)>>>(view.source, blocks);
        check_launch("squares_kernel");
    });
    return not_finite(view, all) > 0 ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(all.total);
}

template <class T>
std::vector<std::uint64_t> cuda_histogram(const CudaView<T>& view, const HistogramBins& bins) {
    const WalkShape walk = walk_over(view.source.state.nx, view.source.state.ny);
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
std::vector<double> cuda_sample(const CudaView<T>& view, std::span<const SamplePoint> points, bool smooth) {
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
            view.source, SampledPoints{on_device, values, int(count), smooth});
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
template std::vector<double> cuda_sample(const CudaView<float>&, std::span<const SamplePoint>, bool);
template std::vector<double> cuda_sample(const CudaView<double>&, std::span<const SamplePoint>, bool);

}  // namespace stencil
