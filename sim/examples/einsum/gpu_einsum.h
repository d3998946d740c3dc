// An einsum on the GPU: operands, intermediates and the result in one arena.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_queue.h"
#include "kernels/cuda/device_arena.h"
#include "sim/examples/arrays/arrays.h"
#include "sim/examples/einsum/plan.h"

namespace stencil::einsum {

/// Bytes that a plan takes on the device, for elements of T, float or double.
template <class T>
struct GpuParts {
    std::vector<T*> operands;
    T *result, *scratch;
    void* workspace = nullptr;  ///< of cuBLAS, where matrices are multiplied
    void* sums;                 ///< what sums need beside their tensors

    GpuParts(DeviceArena& arena, const Plan& plan) {
        for (std::size_t i = 0; i < plan.operands; ++i)
            operands.push_back(arena.take<T>(plan.tensors[i].values));
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
};

template <class T>
class GpuEinsum {
  public:
    /// Allocates arena_bytes<GpuParts<T>>(plan). `between` is called between parts of copies and between
    /// launches, and may throw. All arguments must outlive it. Throws CudaError, and MissingLibrary.
    GpuEinsum(const Plan& plan, CudaStream& stream, std::function<void()> between)
        : plan_(plan),
          stream_(stream),
          between_(std::move(between)),
          memory_(std::max<std::size_t>(arena_bytes<GpuParts<T>>(plan), 1)),
          parts_(in_arena<GpuParts<T>>(memory_, plan)),
          arithmetic_(cuda_einsum_arithmetic<T>(stream, parts_.sums, parts_.workspace)) {}

    /// Brings the operands to the device.
    void upload(std::span<const T* const> operands) {
        for (std::size_t i = 0; i < operands.size(); ++i)
            copy(enqueue_to_device, parts_.operands[i], operands[i], plan_.tensors[i].values);
    }

    /// Enqueues it the given number of times, always the same: in one launch, or in several of a hundred; in
    /// between, the run may be cancelled.
    void run(int times) {
        constexpr int kLaunchedTogether = 100;
        const int together = std::min(times, kLaunchedTogether);
        if (!sequence_) {
            // Libraries set themselves up in their first call, which can't be part of a sequence.
            compute();
            stream_.synchronize();
            sequence_.emplace(stream_, [&] {
                for (int i = 0; i < together; ++i) compute();
            });
        }
        for (; times > together; times -= together) {
            sequence_->launch(stream_);
            stream_.synchronize();
            between_();
        }
        if (times == together) return sequence_->launch(stream_);
        for (; times > 0; --times) compute();
    }

    /// The result, as many values as the plan's last tensor has.
    void fetch(T* result) { copy(enqueue_to_host, result, parts_.result, plan_.tensors.back().values); }

  private:
    void copy(auto enqueue, T* to, const T* from, std::int64_t values) {
        copy_in_parts(between_, enqueue, to, from, double(values) * sizeof(T), stream_);
    }
    void compute() {
        const std::vector<const T*> operands(parts_.operands.begin(), parts_.operands.end());
        execute_plan<T>(plan_, *arithmetic_, operands, parts_.scratch, parts_.result);
    }

    const Plan& plan_;
    CudaStream& stream_;
    std::function<void()> between_;
    CudaMemory memory_;
    GpuParts<T> parts_;
    std::unique_ptr<EinsumArithmetic<T>> arithmetic_;
    std::optional<CudaGraph> sequence_;  ///< several repetitions
};

}  // namespace stencil::einsum
