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
class Base : public GpuEinsum<T> {
  public:
    explicit Base(const GpuEinsumSetting<T>& setting)
        : setting_(setting),
          memory_(std::max<std::size_t>(setting.slicing.layout().bytes, 1)),
          staged_(setting.threads, setting.between) {
        const bool blas =
            setting.slicing.any_plan([](const Plan& plan) { return multiplies_matrices(plan); });
        char* const extra = place<char>(layout().extra);
        arithmetic_ = cuda_einsum_arithmetic<T>(
            setting.stream, extra + (blas ? kCudaMatrixWorkspaceBytes : 0), blas ? extra : nullptr);
    }

  protected:
    const SliceLayout& layout() const { return setting_.slicing.layout(); }

    template <class U = T>
    U* place(std::size_t bytes) const {
        return reinterpret_cast<U*>(static_cast<char*>(memory_.data()) + bytes);
    }

    GpuEinsumSetting<T> setting_;
    CudaMemory memory_;
    StagedCopies staged_;
    std::unique_ptr<EinsumArithmetic<T>> arithmetic_;
};

template <class T>
class InPlace : public Base<T> {
  public:
    explicit InPlace(const GpuEinsumSetting<T>& setting) : Base<T>(setting) {
        setting.slicing.for_pieces([&](const Piece& piece) { whole_ = piece; });
        for (const std::size_t bytes : this->layout().operands[0])
            operands_.push_back(this->template place<>(bytes));
    }

    void upload() override {
        for (std::size_t i = 0; i < operands_.size(); ++i)
            this->staged_.send(this->setting_.slicing.operand_box(i, whole_),
                               this->setting_.operands[i],
                               const_cast<T*>(operands_[i]),
                               this->setting_.stream);
        this->setting_.stream.synchronize();
    }

    // One launch for all repetitions, or for a hundred of them: in between, the run may be cancelled.
    void run(int times) override {
        constexpr int kAtOnce = 100;
        const int together = std::min(times, kAtOnce);
        if (!sequence_ || sequence_times_ != together) {
            // Libraries set themselves up in their first call, which can't be part of a sequence.
            enqueue();
            this->setting_.stream.synchronize();
            sequence_.emplace(this->setting_.stream, [&] {
                for (int i = 0; i < together; ++i) enqueue();
            });
        }
        sequence_times_ = together;
        for (; times >= together; times -= together) {
            sequence_->launch(this->setting_.stream);
            if (times == together) return;
            this->setting_.stream.synchronize();
            this->setting_.between();
        }
        for (; times > 0; --times) enqueue();
    }

    void fetch(T* result) override {
        this->staged_.receive(this->setting_.slicing.result_box(whole_),
                              this->template place<>(this->layout().result),
                              result,
                              this->setting_.stream)();
    }

  private:
    void enqueue() {
        execute_plan<T>(this->setting_.slicing.plan(whole_),
                        *this->arithmetic_,
                        operands_,
                        this->template place<>(this->layout().scratch),
                        this->template place<>(this->layout().result));
    }

    Piece whole_;
    std::vector<const T*> operands_;
    std::optional<CudaGraph> sequence_;
    int sequence_times_ = 0;
};

/// Sends the operands of a piece while the piece before is computed.
template <class T>
class InPieces : public Base<T> {
  public:
    explicit InPieces(const GpuEinsumSetting<T>& setting)
        : Base<T>(setting), slots_(setting.operands.size()), turns_(2 * setting.operands.size()) {
        std::size_t values = 1;
        for (const std::int64_t n : setting.slicing.contraction().output_shape()) values *= std::size_t(n);
        result_.resize(values);
    }

    void upload() override {}

    void run(int times) override {
        for (int i = 0; i < times; ++i) {
            std::optional<Piece> before;
            this->setting_.slicing.for_pieces([&](const Piece& piece) {
                send_operands(piece);
                if (before && before->last_part) receive_result(*before);
                compute(piece);
                before = piece;
            });
            receive_result(*before);
        }
    }

    void fetch(T* result) override { std::ranges::copy(result_, result); }

  private:
    void send_operands(const Piece& piece) {
        const Slicing& slicing = this->setting_.slicing;
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (!piece.changed[i]) continue;
            if (slicing.is_sliced(i)) slots_[i] ^= 1;
            turns_[2 * i + slots_[i]].fill(copies_, this->setting_.stream, [&] {
                this->staged_.send(
                    slicing.operand_box(i, piece), this->setting_.operands[i], operand(i), copies_);
            });
        }
    }

    void compute(const Piece& piece) {
        std::vector<const T*> operands;
        for (std::size_t i = 0; i < slots_.size(); ++i) operands.push_back(operand(i));
        T* const result = this->template place<>(this->layout().result);
        T* const part = piece.first_part ? result : this->template place<>(this->layout().part);
        execute_plan<T>(this->setting_.slicing.plan(piece),
                        *this->arithmetic_,
                        operands,
                        this->template place<>(this->layout().scratch),
                        part);
        if (!piece.first_part)
            this->arithmetic_->add(this->setting_.slicing.result_box(piece).values(), part, result);
        for (std::size_t i = 0; i < slots_.size(); ++i)
            turns_[2 * i + slots_[i]].release(this->setting_.stream);
    }

    void receive_result(const Piece& piece) {
        this->staged_.receive(this->setting_.slicing.result_box(piece),
                              this->template place<>(this->layout().result),
                              result_.data(),
                              this->setting_.stream)();
    }

    T* operand(std::size_t i) const { return this->template place<>(this->layout().operands[slots_[i]][i]); }

    CudaStream copies_;
    std::vector<std::size_t> slots_;
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
    if (setting.slicing.is_sliced()) return std::make_unique<InPieces<T>>(setting);
    return std::make_unique<InPlace<T>>(setting);
}

template StepBytes gpu_step_bytes<float>();
template StepBytes gpu_step_bytes<double>();
template std::unique_ptr<GpuEinsum<float>> make_gpu_einsum(const GpuEinsumSetting<float>&);
template std::unique_ptr<GpuEinsum<double>> make_gpu_einsum(const GpuEinsumSetting<double>&);

}  // namespace stencil::einsum
#endif
