// Diffusion methods on either device.
#pragma once

#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include "sim/run/solvers/formula_views.h"

namespace stencil {

template <class Device>
struct SavedDiffusion : SavedState {
    std::size_t bytes() const override { return Device::bytes_of_kept(cells); }

    typename Device::Kept cells;
    InnerNumbers numbers;
    long long step = 0;
    equation::Clock clock;
};

template <class Device>
class DiffusionSolver : public FormulaViews<Device> {
    using Views = FormulaViews<Device>;
    using typename Views::T;

  public:
    explicit DiffusionSolver(const SolverSetup& setup)
        : Views(setup),
          front_(this->make_cells()),
          back_(this->make_cells()),
          fields_{this->view_of_cells(front_), this->view_of_cells(back_)},
          stepper_(stencil::make_stepper<T>(*setup.method, this->space(), setup.stepped_shape())) {}

    void load_fields(const RowSource& start) override {
        this->fill({fields_.front}, start, 0);
        stepper_->restart();
        stepper_->prepare(fields_, setup_.params.boundary);
        clock_ = {step_, double(step_) * setup_.params.dt};
        halo_.spoil();
        changed();
        this->finish_copies();
    }

    void set_params(const StepParameters& params) override {
        const bool other_boundary = params.boundary != setup_.params.boundary;
        if (other_boundary) stepper_->prepare(fields_, params.boundary);
        if (params.dt != setup_.params.dt) clock_ = clock();
        setup_.params = params;
        if (other_boundary) this->boundary_changed();
        changed();
    }

    void advance_by(long long steps) override {
        this->start_timing();
        if (setup_.method->jumps)
            jump(steps);
        else
            halo_.advance(
                steps,
                1,
                0,
                [this](long long some) { stepper_->advance(fields_, setup_.params, some); },
                [this] { return stored(); });
        this->stop_timing();
        changed();
    }

    void paint_piece(const BrushPiece& piece, std::size_t) override {
        this->paint_array(own(stepper_->plain(fields_.front)), piece);
        halo_.spoil();
        changed();
    }

    void read_rows(const SolverArray& array, const RowSink& sink) override {
        if (array.kind == SolverArray::Kind::inner)
            this->give_rows(FieldView<const T>(own(fields_.front)), dtype_of<T>, sink);
        else if (array.kind == SolverArray::Kind::component)
            Views::read_rows({}, sink);
        else
            Views::read_rows(array, sink);
    }

    double largest_value(const StepParameters& params) const override {
        return stepper_->largest_value(params);
    }

    std::unique_ptr<SavedState> save() override {
        auto saved = std::make_unique<SavedDiffusion<Device>>();
        saved->cells = this->keep(fields_.front);
        saved->numbers = stepper_->numbers();
        saved->step = step_;
        saved->clock = clock();
        return saved;
    }

    void restore(const SavedState& state) override {
        const auto& saved = dynamic_cast<const SavedDiffusion<Device>&>(state);
        if (!stepper_->resume(saved.numbers)) throw std::logic_error("a state of another method");
        this->take_back(saved.cells, fields_.front);
        step_ = saved.step;
        clock_ = saved.clock;
        halo_.spoil();
        changed();
        this->forget_largest();
    }

    InnerState inner(bool with_cells) override {
        InnerState state;
        state.arrays.emplace("stored", with_cells ? this->copy_of_array(own(fields_.front)) : Field());
        state.numbers = stepper_->numbers();
        return state;
    }

    bool take_inner(const InnerRows& inner) override {
        const auto cells = inner.find("stored");
        if (!cells || !this->matches(inner.arrays, *cells, dtype_of<T>) || !stepper_->resume(inner.numbers))
            return false;
        this->fill({fields_.front}, inner.arrays, *cells);
        halo_.spoil();
        changed();
        return true;
    }

  protected:
    using Views::changed;
    using Views::own;
    using Views::setup_;
    using Views::step_;

    PlainView<const T> plain(std::size_t) override { return stepper_->plain(fields_.front); }
    void refresh_halo() override {
        halo_.refresh([this] { return stored(); });
    }
    /// Scratch array for CUDA's views.
    FieldView<T> spare() override { return fields_.back; }

  private:
    void jump(long long steps) {
        FieldPair<T> local_rows{own(fields_.front), own(fields_.back)};
        stepper_->advance(local_rows, setup_.params, steps);
        halo_.spoil();
    }
    void copy_component(std::size_t, FieldView<T> to) override { this->copy_plain(plain(0), to); }
    equation::Clock clock() const override {
        return {step_, clock_.time + double(step_ - clock_.step) * setup_.params.dt};
    }
    std::array<HaloRows, 1> stored() const {
        return {HaloRows{fields_.front.data, std::size_t(fields_.front.pitch) * sizeof(T)}};
    }

    typename Device::Cells front_, back_;
    FieldPair<T> fields_;
    std::unique_ptr<stencil::Stepper<T>> stepper_;
    HaloKeeper halo_{setup_.halo, this->stream_of_steps()};
    equation::Clock clock_;  ///< at the last change of dt
};

}  // namespace stencil
