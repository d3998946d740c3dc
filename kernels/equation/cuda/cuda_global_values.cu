// Sums, means, minima and maxima of whole fields, in the order of kernels/view/statistics/sum_tree.h.

#include <algorithm>
#include <cstddef>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/reductions.cuh"
#include "kernels/equation/cuda/cuda_global_values.h"
#include "kernels/field/divide.h"

namespace stencil::equation {
namespace {

constexpr int kLeafThreads = 256, kTreeThreads = 1024;
constexpr int kLeafBlocks = 2112;  // maximum; a block computes several groups of leaves
constexpr int kCellsInFlight = 8;

template <Reduction::Kind kind>
struct Combined {
    __device__ double operator()(double a, double b) const { return combined<kind>(a, b); }
};

// The memory of a tree: its leaves, and room for the level above, between which it alternates.
STENCIL_HOST_DEVICE constexpr std::int64_t nodes_of(std::int64_t leaves) {
    return leaves + (leaves + 1) / 2;
}

// A half-warp makes a leaf: each lane takes every kSumLanes-th cell of a run, then lane l takes lane l + 8,
// and so on. A warp stays together, because a shuffle needs all of its lanes.
template <Reduction::Kind kind, class T>
__global__ void __launch_bounds__(kLeafThreads) leaves_kernel(
    FieldView<const T> cells, std::int64_t cells_of_run, int per_row, std::int64_t count, double* leaves) {
    constexpr int kPerBlock = kLeafThreads / kSumLanes;
    const int lane = int(threadIdx.x) % kSumLanes;
    cells.data += blockIdx.y * cells_of_run;
    leaves += blockIdx.y * nodes_of(count);
    for (std::int64_t group = blockIdx.x; group * kPerBlock < count; group += gridDim.x) {
        const std::int64_t leaf = group * kPerBlock + int(threadIdx.x) / kSumLanes;
        double value = neutral_of(kind);
        if (leaf < count) {
            const T* row = cells.row(int(leaf / per_row));
            const int begin = int(leaf % per_row) * kSumRun;
            const int end = min(begin + kSumRun, cells.nx);
            for (int x = begin + lane; x < end; x += kSumLanes * kCellsInFlight) {
                T loaded[kCellsInFlight];
#pragma unroll
                for (int i = 0; i < kCellsInFlight; ++i)
                    loaded[i] = x + i * kSumLanes < end ? row[x + i * kSumLanes] : T(0);
#pragma unroll
                for (int i = 0; i < kCellsInFlight; ++i)
                    if (x + i * kSumLanes < end) value = combined<kind>(value, double(loaded[i]));
            }
        }
        value = warp_reduce(value, Combined<kind>(), kSumLanes);
        if (leaf < count && lane == 0) leaves[leaf] = value;
    }
}

/// The parameters of a reduction, and where its result goes.
template <class T>
struct TreeOutput {
    Reduction::Kind kind;
    int global, cells;  ///< as in Reduction
    int values;         ///< of a run
    double count;       ///< cells of the field
    double* exact;
    T* rounded;
};

// Combines neighbouring nodes, level by level, alternating between the two halves of the memory.
template <Reduction::Kind kind, class T>
__global__ void __launch_bounds__(kTreeThreads)
    tree_kernel(double* nodes, std::int64_t count, TreeOutput<T> output) {
    nodes += blockIdx.x * nodes_of(count);
    double* others = nodes + count;
    output.exact += blockIdx.x * output.values;
    output.rounded += blockIdx.x * output.values;
    for (; count > 1; count = (count + 1) / 2) {
        for (std::int64_t i = threadIdx.x; 2 * i < count; i += kTreeThreads)
            others[i] = 2 * i + 1 < count ? combined<kind>(nodes[2 * i], nodes[2 * i + 1]) : nodes[2 * i];
        __syncthreads();
        double* const done = nodes;
        nodes = others;
        others = done;
    }
    if (threadIdx.x > 0) return;
    const double cells = output.cells < 0 ? output.count : output.exact[output.cells];
    const double value = finished_value(output.kind, nodes[0], cells);
    output.exact[output.global] = value;
    output.rounded[output.global] = T(value);
}

}  // namespace

template <class T>
CudaGlobalValues<T>::CudaGlobalValues(int count, const EquationSetup& setup, CudaStream& stream, int runs)
    : stream_(stream),
      setup_(setup),
      tree_(setup.nx, setup),
      count_(std::size_t(count)),
      runs_(std::size_t(runs)) {
    if (count == 0) return;
    const std::size_t all = runs_ * count_;
    exact_ = CudaMemory(all * sizeof(double), stream.device());
    rounded_ = CudaMemory(all * sizeof(T), stream.device());
    leaves_ = CudaMemory(runs_ * std::size_t(nodes_of(tree_.count())) * sizeof(double), stream.device());
    CUDA_CHECK(cudaMemsetAsync(exact_.data(), 0, all * sizeof(double), cuda_handle(stream)));
    CUDA_CHECK(cudaMemsetAsync(rounded_.data(), 0, all * sizeof(T), cuda_handle(stream)));
}

template <class T>
void CudaGlobalValues<T>::reduce(const Reduction& reduction, FieldView<const T> cells, int runs) {
    const std::int64_t count = tree_.count();
    const int blocks =
        int(std::min<std::int64_t>(ceil_div(count * kSumLanes, std::int64_t(kLeafThreads)), kLeafBlocks));
    auto* const leaves = static_cast<double*>(leaves_.data());
    const TreeOutput<T> output{reduction.kind,
                               reduction.global,
                               reduction.cells,
                               int(count_),
                               tree_.cells(),
                               static_cast<double*>(exact_.data()),
                               static_cast<T*>(rounded_.data())};
    const FieldView<const T> own = cells.rows(tree_.above, tree_.rows);
    const std::int64_t of_run = std::int64_t(cells.ny) * cells.pitch;
    const cudaStream_t stream = cuda_handle(stream_);
    with_kind(reduction.kind, [&](auto kind) {
        leaves_kernel<kind.value, T><<<dim3(unsigned(blocks), unsigned(runs)), kLeafThreads, 0, stream>>>(
            own, of_run, tree_.per_row, count, leaves);
        check_launch("leaves_kernel");
        if (!setup_.slab.whole()) return;
        tree_kernel<kind.value, T><<<unsigned(runs), kTreeThreads, 0, stream>>>(leaves, count, output);
        check_launch("tree_kernel");
    });
    if (!setup_.slab.whole()) put_together(reduction);
}

template <class T>
void CudaGlobalValues<T>::put_together(const Reduction& reduction) {
    std::vector<double> own(std::size_t(tree_.count())), values = exact();
    fetch(own, leaves_);
    std::vector<double> leaves = leaves_of_all_slabs(own, tree_, setup_);
    const double count = reduction.cells < 0 ? tree_.cells() : values[std::size_t(reduction.cells)];
    const double value = finished_value(reduction.kind, root_of(reduction.kind, leaves), count);
    const T rounded = T(value);
    const auto put = [&](const CudaMemory& memory, const auto& number) {
        auto* const to =
            static_cast<std::byte*>(memory.data()) + std::size_t(reduction.global) * sizeof(number);
        CUDA_CHECK(
            cudaMemcpyAsync(to, &number, sizeof(number), cudaMemcpyHostToDevice, cuda_handle(stream_)));
    };
    put(exact_, value);
    put(rounded_, rounded);
    stream_.synchronize();
}

template <class T>
void CudaGlobalValues<T>::fetch(std::vector<double>& to, const CudaMemory& from) {
    CUDA_CHECK(cudaMemcpyAsync(
        to.data(), from.data(), to.size() * sizeof(double), cudaMemcpyDeviceToHost, cuda_handle(stream_)));
    stream_.synchronize();
}

template <class T>
std::vector<double> CudaGlobalValues<T>::exact() {
    std::vector<double> values(runs_ * count_);
    fetch(values, exact_);
    return values;
}

template <class T>
void CudaGlobalValues<T>::set(const std::vector<double>& exact) {
    const std::vector<T> rounded(exact.begin(), exact.end());
    const auto put = [&](const CudaMemory& memory, const auto& values) {
        CUDA_CHECK(cudaMemcpyAsync(memory.data(),
                                   values.data(),
                                   values.size() * sizeof(values[0]),
                                   cudaMemcpyHostToDevice,
                                   cuda_handle(stream_)));
    };
    put(exact_, exact);
    put(rounded_, rounded);
    stream_.synchronize();
}

template class CudaGlobalValues<float>;
template class CudaGlobalValues<double>;

}  // namespace stencil::equation
