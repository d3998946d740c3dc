// Stepper of the CUDA methods with one kernel per step. It batches the launches in a CUDA graph, because at
// small sizes a launch takes longer than the step.

#include <map>
#include <memory>
#include <utility>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_queue.h"
#include "kernels/methods/scaled_stepper.h"
#include "kernels/methods/steppers.h"

namespace stencil {
namespace {

// The weights of a batch as a kernel parameter: a launch copies its parameters, so no host memory has to
// stay unchanged until the stream reaches it.
template <class T>
struct WeightBatch {
    StepWeights<T> steps[kGraphSteps];
};

template <class T>
__global__ void store_weights_kernel(const __grid_constant__ WeightBatch<T> batch, StepWeights<T>* to) {
    to[threadIdx.x] = batch.steps[threadIdx.x];
}

template <class T>
class GraphStepper : public ScaledStepper<T> {
  public:
    using Launch = decltype(&launch_naive<T>);

    GraphStepper(CudaStream& stream, Launch launch)
        : stream_(stream), launch_(launch), weights_(kGraphSteps * sizeof(StepWeights<T>)) {}

    void prepare(FieldPair<T>& fields, Boundary boundary) final {
        graph_for(fields, boundary).upload(stream_);
    }

  protected:
    void step(FieldPair<T>& fields, Boundary boundary, long long steps) final {
        while (steps > 0) {
            const int batch = int(steps < kGraphSteps ? steps : kGraphSteps);
            upload_weights(batch);
            if (batch == kGraphSteps) {
                // kGraphSteps is even, so the result is in the same buffer again.
                graph_for(fields, boundary).launch(stream_);
            } else {
                enqueue(fields, boundary, batch);
            }
            steps -= batch;
        }
    }
    void step_plainly(FieldPair<T>& fields, const DiffusionParams& params, long long steps) override {
        step_plainly_on(stream_, fields, params, steps);
    }

  private:
    void upload_weights(int count) {
        WeightBatch<T> batch{};
        for (int i = 0; i < count; ++i) batch.steps[i] = this->schedule().next();
        auto* const to = static_cast<StepWeights<T>*>(weights_.data());
        store_weights_kernel<<<1, kGraphSteps, 0, cuda_handle(stream_)>>>(batch, to);
        check_launch("store_weights_kernel");
    }

    void enqueue(FieldPair<T>& fields, Boundary boundary, int steps) {
        const auto* weights = static_cast<const StepWeights<T>*>(weights_.data());
        for (int i = 0; i < steps; ++i) {
            launch_(fields.front, fields.back, boundary, weights + i, stream_);
            fields.swap();
        }
    }

    CudaGraph& graph_for(const FieldPair<T>& fields, Boundary boundary) {
        const auto key = std::pair<const T*, Boundary>(fields.front.data, boundary);
        const auto found = graphs_.find(key);
        if (found != graphs_.end()) return found->second;
        // Swaps a copy, because a failed capture would otherwise leave the buffers swapped.
        const auto capture = [&, pair = fields]() mutable { enqueue(pair, boundary, kGraphSteps); };
        return graphs_.try_emplace(key, stream_, capture).first->second;
    }

    CudaStream& stream_;
    Launch launch_;
    // In device memory because they change from batch to batch, while the graph stays the same.
    CudaMemory weights_;
    std::map<std::pair<const T*, Boundary>, CudaGraph>
        graphs_;  ///< keyed by the front buffer and the boundary
};

}  // namespace

template <class T>
void step_plainly_on(CudaStream& stream,
                     FieldPair<T>& fields,
                     const DiffusionParams& params,
                     long long steps) {
    for (; steps > 0; --steps) {
        launch_plain<T>(fields.front, fields.back, params.boundary, params.coefficient, stream);
        fields.swap();
    }
}

template void step_plainly_on(CudaStream&, FieldPair<float>&, const DiffusionParams&, long long);
template void step_plainly_on(CudaStream&, FieldPair<double>&, const DiffusionParams&, long long);

template <class T>
std::unique_ptr<Stepper<T>> make_naive(const ExecutionSpace& execution, FieldShape) {
    return std::make_unique<GraphStepper<T>>(*execution.stream, launch_naive<T>);
}
template <class T>
std::unique_ptr<Stepper<T>> make_tiled(const ExecutionSpace& execution, FieldShape) {
    return std::make_unique<GraphStepper<T>>(*execution.stream, launch_tiled<T>);
}

template std::unique_ptr<Stepper<float>> make_naive<float>(const ExecutionSpace&, FieldShape);
template std::unique_ptr<Stepper<double>> make_naive<double>(const ExecutionSpace&, FieldShape);
template std::unique_ptr<Stepper<float>> make_tiled<float>(const ExecutionSpace&, FieldShape);
template std::unique_ptr<Stepper<double>> make_tiled<double>(const ExecutionSpace&, FieldShape);

}  // namespace stencil
