#include "kernels/examples/arrays/reduce.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/reductions.cuh"
#include "kernels/cuda/vectors.cuh"
#include "kernels/field/divide.h"

namespace stencil {
namespace {

constexpr int kReduceThreads = 256;
constexpr int kReduceBlocksPerMultiprocessor = 4;
constexpr int kMaxPartials = 4096;
constexpr int kWarp = 32;
constexpr int kLoadsInFlight = 4;  // vectors of each array that a thread has requested

/// x[i] y[i] or, without y, x[i].
template <class T>
struct Terms {
    const T* x;
    const T* y;
    std::int64_t count;
};

/// Device memory that persists between launches.
struct ReduceScratch {
    double partials[kMaxPartials];  ///< of type T, one per block
    unsigned done;                  ///< blocks that have stored their partial sum; 0 between launches
    std::uint64_t results;          ///< results sent to the host so far
};

/// The record that the host polls; `count` is written last.
struct HostSlot {
    double value;
    std::uint64_t count;
};

/// Where a result goes: to the device, or to the host.
template <class T>
struct Target {
    T* device;
    volatile HostSlot* host;
};

template <bool kTwo, class T>
__device__ T term(const Terms<T>& terms, std::int64_t i) {
    return kTwo ? terms.x[i] * terms.y[i] : terms.x[i];
}

// One thread's share, if all arrays are aligned to 16 bytes: kLoadsInFlight vectors are loaded before the
// first is added, and each of their lanes has its own accumulator.
template <bool kTwo, class T>
__device__ T sum_of_vectors(const Terms<T>& terms, std::int64_t first, std::int64_t stride) {
    using Vector = AlignedVector<T>;
    const std::int64_t vectors = terms.count / Vector::kCount;
    const auto* x = reinterpret_cast<const Vector*>(terms.x);
    const auto* y = reinterpret_cast<const Vector*>(terms.y);
    T sums[Vector::kCount] = {};
    for (std::int64_t i = first; i < vectors; i += kLoadsInFlight * stride) {
        Vector from_x[kLoadsInFlight], from_y[kLoadsInFlight];
#pragma unroll
        for (int k = 0; k < kLoadsInFlight; ++k) {
            from_x[k] = i + k * stride < vectors ? x[i + k * stride] : Vector{};
            if constexpr (kTwo) from_y[k] = i + k * stride < vectors ? y[i + k * stride] : Vector{};
        }
#pragma unroll
        for (int lane = 0; lane < Vector::kCount; ++lane) {
            T four[kLoadsInFlight];
#pragma unroll
            for (int k = 0; k < kLoadsInFlight; ++k)
                four[k] = kTwo ? from_x[k][lane] * from_y[k][lane] : from_x[k][lane];
            sums[lane] += (four[0] + four[1]) + (four[2] + four[3]);
        }
    }
    T sum = sums[0] + sums[1];
    if constexpr (Vector::kCount == 4) sum += sums[2] + sums[3];
    const std::int64_t left = vectors * Vector::kCount + first;
    if (first < Vector::kCount && left < terms.count) sum += term<kTwo>(terms, left);
    return sum;
}

template <bool kTwo, class T>
__device__ T thread_sum(const Terms<T>& terms) {
    const std::int64_t first = std::int64_t(blockIdx.x) * kReduceThreads + threadIdx.x;
    const std::int64_t stride = std::int64_t(gridDim.x) * kReduceThreads;
    if (are_aligned(16, terms.x, kTwo ? terms.y : terms.x)) return sum_of_vectors<kTwo>(terms, first, stride);
    T sum = 0;
    for (std::int64_t i = first; i < terms.count; i += stride) sum += term<kTwo>(terms, i);
    return sum;
}

/// Adds up the partial sums of all blocks, always in the same order; thread 0 gets the result. One block
/// calls it.
template <class T>
__device__ T sum_of_partials(const ReduceScratch* scratch, int blocks) {
    const T* partials = reinterpret_cast<const T*>(scratch->partials);
    T sum = 0;
    for (int i = int(threadIdx.x); i < blocks; i += kReduceThreads) sum += __ldcg(&partials[i]);
    return block_sum(sum);
}

// Only the last block to finish goes on. It adds the partial sums in a fixed order, so the order in which the
// blocks finished does not matter.
template <bool kTwo, class T>
__global__ void __launch_bounds__(kReduceThreads)
    last_block_kernel(Terms<T> terms, ReduceScratch* scratch, Target<T> to) {
    __shared__ bool last;
    const T own = block_sum(thread_sum<kTwo>(terms));
    if (threadIdx.x == 0) {
        reinterpret_cast<T*>(scratch->partials)[blockIdx.x] = own;
        __threadfence();
        last = atomicAdd(&scratch->done, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last) return;
    const T sum = sum_of_partials<T>(scratch, int(gridDim.x));
    if (threadIdx.x != 0) return;
    scratch->done = 0;
    if (!to.host) {
        *to.device = sum;
        return;
    }
    to.host->value = double(sum);
    __threadfence_system();
    to.host->count = ++scratch->results;
}

// One term per thread, as in the tutorial.
template <ReductionStrategy kGathering, bool kTwo, class T>
__global__ void __launch_bounds__(kReduceThreads) atomic_kernel(Terms<T> terms, T* result) {
    const std::int64_t i = std::int64_t(blockIdx.x) * kReduceThreads + threadIdx.x;
    const bool has_term = i < terms.count;
    const T own = has_term ? term<kTwo>(terms, i) : T(0);
    if constexpr (kGathering == ReductionStrategy::atomic_per_thread) {
        if (has_term) atomicAdd(result, own);
    } else if constexpr (kGathering == ReductionStrategy::atomic_per_warp) {
        const T sum = warp_sum(own);
        if (threadIdx.x % kWarp == 0) atomicAdd(result, sum);
    } else {
        const T sum = block_sum(own);
        if (threadIdx.x == 0) atomicAdd(result, sum);
    }
}

template <ReductionStrategy kGathering, class T>
void launch_atomic(cudaStream_t stream, const Terms<T>& terms, T* result) {
    CUDA_CHECK(cudaMemsetAsync(result, 0, sizeof(T), stream));
    const unsigned blocks = unsigned(ceil_div(terms.count, kReduceThreads));
    if (blocks == 0) return;
    if (terms.y)
        atomic_kernel<kGathering, true><<<blocks, kReduceThreads, 0, stream>>>(terms, result);
    else
        atomic_kernel<kGathering, false><<<blocks, kReduceThreads, 0, stream>>>(terms, result);
    check_launch("atomic_kernel");
}

template <class T>
void launch_one(
    cudaStream_t stream, const Terms<T>& terms, unsigned blocks, ReduceScratch* scratch, Target<T> to) {
    if (terms.y)
        last_block_kernel<true><<<blocks, kReduceThreads, 0, stream>>>(terms, scratch, to);
    else
        last_block_kernel<false><<<blocks, kReduceThreads, 0, stream>>>(terms, scratch, to);
    check_launch("last_block_kernel");
}

// As many blocks as are resident at once, but not so many that a thread gets less than it loads at a time.
template <class T>
unsigned block_count(const Terms<T>& terms, int multiprocessors) {
    const std::int64_t each = kReduceThreads * kLoadsInFlight * AlignedVector<T>::kCount;
    const std::int64_t most = std::min(kMaxPartials, multiprocessors * kReduceBlocksPerMultiprocessor);
    return unsigned(std::clamp<std::int64_t>(ceil_div(terms.count, each), 1, most));
}

}  // namespace

CudaReduction::CudaReduction(CudaStream& stream)
    : stream_(stream),
      multiprocessors_(current_gpu_facts().multiprocessors),
      scratch_(sizeof(ReduceScratch)),
      result_(sizeof(HostSlot)) {
    new (result_.data()) HostSlot{0, 0};
    CUDA_CHECK(cudaMemsetAsync(scratch_.data(), 0, sizeof(ReduceScratch), cuda_handle(stream)));
}

template <class T>
void CudaReduction::enqueue(ReductionStrategy strategy, const T* x, const T* y, std::int64_t n, T* result) {
    const Terms<T> terms{x, y, n};
    const cudaStream_t stream = cuda_handle(stream_);
    auto* scratch = static_cast<ReduceScratch*>(scratch_.data());
    switch (strategy) {
        case ReductionStrategy::atomic_per_thread:
            return launch_atomic<ReductionStrategy::atomic_per_thread>(stream, terms, result);
        case ReductionStrategy::atomic_per_warp:
            return launch_atomic<ReductionStrategy::atomic_per_warp>(stream, terms, result);
        case ReductionStrategy::atomic_per_block:
            return launch_atomic<ReductionStrategy::atomic_per_block>(stream, terms, result);
        case ReductionStrategy::last_block:
            return launch_one(
                stream, terms, block_count(terms, multiprocessors_), scratch, Target<T>{result, nullptr});
    }
}

template <class T>
void CudaReduction::enqueue_for_host(const T* x, const T* y, std::int64_t n) {
    const Terms<T> terms{x, y, n};
    launch_one(cuda_handle(stream_),
               terms,
               block_count(terms, multiprocessors_),
               static_cast<ReduceScratch*>(scratch_.data()),
               Target<T>{nullptr, static_cast<HostSlot*>(result_.data())});
}

// While polling, asks the driver now and then whether the stream has failed.
double CudaReduction::wait() {
    constexpr int kLooksBetweenQuestions = 1 << 16;
    auto* slot = static_cast<HostSlot*>(result_.data());
    const std::atomic_ref<std::uint64_t> count(slot->count);
    for (std::int64_t looks = 1; count.load(std::memory_order_acquire) == seen_; ++looks) {
        if (looks % kLooksBetweenQuestions != 0) continue;
        const cudaError_t state = cudaStreamQuery(cuda_handle(stream_));
        if (state != cudaErrorNotReady) check_cuda(state, "cudaStreamQuery");
        if (state == cudaSuccess && count.load(std::memory_order_acquire) == seen_)
            throw CudaError("CUDA: a reduction ended without a result");
    }
    seen_ = count.load(std::memory_order_acquire);
    return slot->value;
}

template void CudaReduction::enqueue<float>(
    ReductionStrategy, const float*, const float*, std::int64_t, float*);
template void CudaReduction::enqueue<double>(
    ReductionStrategy, const double*, const double*, std::int64_t, double*);
template void CudaReduction::enqueue_for_host<float>(const float*, const float*, std::int64_t);
template void CudaReduction::enqueue_for_host<double>(const double*, const double*, std::int64_t);

}  // namespace stencil
