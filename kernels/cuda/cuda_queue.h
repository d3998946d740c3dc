// Work of several streams: order between them, copies that don't wait, and sequences that are launched at
// once.
#pragma once

#include <cstddef>
#include <functional>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil {

/// A point in a stream that others can wait for.
class CudaEvent {
  public:
    CudaEvent();
    ~CudaEvent();
    CudaEvent(const CudaEvent&) = delete;
    CudaEvent& operator=(const CudaEvent&) = delete;

    /// All that has been enqueued on the stream until now.
    void record(CudaStream& stream);
    /// What will be enqueued on the stream waits for it.
    void wait_on(CudaStream& stream);
    /// The host waits for it. An unset one is over.
    void wait();

  private:
    void* event_ = nullptr;
};

/// For destructors: waits for all work of the stream, and leaves an error to whoever asks for its results.
void finish(const CudaStream& stream) noexcept;

/// Enqueues a copy; the host's memory must be page-locked.
void enqueue_to_device(void* to, const void* from, std::size_t bytes, CudaStream& stream);
void enqueue_to_host(void* to, const void* from, std::size_t bytes, CudaStream& stream);

/// What was enqueued on a stream once, to be enqueued again as a whole.
class CudaGraph {
  public:
    /// Calls `enqueue`, which only enqueues on that stream and does not wait.
    CudaGraph(CudaStream& stream, const std::function<void()>& enqueue);
    ~CudaGraph();
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;

    /// Ahead of the first launch, which would do it otherwise.
    void upload(CudaStream& stream);
    void launch(CudaStream& stream);

  private:
    void* executable_ = nullptr;
};

}  // namespace stencil
