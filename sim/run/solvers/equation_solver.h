// The solver of typed equations on either device.
#pragma once

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/equation/operations.h"
#include "sim/run/solvers/formula_views.h"

namespace stencil {

template <class Device>
struct SavedEquations : SavedState {
    std::size_t bytes() const override { return kept.size() * Device::bytes_of_kept(kept.front()); }

    std::vector<typename Device::Kept> kept;  ///< by component
    equation::Clock clock;
    long long step = 0;
};

template <class Device>
class EquationSolver : public FormulaViews<Device> {
    using Views = FormulaViews<Device>;
    using typename Views::Stepper;
    using typename Views::T;

  public:
    explicit EquationSolver(const SolverSetup& setup)
        : EquationSolver(setup, make_program(setup.typed->equations, setup.typed->scheme, kFloat64)) {}

    EquationSolver(const SolverSetup& setup, equation::Program program)
        : Views(setup),
          operations_(equation::operations_of_cell(program)),
          reach_(int(program.stages.size())),
          margin_(int(program.once.size())),
          stepper_(this->make_stepper(std::move(program))) {
        this->load_data(*stepper_);
    }

    void load_fields(const RowSource& start) override {
        std::vector<FieldView<T>> all;
        for (std::size_t c = 0; c < components(); ++c) all.push_back(component(c));
        this->fill(all, start, 0);
        loaded();
    }

    bool go_on_from(Solver& other, std::span<const int> kept, const RowSource& start) override {
        auto* alike = dynamic_cast<EquationSolver*>(&other);
        if (!alike || setup_.dtype != dtype_of<T> || alike->setup_.nx != setup_.nx ||
            alike->setup_.ny != setup_.ny)
            return false;
        step_ = other.step();
        for (std::size_t c = 0; c < components(); ++c)
            if (kept[c] < 0)
                this->fill({component(c)}, start, c);
            else
                this->take_back(alike->keep(alike->component(std::size_t(kept[c]))), component(c));
        loaded();
        this->forget_largest();
        return true;
    }

    std::vector<Field> fields() override { return copies(setup_.dtype); }

    void set_params(const StepParameters& params) override {
        setup_.params = params;
        stepper_->set_dt(params.dt);
        stepper_->set_parameters(params.values);
        changed();
    }

    void advance_by(long long steps) override {
        this->start_timing();
        halo_.advance(
            steps,
            reach_,
            margin_,
            [this](long long some) { stepper_->advance(some); },
            [this] { return stored(); });
        this->stop_timing();
        changed();
    }

    void expect(long long steps) override { stepper_->expect(steps); }
    void wait_for_fastest() override { this->wait_for_fastest_of(*stepper_); }
    ExecutionPath way() const override {
        ExecutionPath way = this->way_of(*stepper_);
        way.operations = operations_;
        return way;
    }

    void paint_piece(const BrushPiece& piece, std::size_t component) override {
        this->paint_array(own(stepper_->component(int(component))), piece);
        halo_.spoil();
        changed();
    }

    void read_rows(const SolverArray& array, const RowSink& sink) override {
        using Kind = SolverArray::Kind;
        if (array.kind != Kind::component && array.kind != Kind::inner) return Device::read_rows(array, sink);
        const bool inner = array.kind == Kind::inner;
        std::size_t c = inner ? 0 : array.component;
        while (inner && array_name(c) != array.inner) ++c;
        this->give_rows(FieldView<const T>(own(component(c))), inner ? dtype_of<T> : setup_.dtype, sink);
    }

    double largest_value(const StepParameters&) const override {
        return std::numeric_limits<double>::infinity();
    }

    std::unique_ptr<SavedState> save() override {
        auto saved = std::make_unique<SavedEquations<Device>>();
        for (std::size_t c = 0; c < components(); ++c) saved->kept.push_back(this->keep(component(c)));
        saved->clock = stepper_->clock();
        saved->step = step_;
        return saved;
    }

    void restore(const SavedState& state) override {
        const auto& saved = dynamic_cast<const SavedEquations<Device>&>(state);
        step_ = saved.step;
        for (std::size_t c = 0; c < components(); ++c) this->take_back(saved.kept[c], component(c));
        changed();
        stepper_->resume(saved.clock, step_);
        halo_.spoil();
        this->forget_largest();
    }

    InnerState inner(bool with_cells) override {
        InnerState state;
        state.numbers = numbers_of(stepper_->clock());
        // If the setup has the state's precision, the plain fields hold all cells.
        if (setup_.dtype == dtype_of<T>) return state;
        auto all = with_cells ? copies(dtype_of<T>) : std::vector<Field>(components());
        for (std::size_t c = 0; c < all.size(); ++c) state.arrays.emplace(array_name(c), std::move(all[c]));
        return state;
    }

    bool take_inner(const InnerRows& inner) override {
        const auto clock = clock_of(inner.numbers);
        if (!clock) return false;
        for (std::size_t c = 0; c < components() && !inner.names.empty(); ++c) {
            const auto array = inner.find(array_name(c));
            if (!array) return false;
            this->fill({component(c)}, inner.arrays, *array);
        }
        halo_.spoil();
        stepper_->resume(*clock, step_);
        changed();
        return true;
    }

  private:
    using Device::own;
    using Views::changed;
    using Views::components;
    using Views::kFloat64;
    using Views::setup_;
    using Views::step_;

    PlainView<const T> plain(std::size_t c) override {
        return PlainView<const T>(FieldView<const T>(component(c)));
    }
    void copy_component(std::size_t c, FieldView<T> to) override { this->copy_array(component(c), to); }
    equation::Clock clock() const override { return stepper_->clock(); }

    FieldView<T> component(std::size_t c) { return stepper_->component(int(c)); }
    std::string array_name(std::size_t c) const {
        return "component-" + this->run().equations.components[c].name;
    }

    std::vector<Field> copies(DType dtype) {
        std::vector<Field> all;
        for (std::size_t c = 0; c < components(); ++c) {
            Field field = this->copy_of_array(own(component(c)));
            all.push_back(field.dtype() == dtype ? std::move(field) : field.to(dtype));
        }
        return all;
    }

    void loaded() {
        halo_.spoil();
        changed();
        stepper_->restart(step_, double(step_) * setup_.params.dt);
    }

    std::vector<HaloRows> stored() {
        std::vector<HaloRows> all;
        for (std::size_t c = 0; c < components(); ++c)
            all.push_back({component(c).data, std::size_t(component(c).pitch) * sizeof(T)});
        return all;
    }

    void refresh_halo() override {
        halo_.refresh([this] { return stored(); });
    }

    double operations_;
    int reach_, margin_;  ///< halo rows used up by a step, and by its inputs
    std::unique_ptr<Stepper> stepper_;
    HaloKeeper halo_{setup_.halo, this->stream_of_steps()};
};

}  // namespace stencil
