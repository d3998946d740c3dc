#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "kernels/cpu/thread_pool.h"
#include "kernels/field/padded_rows.h"
#include "kernels/view/cpu_view.h"
#include "kernels/view/quantity_at.h"
#include "sim/run/solvers/solver.h"

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

/// What CPU solvers of either precision tell each other.
class CpuNeighbour : public Solver {
  public:
    using Solver::Solver;
    virtual void copy_field(FieldView<double> out) const = 0;
};

template <class T>
class CpuSolver : public CpuNeighbour {
  public:
    explicit CpuSolver(const SolverSetup& setup)
        : CpuNeighbour(setup),
          threads_(setup.threads),
          front_(PaddedRows<T>::cells(setup.nx, setup.ny)),
          back_(PaddedRows<T>::cells(setup.nx, setup.ny)),
          stepper_(make_stepper<T>(*setup.method, {&threads_, nullptr}, {setup.nx, setup.ny})) {
        fields_.front = PaddedRows<T>::view(front_.data(), setup.nx, setup.ny);
        fields_.back = PaddedRows<T>::view(back_.data(), setup.nx, setup.ny);
        // Every page is there before the first step.
        clear(front_);
        clear(back_);
    }

    void load_field(const Field& start) override {
        start.visit([&](const auto& cells) {
            for_rows([&, from = cells.view()](int y) {
                std::transform(from.row(y), from.row(y) + setup_.nx, fields_.front.row(y), [](auto value) {
                    return T(value);
                });
            });
        });
        stepper_->restart();
        stepper_->prepare(fields_, setup_.params.boundary);
    }

    void set_params(const DiffusionParams& params) override {
        if (params.boundary != setup_.params.boundary) stepper_->prepare(fields_, params.boundary);
        setup_.params = params;
    }

    void advance_by(long long steps) override {
        const auto start = std::chrono::steady_clock::now();
        stepper_->advance(fields_, setup_.params, steps);
        seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    double wait() override { return std::exchange(seconds_, 0.0); }

    // The state may be in float64 whatever the setup's precision is.
    Field field() override {
        Field result(setup_.dtype, setup_.nx, setup_.ny);
        result.visit([&](auto& cells) { read(view_of(Quantity::value), cells.view()); });
        return result;
    }

    // Of the field that field() gives, also where the state is more precise than that.
    Field laplacian() override {
        Field result(setup_.dtype, setup_.nx, setup_.ny);
        if (setup_.dtype == dtype_of<T>) {
            result.visit([&](auto& cells) { read(view_of(Quantity::laplacian), cells.view()); });
            return result;
        }
        const Field rounded = field();
        const FieldView<const float> cells = rounded.as<float>().view();
        const CpuView<float> view{{cells, setup_.params.boundary, {}}, Quantity::laplacian, threads_};
        read(view, result.as<float>().view());
        return result;
    }

    void set_base(const Field& base) override {
        base.visit([&](const auto& cells) {
            const auto from = cells.view();
            make_base();
            for_rows([&](int y) { std::copy_n(from.row(y), setup_.nx, base_.view().row(y)); });
        });
    }

    void set_base(Solver& other) override {
        make_base();
        dynamic_cast<const CpuNeighbour&>(other).copy_field(base_.view());
    }

    void copy_field(FieldView<double> out) const override { read(view_of(Quantity::value), out); }

    void resample(Quantity quantity, const ResampleRequest& request, bool, Pixels& out) override {
        const std::size_t size = std::size_t(request.width) * std::size_t(request.height);
        if (out.host.size() < size) out.host.resize(size);
        out.width = request.width;
        out.height = request.height;
        out.on_device = false;
        stencil::resample(view_of(quantity), request, out.host.data());
    }

    Statistics statistics(Quantity quantity) override { return stencil::statistics(view_of(quantity)); }

    double norm(Quantity quantity) override { return stencil::norm(view_of(quantity)); }

    std::vector<double> percentiles(Quantity quantity, std::span<const double> q) override {
        return stencil::percentiles(view_of(quantity), q);
    }

    std::vector<std::uint64_t> histogram(Quantity quantity, double low, double high, int bins) override {
        return stencil::histogram(view_of(quantity), {low, high, bins});
    }

    std::vector<double> sample(Quantity quantity, std::span<const SamplePoint> points, bool smooth) override {
        return stencil::sample(view_of(quantity), points, smooth);
    }

    void paint_piece(const BrushPiece& piece) override {
        stencil::paint(stepper_->plain(fields_.front), piece, threads_);
    }

    double largest_value(const DiffusionParams& params) const override {
        return stepper_->largest_value(params);
    }

    std::unique_ptr<SavedState> save() override {
        auto saved = std::make_unique<CpuState>();
        saved->inner = inner();
        saved->step = step_;
        return saved;
    }

    void restore(const SavedState& state) override {
        const auto& saved = dynamic_cast<const CpuState&>(state);
        if (!take_inner(saved.inner)) throw std::logic_error("a state of another kind of solver");
        step_ = saved.step;
        forget_largest();
    }

    InnerState inner() override {
        InnerState state;
        Array<T> cells(setup_.nx, setup_.ny);
        for_rows([&](int y) { std::copy_n(fields_.front.row(y), setup_.nx, cells.view().row(y)); });
        state.arrays.emplace("stored", std::move(cells));
        state.numbers = stepper_->numbers();
        return state;
    }

    bool take_inner(const InnerState& inner) override {
        const Array<T>* cells = stored_array<T>(inner, setup_.nx, setup_.ny);
        if (!cells || !stepper_->resume(inner.numbers)) return false;
        for_rows([&](int y) { std::copy_n(cells->view().row(y), setup_.nx, fields_.front.row(y)); });
        return true;
    }

  private:
    template <class F>
    void for_rows(F&& f) const {
        threads_.for_ranges(setup_.ny, [&](std::int64_t begin, std::int64_t end) {
            for (int y = int(begin); y < int(end); ++y) f(y);
        });
    }

    void make_base() {
        if (base_.size() == 0) base_ = Array<double>(setup_.nx, setup_.ny);
    }

    CpuView<T> view_of(Quantity quantity) const {
        if (needs_base(quantity) && base_.size() == 0)
            throw std::logic_error("a solver without a base field");
        return {{stepper_->plain(fields_.front), setup_.params.boundary, base_.view()}, quantity, threads_};
    }

    void clear(AlignedBuffer<T>& buffer) {
        threads_.for_ranges(std::int64_t(buffer.size()), [&](std::int64_t begin, std::int64_t end) {
            std::fill(buffer.data() + begin, buffer.data() + end, T(0));
        });
    }

    mutable ThreadPool threads_;
    AlignedBuffer<T> front_;
    AlignedBuffer<T> back_;
    FieldPair<T> fields_;
    std::unique_ptr<Stepper<T>> stepper_;
    Array<double> base_;  ///< empty until it is needed
    double seconds_ = 0;
};

}  // namespace

std::unique_ptr<Solver> make_cpu_solver(const SolverSetup& setup) {
    if (setup.method->float64_state || setup.dtype == DType::float64)
        return std::make_unique<CpuSolver<double>>(setup);
    return std::make_unique<CpuSolver<float>>(setup);
}

}  // namespace stencil
