#include <algorithm>
#include <atomic>
#include <cstdint>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/examples/arrays/reduce.cuh"
#include "kernels/field/divide.h"

namespace stencil {
namespace {

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
void launch_two(
    cudaStream_t stream, const Terms<T>& terms, unsigned blocks, ReduceScratch* scratch, T* result) {
    if (terms.y)
        partial_kernel<true><<<blocks, kReduceThreads, 0, stream>>>(terms, scratch);
    else
        partial_kernel<false><<<blocks, kReduceThreads, 0, stream>>>(terms, scratch);
    check_launch("partial_kernel");
    finish_kernel<<<1, kReduceThreads, 0, stream>>>(scratch, int(blocks), result);
    check_launch("finish_kernel");
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

// As many blocks as are at work at once, but none with less for a thread than it loads at a time.
template <class T>
unsigned block_count(const Terms<T>& terms, int multiprocessors) {
    const std::int64_t each = kReduceThreads * kVectorsAtOnce * Pack<T>::kCount;
    const std::int64_t most = std::min(kMaxPartials, multiprocessors * kReduceBlocksPerMultiprocessor);
    return unsigned(std::clamp<std::int64_t>(ceil_div(terms.count, each), 1, most));
}

}  // namespace

CudaReduction::CudaReduction(CudaStream& stream)
    : stream_(stream), multiprocessors_(multiprocessors()), scratch_(bytes()), result_(sizeof(HostSlot)) {
    new (result_.data()) HostSlot{0, 0};
    CUDA_CHECK(cudaMemsetAsync(scratch_.data(), 0, bytes(), cuda_handle(stream)));
}

std::size_t CudaReduction::bytes() {
    return sizeof(ReduceScratch);
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
        case ReductionStrategy::two_launches:
            return launch_two(stream, terms, block_count(terms, multiprocessors_), scratch, result);
        case ReductionStrategy::last_block:
            return launch_one(
                stream, terms, block_count(terms, multiprocessors_), scratch, Target<T>{result, nullptr});
    }
}

template <class T>
void CudaReduction::launch_for_host(const T* x, const T* y, std::int64_t n) {
    const Terms<T> terms{x, y, n};
    launch_one(cuda_handle(stream_),
               terms,
               block_count(terms, multiprocessors_),
               static_cast<ReduceScratch*>(scratch_.data()),
               Target<T>{nullptr, static_cast<HostSlot*>(result_.data())});
}

template <class T>
void CudaReduction::enqueue_for_host(const T* x, const T* y, std::int64_t n) {
    launch_for_host(x, y, n);
    ++expected_;
}

template <class T>
void CudaReduction::record_for_host(const T* x, const T* y, std::int64_t n) {
    graph_.emplace(stream_, [&] { launch_for_host(x, y, n); });
}

void CudaReduction::enqueue_recorded() {
    graph_->launch(stream_);
    ++expected_;
}

// The driver is asked now and then whether the stream is still in order.
double CudaReduction::wait() {
    constexpr int kLooksBetweenQuestions = 1 << 16;
    auto* slot = static_cast<HostSlot*>(result_.data());
    const std::atomic_ref<std::uint64_t> count(slot->count);
    for (std::int64_t looks = 1; count.load(std::memory_order_acquire) < expected_; ++looks) {
        if (looks % kLooksBetweenQuestions != 0) continue;
        const cudaError_t state = cudaStreamQuery(cuda_handle(stream_));
        if (state != cudaErrorNotReady) check_cuda(state, "cudaStreamQuery");
        if (state == cudaSuccess && count.load(std::memory_order_acquire) < expected_)
            throw CudaError("CUDA: a reduction ended without a result");
    }
    return slot->value;
}

template void CudaReduction::enqueue<float>(
    ReductionStrategy, const float*, const float*, std::int64_t, float*);
template void CudaReduction::enqueue<double>(
    ReductionStrategy, const double*, const double*, std::int64_t, double*);
template void CudaReduction::enqueue_for_host<float>(const float*, const float*, std::int64_t);
template void CudaReduction::enqueue_for_host<double>(const double*, const double*, std::int64_t);
template void CudaReduction::record_for_host<float>(const float*, const float*, std::int64_t);
template void CudaReduction::record_for_host<double>(const double*, const double*, std::int64_t);

}  // namespace stencil
