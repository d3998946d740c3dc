// The machine's limit for arithmetic: floating-point instructions on cells and nothing else. Each function
// does some and returns how many, counted per cell (an instruction on a vector or warp of 32 cells counts 32
// times; an addition, a multiplication and a fused multiply-add one each); their callers take the time.
#pragma once

#include <cstdint>

namespace stencil {

class ThreadPool;
class CudaMemory;
class CudaStream;

/// Rounds of independent fused multiply-adds on every thread of the pool, with the widest SIMD that the
/// processor has. T is float or double.
template <class T>
std::int64_t cpu_issue(ThreadPool& threads, std::int64_t rounds);

/// Bytes of device memory that cuda_issue() writes to.
std::int64_t cuda_issue_bytes();

/// Enqueues rounds of them on all multiprocessors. Throws CudaError.
template <class T>
std::int64_t cuda_issue(CudaMemory& scratch, std::int64_t rounds, CudaStream& stream);

}  // namespace stencil
