#include "sim/examples/einsum/gpu_einsum.h"

#if STENCILSCOPE_HAS_CUDA
#include <algorithm>
#include <utility>

#include "kernels/field/divide.h"

namespace stencil::einsum {
namespace {

constexpr std::size_t kBoundary = 256;

ArrayBox all_of(const PlanTensor& tensor) {
    const std::int64_t begin = 0;
    return {{&tensor.values, 1}, {&begin, 1}, {&tensor.values, 1}};
}

}  // namespace

template <class T>
GpuLayout gpu_layout(const Plan& plan) {
    GpuLayout layout;
    const auto take = [&](std::size_t bytes) {
        const std::size_t place = layout.bytes;
        layout.bytes += round_up(bytes, kBoundary);
        return place;
    };
    const auto take_values = [&](std::int64_t values) { return take(std::size_t(values) * sizeof(T)); };
    for (std::size_t i = 0; i < plan.operands; ++i)
        layout.operands.push_back(take_values(plan.tensors[i].values));
    layout.result = take_values(plan.tensors.back().values);
    layout.scratch = take_values(plan.scratch_values);
    std::size_t sums = 0;
    for (const PlanStep& step : plan.steps) {
        layout.multiplies_matrices |= std::holds_alternative<MatrixProductShape>(step.shape);
        if (const auto* sum = std::get_if<SumShape>(&step.shape))
            sums = std::max(sums, cuda_sum_scratch_bytes<T>(*sum));
    }
    layout.workspace = take(layout.multiplies_matrices ? kCudaMatrixWorkspaceBytes : 0);
    layout.sums = take(sums);
    return layout;
}

template <class T>
GpuEinsum<T>::GpuEinsum(const Plan& plan,
                        CudaStream& stream,
                        ThreadPool& threads,
                        std::function<void()> between)
    : plan_(plan),
      stream_(stream),
      between_(std::move(between)),
      layout_(gpu_layout<T>(plan)),
      memory_(std::max<std::size_t>(layout_.bytes, 1)),
      staged_(threads, between_),
      arithmetic_(cuda_einsum_arithmetic<T>(
          stream, at(layout_.sums), layout_.multiplies_matrices ? at(layout_.workspace) : nullptr)) {}

template <class T>
void GpuEinsum<T>::upload(std::span<const T* const> operands) {
    for (std::size_t i = 0; i < operands.size(); ++i)
        staged_.send(all_of(plan_.tensors[i]), operands[i], at(layout_.operands[i]), stream_);
    stream_.synchronize();
}

// One launch for all repetitions, or for a hundred of them: in between, the run may be cancelled.
template <class T>
void GpuEinsum<T>::run(int times) {
    constexpr int kAtOnce = 100;
    const int together = std::min(times, kAtOnce);
    if (!sequence_ || sequence_times_ != together) {
        // Libraries set themselves up in their first call, which can't be part of a sequence.
        compute();
        stream_.synchronize();
        sequence_.emplace(stream_, [&] {
            for (int i = 0; i < together; ++i) compute();
        });
    }
    sequence_times_ = together;
    for (; times >= together; times -= together) {
        sequence_->launch(stream_);
        if (times == together) return;
        stream_.synchronize();
        between_();
    }
    for (; times > 0; --times) compute();
}

template <class T>
void GpuEinsum<T>::fetch(T* result) {
    staged_.receive(all_of(plan_.tensors.back()), at(layout_.result), result, stream_)();
}

template <class T>
void GpuEinsum<T>::compute() {
    std::vector<const T*> operands;
    for (const std::size_t place : layout_.operands) operands.push_back(at(place));
    execute_plan<T>(plan_, *arithmetic_, operands, at(layout_.scratch), at(layout_.result));
}

template GpuLayout gpu_layout<float>(const Plan&);
template GpuLayout gpu_layout<double>(const Plan&);
template class GpuEinsum<float>;
template class GpuEinsum<double>;

}  // namespace stencil::einsum
#endif
