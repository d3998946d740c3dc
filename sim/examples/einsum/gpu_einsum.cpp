#include "sim/examples/einsum/gpu_einsum.h"

#if STENCILSCOPE_HAS_CUDA
#include <algorithm>
#include <optional>

#include "kernels/cuda/staged_copies.h"

namespace stencil::einsum {
namespace {

bool multiplies_matrices(const Plan& plan) {
    return std::ranges::any_of(plan.steps, [](const PlanStep& step) {
        return std::holds_alternative<MatrixProductShape>(step.shape);
    });
}

template <class T>
class SlicedEinsum : public GpuEinsum<T> {
  public:
    explicit SlicedEinsum(const GpuEinsumSetting<T>& setting)
        : setting_(setting),
          slicing_(setting.slicing),
          layout_(slicing_.layout()),
          memory_(std::max<std::size_t>(layout_.bytes, 1)),
          staged_(setting.threads, setting.between),
          slots_(setting.operands.size()),
          turns_(slicing_.is_sliced() ? 2 * slots_.size() : 0) {
        const bool blas = slicing_.any_plan([](const Plan& plan) { return multiplies_matrices(plan); });
        char* const extra = static_cast<char*>(memory_.data()) + layout_.extra;
        arithmetic_ = cuda_einsum_arithmetic<T>(
            setting.stream, extra + (blas ? kCudaMatrixWorkspaceBytes : 0), blas ? extra : nullptr);
        if (slicing_.is_sliced())
            result_.resize(std::size_t(product_of(slicing_.contraction().output_shape())));
        else
            slicing_.for_pieces([&](const Piece& piece) { whole_ = piece; });
    }

    void upload() override {
        if (slicing_.is_sliced()) return;
        for (std::size_t i = 0; i < slots_.size(); ++i)
            staged_.send(slicing_.operand_box(i, whole_), setting_.operands[i], operand(i), setting_.stream);
        setting_.stream.synchronize();
    }

    void run(int times) override {
        if (!slicing_.is_sliced()) return run_in_place(times);
        for (int i = 0; i < times; ++i) run_in_pieces();
    }

    void fetch(T* result) override {
        if (slicing_.is_sliced())
            std::ranges::copy(result_, result);
        else
            receive_result(whole_, result);
    }

  private:
    // One launch for all repetitions, or for a hundred of them: in between, the run may be cancelled.
    void run_in_place(int times) {
        constexpr int kAtOnce = 100;
        const int together = std::min(times, kAtOnce);
        if (!sequence_ || sequence_times_ != together) {
            // Libraries set themselves up in their first call, which can't be part of a sequence.
            compute(whole_);
            setting_.stream.synchronize();
            sequence_.emplace(setting_.stream, [&] {
                for (int i = 0; i < together; ++i) compute(whole_);
            });
        }
        sequence_times_ = together;
        for (; times >= together; times -= together) {
            sequence_->launch(setting_.stream);
            if (times == together) return;
            setting_.stream.synchronize();
            setting_.between();
        }
        for (; times > 0; --times) compute(whole_);
    }

    // Sends the operands of a piece while the piece before is computed.
    void run_in_pieces() {
        std::optional<Piece> before;
        slicing_.for_pieces([&](const Piece& piece) {
            send_operands(piece);
            if (before && before->last_part) receive_result(*before, result_.data());
            compute(piece);
            before = piece;
        });
        receive_result(*before, result_.data());
    }

    void send_operands(const Piece& piece) {
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (!piece.changed[i]) continue;
            if (slicing_.is_sliced(i)) slots_[i] ^= 1;
            turns_[2 * i + slots_[i]].fill(copies_, setting_.stream, [&] {
                staged_.send(slicing_.operand_box(i, piece), setting_.operands[i], operand(i), copies_);
            });
        }
    }

    void compute(const Piece& piece) {
        std::vector<const T*> operands;
        for (std::size_t i = 0; i < slots_.size(); ++i) operands.push_back(operand(i));
        T* const result = place(layout_.result);
        T* const part = piece.first_part ? result : place(layout_.part);
        execute_plan<T>(slicing_.plan(piece), *arithmetic_, operands, place(layout_.scratch), part);
        if (!piece.first_part) arithmetic_->add(slicing_.result_box(piece).values(), part, result);
        if (!slicing_.is_sliced()) return;
        for (std::size_t i = 0; i < slots_.size(); ++i) turns_[2 * i + slots_[i]].release(setting_.stream);
    }

    void receive_result(const Piece& piece, T* to) {
        staged_.receive(slicing_.result_box(piece), place(layout_.result), to, setting_.stream)();
    }

    T* place(std::size_t bytes) const {
        return reinterpret_cast<T*>(static_cast<char*>(memory_.data()) + bytes);
    }
    T* operand(std::size_t i) const { return place(layout_.operands[slots_[i]][i]); }

    GpuEinsumSetting<T> setting_;
    const Slicing& slicing_;
    const SliceLayout& layout_;
    CudaMemory memory_;
    StagedCopies staged_;
    CudaStream copies_;
    std::unique_ptr<EinsumArithmetic<T>> arithmetic_;

    Piece whole_;  // where nothing is cut, with its launch of several repetitions
    std::optional<CudaGraph> sequence_;
    int sequence_times_ = 0;

    std::vector<std::size_t> slots_;  // of two, where each operand is
    std::vector<BufferTurns> turns_;
    std::vector<T> result_;
};

}  // namespace

template <class T>
StepBytes gpu_step_bytes() {
    return [](const Plan& plan) {
        std::size_t sums = 0;
        for (const PlanStep& step : plan.steps)
            if (const auto* sum = std::get_if<SumShape>(&step.shape))
                sums = std::max(sums, cuda_sum_scratch_bytes<T>(*sum));
        return sums + (multiplies_matrices(plan) ? kCudaMatrixWorkspaceBytes : 0);
    };
}

template <class T>
std::unique_ptr<GpuEinsum<T>> make_gpu_einsum(const GpuEinsumSetting<T>& setting) {
    return std::make_unique<SlicedEinsum<T>>(setting);
}

template StepBytes gpu_step_bytes<float>();
template StepBytes gpu_step_bytes<double>();
template std::unique_ptr<GpuEinsum<float>> make_gpu_einsum(const GpuEinsumSetting<float>&);
template std::unique_ptr<GpuEinsum<double>> make_gpu_einsum(const GpuEinsumSetting<double>&);

}  // namespace stencil::einsum
#endif
