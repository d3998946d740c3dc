// Diffusion methods on either device.
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>

#include "sim/solvers/device_solver.h"

namespace stencil {

template <class Device>
class DiffusionSolver : public DeviceSolver<Device> {
    using Common = DeviceSolver<Device>;
    using typename Common::T;

  public:
    explicit DiffusionSolver(const SolverSetup& setup)
        : Common(setup),
          front_(this->make_cells()),
          back_(this->make_cells()),
          fields_{this->view_of_cells(front_), this->view_of_cells(back_)},
          stepper_(stencil::make_stepper<T>(*setup.method, this->space(), setup.stepped_shape())) {}

    void set_params(const StepParameters& params) override {
        const bool other_boundary = params.boundary != setup_.params.boundary;
        if (other_boundary) stepper_->prepare(fields_, params.boundary);
        if (params.dt != setup_.params.dt) clock_ = {step_, this->time()};
        setup_.params = params;
        if (other_boundary) this->boundary_changed();
        changed();
    }

    equation::Clock clock() const override { return clock_; }
    void set_clock(const equation::Clock& clock) override {
        clock_ = clock;
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
                [this] { return this->stored(); });
        this->stop_timing();
        changed();
    }

    void paint_piece(const BrushPiece& piece, std::size_t) override {
        this->paint_array(own(stepper_->plain(fields_.front)), piece);
        this->touched();
    }

    void read_rows(const SolverArray& array, const RowSink& sink) override {
        if (array.kind == SolverArray::Kind::inner)
            this->give_rows(FieldView<const T>(own(fields_.front)), dtype_of<T>, sink);
        else if (array.kind == SolverArray::Kind::component)
            Common::read_rows({}, sink);
        else
            Common::read_rows(array, sink);
    }

    double largest_value(const StepParameters& params) const override {
        return stepper_->largest_value(params);
    }

    InnerState inner(bool with_cells) override {
        InnerState state;
        state.arrays.emplace("stored",
                             with_cells ? this->download(FieldView<const T>(own(fields_.front))) : Field());
        state.numbers = numbers();
        return state;
    }

    bool take_inner(const InnerRows& inner) override {
        const auto cells = inner.find("stored");
        if (!cells || !this->matches(inner.arrays, *cells, dtype_of<T>) || !stepper_->resume(inner.numbers))
            return false;
        this->fill_components(inner.arrays, *cells);
        this->touched();
        return true;
    }

  protected:
    using Common::changed;
    using Common::halo_;
    using Common::own;
    using Common::setup_;
    using Common::step_;

    FieldView<T> component(std::size_t) override { return fields_.front; }
    PlainView<const T> plain(std::size_t) override { return stepper_->plain(fields_.front); }
    /// Scratch array for CUDA's views.
    FieldView<T> spare() override { return fields_.back; }

  private:
    void jump(long long steps) {
        FieldPair<T> local_rows{own(fields_.front), own(fields_.back)};
        stepper_->advance(local_rows, setup_.params, steps);
        halo_.spoil();
    }
    void loaded() override {
        stepper_->restart();
        stepper_->prepare(fields_, setup_.params.boundary);
        clock_ = {step_, double(step_) * setup_.params.dt};
        this->touched();
        this->finish_copies();
    }
    void take_numbers(const InnerNumbers& numbers) override {
        if (!stepper_->resume(numbers)) throw std::logic_error("a state of another method");
    }
    void copy_component(std::size_t, FieldView<T> to) override {
        this->read_view(this->view({plain(0), {}, {}}, Quantity::value), to);
    }
    InnerNumbers numbers() const override { return stepper_->numbers(); }

    typename Device::Cells front_, back_;
    FieldPair<T> fields_;
    std::unique_ptr<stencil::Stepper<T>> stepper_;
    equation::Clock clock_;  ///< at the last change of dt
};

}  // namespace stencil
