#include "kernels/machine/issue_rate.h"

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/field/divide.h"

namespace stencil {
namespace {

constexpr int kThreads = 256;
constexpr int kBlocksPerMultiprocessor = 8;  // 64 warps: full occupancy
constexpr int kChains = 8;                   // independent FMA chains per thread, to hide their latency
constexpr int kUnrolled = 16;                // rounds per loop iteration, to amortise the branch

// Values converge to 0.5: none overflows or is subnormal. The sum is stored so that the compiler keeps the
// loop.
template <class T>
__global__ void __launch_bounds__(kThreads) issue_kernel(T* out, long long rounds, T factor, T term) {
    T values[kChains];
    for (int i = 0; i < kChains; ++i) values[i] = T(int(threadIdx.x) + i);
    for (long long round = 0; round < rounds; round += kUnrolled) {
#pragma unroll
        for (int k = 0; k < kUnrolled; ++k)
#pragma unroll
            for (int i = 0; i < kChains; ++i) values[i] = fma(values[i], factor, term);
    }
    T sum = 0;
    for (int i = 0; i < kChains; ++i) sum += values[i];
    out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

int blocks() {
    return current_gpu_facts().multiprocessors * kBlocksPerMultiprocessor;
}

}  // namespace

std::int64_t cuda_issue_bytes() {
    return std::int64_t(blocks()) * kThreads * std::int64_t(sizeof(double));
}

template <class T>
std::int64_t cuda_issue(CudaMemory& scratch, std::int64_t rounds, CudaStream& stream) {
    rounds = round_up(rounds, kUnrolled);
    const int count = blocks();
    issue_kernel<<<unsigned(count), kThreads, 0, cuda_handle(stream)>>>(
        static_cast<T*>(scratch.data()), static_cast<long long>(rounds), T(0.75), T(0.125));
    check_launch("issue_kernel");
    return rounds * kChains * kThreads * count;
}

template std::int64_t cuda_issue<float>(CudaMemory&, std::int64_t, CudaStream&);
template std::int64_t cuda_issue<double>(CudaMemory&, std::int64_t, CudaStream&);

}  // namespace stencil
