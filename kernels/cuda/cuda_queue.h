// Events, asynchronous copies and CUDA graphs.
#pragma once

#include <cstddef>
#include <functional>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil {

/// A point in a stream that streams and the host can wait for.
class CudaEvent {
  public:
    CudaEvent();
    ~CudaEvent();
    CudaEvent(const CudaEvent&) = delete;
    CudaEvent& operator=(const CudaEvent&) = delete;

    /// Marks all work enqueued on the stream so far.
    void record(CudaStream& stream);
    /// Makes later work on the stream wait for the event.
    void wait_on(CudaStream& stream);
    /// Blocks the host; an event never recorded counts as reached.
    void wait();

  private:
    void* event_ = nullptr;
};

/// For destructors: waits for the stream and ignores errors, which later calls report.
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
