// Asynchronous copies and CUDA graphs.
#pragma once

#include <cstddef>
#include <functional>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil {

/// For destructors: waits for the stream and ignores errors, because later calls will report them.
void finish(const CudaStream& stream) noexcept;

/// Enqueues an asynchronous copy; the host memory must be page-locked.
void enqueue_to_device(void* to, const void* from, std::size_t bytes, CudaStream& stream);
void enqueue_to_host(void* to, const void* from, std::size_t bytes, CudaStream& stream);

/// A CUDA graph: captured once, then launched as a whole.
class CudaGraph {
  public:
    /// Captures what `enqueue` puts on the stream; it must not wait.
    CudaGraph(CudaStream& stream, const std::function<void()>& enqueue);
    ~CudaGraph();
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;

    /// Uploads the graph, which the first launch would do otherwise.
    void upload(CudaStream& stream);
    void launch(CudaStream& stream);

  private:
    void* executable_ = nullptr;
};

}  // namespace stencil
