// Matrix products whose operands do not fit in GPU memory.
#pragma once

#include <functional>
#include <memory>

#include "kernels/examples/matmul/cuda_matmul.h"
#include "kernels/examples/matmul/stream_plan.h"

namespace stencil {
class ThreadPool;
}

namespace stencil::matmul {

/// Arrays of the host.
template <class T>
struct StreamedCall {
    const T* a = nullptr;
    const T* b = nullptr;
    T* c = nullptr;
    T* sums = nullptr;  ///< (n), of the columns of C
};

/// Bytes of device memory that a StreamedMatmul of this plan allocates, exactly.
template <class T>
std::size_t streamed_matmul_bytes(MatmulMethod method, const StreamPlan& plan, std::size_t workspace);

/// Copies to the device, products and copies to the host go on at the same time, each with two buffers; host
/// memory is copied through page-locked buffers by the threads.
template <class T>
class StreamedMatmul {
  public:
    /// Throws CudaError.
    StreamedMatmul(MatmulMethod method, const StreamPlan& plan, std::size_t workspace, ThreadPool& threads);
    ~StreamedMatmul();
    StreamedMatmul(const StreamedMatmul&) = delete;
    StreamedMatmul& operator=(const StreamedMatmul&) = delete;

    /// Returns when C and the sums are there. `pause` is called after each panel and may throw. The same bits
    /// from call to call. Throws CudaError.
    void run(const StreamedCall<T>& call, const std::function<void()>& pause);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace stencil::matmul
