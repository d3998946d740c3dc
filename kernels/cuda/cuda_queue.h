// Ordering between streams (events), asynchronous copies, and CUDA graphs.
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
    /// Makes work enqueued on the stream from now on wait for the event.
    void wait_on(CudaStream& stream);
    /// Blocks the host until the event. An event that was never recorded counts as reached.
    void wait();

  private:
    void* event_ = nullptr;
};

/// For destructors: waits for all work of the stream and ignores errors, which later calls on its results
/// report.
void finish(const CudaStream& stream) noexcept;

/// Enqueues an asynchronous copy; the host memory must be page-locked.
void enqueue_to_device(void* to, const void* from, std::size_t bytes, CudaStream& stream);
void enqueue_to_host(void* to, const void* from, std::size_t bytes, CudaStream& stream);

/// A CUDA graph: work that is captured once and then launched as a whole, with less overhead per kernel.
class CudaGraph {
  public:
    /// Captures what `enqueue` puts on the stream; it must not wait for any of it.
    CudaGraph(CudaStream& stream, const std::function<void()>& enqueue);
    ~CudaGraph();
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;

    /// Uploads the graph before its first launch, which would otherwise do it.
    void upload(CudaStream& stream);
    void launch(CudaStream& stream);

  private:
    void* executable_ = nullptr;
};

}  // namespace stencil
