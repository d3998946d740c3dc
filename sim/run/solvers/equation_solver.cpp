// Typed equations on the CPU.
#include <chrono>
#include <limits>
#include <memory>
#include <stdexcept>

#include "kernels/equation/equation_stepper.h"
#include "sim/run/solvers/cpu_view_solver.h"
#include "sim/run/solvers/typed_run.h"

namespace stencil {
namespace {

using equation::EquationStepper;

struct EquationState : SavedState {
    std::size_t bytes() const override {
        std::size_t sum = 0;
        for (const Field& field : fields) sum += field.size() * bytes_of(field.dtype());
        return sum;
    }

    std::vector<Field> fields;  ///< in the stepper's precision
    equation::Clock clock;
    long long step = 0;
};

template <class T>
class EquationSolver : public CpuViewSolver<T> {
  public:
    explicit EquationSolver(const SolverSetup& setup)
        : CpuViewSolver<T>(setup),
          run_(*setup.typed),
          stepper_(make_program(run_.equations, run_.scheme, kFloat64), equation_setup(setup), threads_),
          shown_(run_, run_.equations.components.front().name) {
        load_data(stepper_);
    }

    void load_fields(std::span<const Field> start) override {
        copy_in(start);
        stepper_.restart(step_, double(step_) * setup_.params.dt);
    }

    std::vector<Field> fields() override { return copies(setup_.dtype); }

    void set_params(const StepParameters& params) override {
        setup_.params = params;
        stepper_.set_dt(params.dt);
        stepper_.set_parameters(params.values);
        changed();
    }

    void show(const std::string& formula) override {
        shown_ = Shown(run_, formula);
        value_.reset();
        laplacian_.reset();
    }

    void advance_by(long long steps) override {
        const auto start = std::chrono::steady_clock::now();
        stepper_.advance(steps);
        this->seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        changed();
    }

    void paint_piece(const BrushPiece& piece, std::size_t component) override {
        stencil::paint(PlainView<T>(stepper_.component(int(component))), piece, threads_);
        changed();
    }

    double largest_value(const StepParameters&) const override {
        return std::numeric_limits<double>::infinity();
    }

    std::unique_ptr<SavedState> save() override {
        auto saved = std::make_unique<EquationState>();
        saved->fields = copies(dtype_of<T>);
        saved->clock = stepper_.clock();
        saved->step = step_;
        return saved;
    }

    void restore(const SavedState& state) override {
        const auto& saved = dynamic_cast<const EquationState&>(state);
        step_ = saved.step;
        copy_in(saved.fields);
        stepper_.resume(saved.clock, step_);
        this->forget_largest();
    }

    InnerState inner() override {
        InnerState state;
        state.numbers = numbers_of(stepper_.clock());
        // In the setup's precision the plain fields say the rest.
        if (setup_.dtype == dtype_of<T>) return state;
        auto all = copies(dtype_of<T>);
        for (std::size_t c = 0; c < all.size(); ++c) state.arrays.emplace(array_name(c), std::move(all[c]));
        return state;
    }

    bool take_inner(const InnerState& inner) override {
        const auto clock = clock_of(inner.numbers);
        if (!clock) return false;
        for (std::size_t c = 0; c < components() && !inner.arrays.empty(); ++c) {
            const auto array = inner.arrays.find(array_name(c));
            if (array == inner.arrays.end()) return false;
            array->second.visit([&](const auto& cells) { copy_rows(cells.view(), component(c)); });
        }
        stepper_.resume(*clock, step_);
        changed();
        return true;
    }

  private:
    static constexpr bool kFloat64 = sizeof(T) == sizeof(double);
    using CpuViewSolver<T>::setup_;
    using CpuViewSolver<T>::step_;
    using CpuViewSolver<T>::threads_;

    /// What is shown where it is no component, and its Laplacian: worked out anew where the state changed.
    struct View {
        View(equation::ViewProgram made, const SolverSetup& setup, ThreadPool& threads)
            : array(made.arrays.front()), stepper(std::move(made.program), equation_setup(setup), threads) {}
        int array;
        EquationStepper<T> stepper;
        bool stale = true;
    };

    std::size_t components() const { return run_.equations.components.size(); }
    FieldView<T> component(std::size_t c) { return stepper_.component(int(c)); }
    std::string array_name(std::size_t c) const { return "component-" + run_.equations.components[c].name; }

    template <class A, class B>
    void copy_rows(FieldView<A> from, FieldView<B> to) {
        this->for_rows([&](int y) {
            std::transform(from.row(y), from.row(y) + setup_.nx, to.row(y), [](A value) { return B(value); });
        });
    }

    void copy_in(std::span<const Field> fields) {
        for (std::size_t c = 0; c < components(); ++c)
            fields[c].visit([&](const auto& cells) { copy_rows(cells.view(), component(c)); });
        changed();
    }

    std::vector<Field> copies(DType dtype) {
        std::vector<Field> all;
        for (std::size_t c = 0; c < components(); ++c) {
            all.emplace_back(dtype, setup_.nx, setup_.ny);
            all.back().visit([&](auto& cells) { copy_rows(component(c), cells.view()); });
        }
        return all;
    }

    void load_data(EquationStepper<T>& stepper) {
        for (std::size_t d = 0; d < run_.data.size(); ++d)
            copy_rows(run_.data[d]->view(), stepper.data(int(d)));
    }

    void changed() {
        if (value_) value_->stale = true;
        if (laplacian_) laplacian_->stale = true;
    }

    FieldView<T> evaluated(std::unique_ptr<View>& view, bool laplacian) {
        if (!view) {
            view = std::make_unique<View>(shown_.program(laplacian, kFloat64), setup_, threads_);
            load_data(view->stepper);
        }
        EquationStepper<T>& stepper = view->stepper;
        if (std::exchange(view->stale, false)) {
            for (std::size_t c = 0; c < components(); ++c) copy_rows(component(c), stepper.component(int(c)));
            stepper.set_parameters(setup_.params.values);
            stepper.set_dt(setup_.params.dt);
            stepper.resume(stepper_.clock(), step_);
            stepper.advance(1);
        }
        return stepper.array(view->array);
    }

    QuantitySource<T> source_of(Quantity& quantity) override {
        const bool laplacian = quantity == Quantity::laplacian;
        if (laplacian) quantity = Quantity::value;
        const FieldView<T> cells = laplacian          ? evaluated(laplacian_, true)
                                   : shown_.component ? component(*shown_.component)
                                                      : evaluated(value_, false);
        return {PlainView<const T>(FieldView<const T>(cells)), setup_.params.boundary, {}};
    }

    const TypedRun& run_;
    EquationStepper<T> stepper_;
    Shown shown_;
    std::unique_ptr<View> value_, laplacian_;
};

}  // namespace

std::unique_ptr<Solver> make_equation_solver(const SolverSetup& setup) {
    if (setup.method->float64_state || setup.dtype == DType::float64)
        return std::make_unique<EquationSolver<double>>(setup);
    return std::make_unique<EquationSolver<float>>(setup);
}

}  // namespace stencil
