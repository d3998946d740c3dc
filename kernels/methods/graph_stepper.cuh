// CUDA methods that launch one kernel per step: they say how to launch one, and this batches the launches in
// a graph, because at small sizes a launch costs more than the step.
#pragma once

#include <cuda_runtime.h>

#include <utility>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/methods/stepper.h"
#include "kernels/methods/steppers.h"

namespace stencil {

/// One step of a graph: reads `from`, writes `to`. The weights are in device memory because they change from
/// batch to batch while the graph stays.
template <class T>
struct StepLaunch {
    FieldView<const T> from;
    FieldView<T> to;
    Boundary boundary;
    const StepWeights<T>* weights;
    cudaStream_t stream;
};

template <class T>
class GraphStepper : public Stepper<T> {
  public:
    explicit GraphStepper(CudaStream& stream)
        : stream_(stream), weights_(kGraphSteps * sizeof(StepWeights<T>)) {}
    ~GraphStepper() override {
        for (const Graph& graph : graphs_) cudaGraphExecDestroy(graph.executable);
    }

    void advance(FieldPair<T>& fields, Boundary boundary, ScaledSteps<T>& schedule, long long steps) final {
        while (steps > 0) {
            const int batch = int(steps < kGraphSteps ? steps : kGraphSteps);
            upload_weights(schedule, batch);
            if (batch == kGraphSteps) {
                // An even number of steps: the result is back in the same buffer.
                CUDA_CHECK(cudaGraphLaunch(graph_for(fields, boundary), cuda_handle(stream_)));
            } else {
                enqueue(fields, boundary, batch);
            }
            steps -= batch;
        }
    }

    void prepare(FieldPair<T>& fields, Boundary boundary) final {
        const cudaGraphExec_t graph = graph_for(fields, boundary);
        CUDA_CHECK(cudaGraphUpload(graph, cuda_handle(stream_)));
    }

  protected:
    /// Launches the kernel of one step.
    virtual void launch(const StepLaunch<T>& step) = 0;

  private:
    struct Graph {
        const T* front;
        Boundary boundary;
        cudaGraphExec_t executable;
    };

    void upload_weights(ScaledSteps<T>& schedule, int count) {
        host_weights_.clear();
        for (int i = 0; i < count; ++i) host_weights_.push_back(schedule.next());
        // From pageable memory this returns once the bytes are staged, and the stream keeps the order: the
        // steps before still see the old weights.
        CUDA_CHECK(cudaMemcpyAsync(weights_.data(),
                                   host_weights_.data(),
                                   std::size_t(count) * sizeof(StepWeights<T>),
                                   cudaMemcpyHostToDevice,
                                   cuda_handle(stream_)));
    }

    void enqueue(FieldPair<T>& fields, Boundary boundary, int steps) {
        const auto* weights = static_cast<const StepWeights<T>*>(weights_.data());
        for (int i = 0; i < steps; ++i) {
            launch({fields.front, fields.back, boundary, weights + i, cuda_handle(stream_)});
            fields.swap();
        }
    }

    cudaGraphExec_t graph_for(FieldPair<T>& fields, Boundary boundary) {
        for (const Graph& graph : graphs_)
            if (graph.front == fields.front.data && graph.boundary == boundary) return graph.executable;
        CUDA_CHECK(cudaStreamBeginCapture(cuda_handle(stream_), cudaStreamCaptureModeThreadLocal));
        enqueue(fields, boundary, kGraphSteps);
        cudaGraph_t captured = nullptr;
        CUDA_CHECK(cudaStreamEndCapture(cuda_handle(stream_), &captured));
        cudaGraphExec_t executable = nullptr;
        const cudaError_t error = cudaGraphInstantiate(&executable, captured, 0);
        cudaGraphDestroy(captured);
        CUDA_CHECK(error);
        graphs_.push_back({fields.front.data, boundary, executable});
        return executable;
    }

    CudaStream& stream_;
    CudaMemory weights_;
    std::vector<StepWeights<T>> host_weights_;
    std::vector<Graph> graphs_;
};

}  // namespace stencil
