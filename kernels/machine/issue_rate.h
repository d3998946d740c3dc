// The peak FMA rate, measured with floating-point instructions on registers and nothing else. Each function
// executes some and returns their number per lane: an instruction on a vector or warp of 32 lanes counts as
// 32, and an addition, multiplication or FMA as one. The caller takes the time.
#pragma once

#include <cstdint>

namespace stencil {

class ThreadPool;
class CudaMemory;
class CudaStream;

/// Runs rounds of independent FMAs on all threads, with the widest SIMD. T is float or double.
template <class T>
std::int64_t cpu_issue(ThreadPool& threads, std::int64_t rounds);

/// Bytes of device memory that cuda_issue() writes to.
std::int64_t cuda_issue_bytes();

/// Enqueues rounds of independent FMAs on all multiprocessors. Throws CudaError.
template <class T>
std::int64_t cuda_issue(CudaMemory& scratch, std::int64_t rounds, CudaStream& stream);

}  // namespace stencil
