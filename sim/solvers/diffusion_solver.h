// Diffusion methods on either device.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

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
        this->paint_cells(own(stepper_->plain(fields_.front)), piece);
        this->touched();
    }

    ExecutionPath way() const override {
        StepPlan plan = stepper_->plan();
        return {.name = std::move(plan.text),
                .why_not = std::move(plan.why_not),
                .steps_fused = plan.steps_fused};
    }

    double largest_value(const StepParameters& params) const override {
        return stepper_->largest_value(params);
    }

  protected:
    using Common::changed;
    using Common::clock_;
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
        const T* const before = local_rows.front.data;
        stepper_->advance(local_rows, setup_.params, steps);
        if (local_rows.front.data != before) fields_.swap();
        halo_.spoil();
    }
    void loaded() override {
        stepper_->restart();
        stepper_->prepare(fields_, setup_.params.boundary);
        clock_ = {step_, double(step_) * setup_.params.dt};
        this->touched();
        this->finish_copies();
    }
    bool take_numbers(const InnerNumbers& numbers) override { return stepper_->resume(numbers); }
    std::vector<typename Common::InnerArray> inner_arrays() const override { return {{"stored", 0}}; }
    void copy_component(std::size_t, FieldView<T> to) override {
        read(this->view({plain(0), {}, {}}, Quantity::value), to);
    }
    InnerNumbers numbers() const override { return stepper_->numbers(); }

    typename Device::Cells front_, back_;
    FieldPair<T> fields_;
    std::unique_ptr<stencil::Stepper<T>> stepper_;
};

}  // namespace stencil
