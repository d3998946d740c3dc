#include "sim/examples/einsum/gpu_einsum.h"

#if STENCILSCOPE_HAS_CUDA
#include <algorithm>
#include <utility>

#include "sim/examples/arrays/arrays.h"

namespace stencil::einsum {

template <class T>
GpuParts<T>::GpuParts(DeviceArena& arena, const Plan& plan) {
    for (std::size_t i = 0; i < plan.operands; ++i) operands.push_back(arena.take<T>(plan.tensors[i].values));
    result = arena.take<T>(plan.tensors.back().values);
    scratch = arena.take<T>(plan.scratch_values);
    std::size_t sum_bytes = 0;
    bool matrices = false;
    for (const PlanStep& step : plan.steps) {
        matrices |= std::holds_alternative<MatrixProductShape>(step.shape);
        if (const auto* sum = std::get_if<SumShape>(&step.shape))
            sum_bytes = std::max(sum_bytes, cuda_sum_scratch_bytes<T>(*sum));
    }
    if (matrices) workspace = arena.take<std::byte>(std::int64_t(kCudaMatrixWorkspaceBytes));
    sums = arena.take<std::byte>(std::int64_t(sum_bytes));
}

template <class T>
GpuEinsum<T>::GpuEinsum(const Plan& plan, CudaStream& stream, std::function<void()> between)
    : plan_(plan),
      stream_(stream),
      between_(std::move(between)),
      memory_(std::max<std::size_t>(arena_bytes<GpuParts<T>>(plan), 1)),
      parts_(in_arena<GpuParts<T>>(memory_, plan)),
      arithmetic_(cuda_einsum_arithmetic<T>(stream, parts_.sums, parts_.workspace)) {}

template <class T>
void GpuEinsum<T>::upload(std::span<const T* const> operands) {
    for (std::size_t i = 0; i < operands.size(); ++i)
        copy_in_parts(between_,
                      enqueue_to_device,
                      parts_.operands[i],
                      operands[i],
                      double(plan_.tensors[i].values) * sizeof(T),
                      stream_);
}

// One launch for all repetitions, or for a hundred of them: in between, the run may be cancelled.
template <class T>
void GpuEinsum<T>::run(int times) {
    constexpr int kLaunchedTogether = 100;
    const int together = std::min(times, kLaunchedTogether);
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
    copy_in_parts(between_,
                  enqueue_to_host,
                  result,
                  parts_.result,
                  double(plan_.tensors.back().values) * sizeof(T),
                  stream_);
}

template <class T>
void GpuEinsum<T>::compute() {
    const std::vector<const T*> operands(parts_.operands.begin(), parts_.operands.end());
    execute_plan<T>(plan_, *arithmetic_, operands, parts_.scratch, parts_.result);
}

template struct GpuParts<float>;
template struct GpuParts<double>;
template class GpuEinsum<float>;
template class GpuEinsum<double>;

}  // namespace stencil::einsum
#endif
