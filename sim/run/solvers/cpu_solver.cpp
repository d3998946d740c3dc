#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/field/padded_rows.h"
#include "sim/run/solvers/cpu_view_solver.h"

namespace stencil {
namespace {

struct CpuState : SavedState {
    std::size_t bytes() const override {
        const Field& stored = inner.arrays.at("stored");
        return stored.size() * bytes_of(stored.dtype());
    }

    InnerState inner;
    long long step = 0;
};

template <class T>
class CpuSolver : public CpuViewSolver<T> {
  public:
    explicit CpuSolver(const SolverSetup& setup)
        : CpuViewSolver<T>(setup),
          front_(PaddedRows<T>::cells(setup.nx, setup.ny)),
          back_(PaddedRows<T>::cells(setup.nx, setup.ny)),
          stepper_(
              make_stepper<T>(*setup.method, {&threads_, nullptr, setup.strips}, setup.stepped_shape())) {
        fields_.front = PaddedRows<T>::view(front_.data(), setup.nx, setup.ny);
        fields_.back = PaddedRows<T>::view(back_.data(), setup.nx, setup.ny);
        // Every page is there before the first step.
        clear(front_);
        clear(back_);
    }

    void load_fields(const RowSource& start) override {
        this->fill({fields_.front}, start, 0);
        stepper_->restart();
        stepper_->prepare(fields_, setup_.params.boundary);
        halo_.spoil();
    }

    void set_params(const StepParameters& params) override {
        if (params.boundary != setup_.params.boundary) stepper_->prepare(fields_, params.boundary);
        setup_.params = params;
    }

    void advance_by(long long steps) override {
        const auto start = std::chrono::steady_clock::now();
        if (setup_.method->jumps)
            jump(steps);
        else
            halo_.advance(
                steps,
                1,
                0,
                [this](long long some) { stepper_->advance(fields_, setup_.params, some); },
                [this] { return stored(); });
        this->seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    // Of the field that field() gives, also where the state is more precise than that.
    Field laplacian() override {
        if (setup_.dtype == dtype_of<T>) return this->copy_of(Quantity::laplacian);
        Quantity quantity = Quantity::laplacian;
        refresh_halo();
        const QuantitySource<T> source = source_of(quantity);
        Array<float> cells(setup_.nx, setup_.ny), result(setup_.nx, setup_.ny);
        read(CpuView<T>{source, Quantity::value, threads_}, cells.view());
        const FieldView<const float> rounded = cells.view();
        const QuantitySource<float> of_rounded{rounded, setup_.params.boundary, {}};
        read(CpuView<float>{of_rounded, Quantity::laplacian, threads_}, result.view());
        if (setup_.slab.whole()) return result;
        Array<float> own_rows(setup_.nx, setup_.own_rows());
        copy_cells(own(result.view()), own_rows.view());
        return own_rows;
    }

    void paint_piece(const BrushPiece& piece, std::size_t) override {
        stencil::paint(own(stepper_->plain(fields_.front)), piece, threads_, this->first_row());
        halo_.spoil();
    }

    double largest_value(const StepParameters& params) const override {
        return stepper_->largest_value(params);
    }

    std::unique_ptr<SavedState> save() override {
        auto saved = std::make_unique<CpuState>();
        saved->inner = inner(true);
        saved->step = step_;
        return saved;
    }

    void restore(const SavedState& state) override {
        const auto& saved = dynamic_cast<const CpuState&>(state);
        const Field& cells = saved.inner.arrays.at("stored");
        if (!stepper_->resume(saved.inner.numbers) || cells.dtype() != dtype_of<T>)
            throw std::logic_error("a state of another kind of solver");
        this->copy_array(cells.as<T>().view(), own(fields_.front));
        step_ = saved.step;
        halo_.spoil();
        this->forget_largest();
    }

    InnerState inner(bool with_cells) override {
        InnerState state;
        Array<T> cells(with_cells ? setup_.nx : 0, with_cells ? setup_.own_rows() : 0);
        if (with_cells) this->copy_array(own(fields_.front), cells.view());
        state.arrays.emplace("stored", std::move(cells));
        state.numbers = stepper_->numbers();
        return state;
    }

    bool take_inner(const InnerRows& inner) override {
        const auto cells = inner.find("stored");
        if (!cells || !this->matches(inner.arrays, *cells, dtype_of<T>) || !stepper_->resume(inner.numbers))
            return false;
        this->fill({fields_.front}, inner.arrays, *cells);
        halo_.spoil();
        return true;
    }

  private:
    void jump(long long steps) {
        FieldPair<T> own_rows{own(fields_.front), own(fields_.back)};
        stepper_->advance(own_rows, setup_.params, steps);
        halo_.spoil();
    }
    void refresh_halo() override {
        halo_.refresh([this] { return stored(); });
    }
    QuantitySource<T> source_of(Quantity&) override {
        return {stepper_->plain(fields_.front), setup_.params.boundary, {}};
    }

    std::array<HaloRows, 1> stored() const {
        return {HaloRows{fields_.front.data, std::size_t(fields_.front.pitch) * sizeof(T)}};
    }

    void clear(AlignedBuffer<T>& buffer) {
        threads_.for_ranges(std::int64_t(buffer.size()), [&](std::int64_t begin, std::int64_t end) {
            std::fill(buffer.data() + begin, buffer.data() + end, T(0));
        });
    }

    using CpuViewSolver<T>::setup_;
    using CpuViewSolver<T>::step_;
    using CpuViewSolver<T>::threads_;
    using CpuViewSolver<T>::own;

    AlignedBuffer<T> front_;
    AlignedBuffer<T> back_;
    FieldPair<T> fields_;
    std::unique_ptr<Stepper<T>> stepper_;
    HaloKeeper halo_{setup_.halo, nullptr};
};

}  // namespace

std::unique_ptr<Solver> make_cpu_solver(const SolverSetup& setup) {
    if (setup.method->float64_state || setup.dtype == DType::float64)
        return std::make_unique<CpuSolver<double>>(setup);
    return std::make_unique<CpuSolver<float>>(setup);
}

}  // namespace stencil
