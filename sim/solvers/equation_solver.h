// The solver of typed equations on either device.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/equation/operations.h"
#include "sim/solvers/device_solver.h"

namespace stencil {

template <class Device>
class EquationSolver : public DeviceSolver<Device> {
    using Common = DeviceSolver<Device>;
    using typename Common::Stepper;
    using typename Common::T;

  public:
    explicit EquationSolver(const SolverSetup& setup) : Common(setup) { make_own_stepper(); }

    bool go_on_from(Solver& other, std::span<const int> kept, const RowSource& start) override {
        auto* alike = dynamic_cast<EquationSolver*>(&other);
        if (!alike || setup_.dtype != dtype_of<T> || alike->setup_.nx != setup_.nx ||
            alike->setup_.ny != setup_.ny)
            return false;
        step_ = other.step();
        for (std::size_t c = 0; c < components(); ++c)
            if (kept[c] < 0)
                this->fill(component(c), start, c);
            else
                this->take_back(alike->keep(alike->component(std::size_t(kept[c]))), component(c));
        loaded();
        this->forget_largest();
        return true;
    }

    equation::Clock clock() const override { return stepper_->clock(); }
    void set_clock(const equation::Clock& clock) override {
        stepper_->resume(clock, step_);
        changed();
    }

    void set_params(const StepParameters& params) override {
        const equation::Clock now{step_, this->time(), clock().past_dt};
        const double before = std::exchange(setup_.params, params).dt;
        if (equation::rounds_increments(kFloat64, before) !=
            equation::rounds_increments(kFloat64, params.dt)) {
            make_anew();
            set_clock(now);
        }
        stepper_->set_dt(params.dt);
        stepper_->set_parameters(params.values);
        changed();
    }

    bool estimate_errors(bool on) override {
        if (on == estimates_) return true;
        if (on && this->run().scheme->error_order == 0) return false;
        const equation::Clock now = clock();
        estimates_ = on;
        make_anew();
        set_clock(now);
        return true;
    }
    PartialStatistics error_sums(std::size_t c, Summand summand) override {
        const FieldView<const T> errors(this->own(component(stored_components() + c)));
        return stencil::sums(
            this->view({PlainView<const T>(errors), setup_.params.boundary, {}}, Quantity::value),
            summand,
            this->first_row());
    }

    void advance_by(long long steps) override {
        this->start_timing();
        this->halo_.advance(
            steps,
            reach_,
            margin_,
            [this](long long some) { stepper_->advance(some); },
            [this] { return this->stored(); });
        this->stop_timing();
        changed();
    }

    BatchMember batch_member() override {
        if constexpr (std::is_same_v<Stepper, equation::EquationStepper<T>>) return stepper_.get();
        return {};
    }

    void expect(long long steps) override { stepper_->expect(steps); }
    void wait_for_fastest() override { this->wait_for_fastest_of(*stepper_); }
    ExecutionPath way() const override {
        ExecutionPath way = this->way_of(*stepper_);
        way.operations = operations_;
        return way;
    }

  private:
    using Common::changed;
    using Common::components;
    using Common::kFloat64;
    using Common::setup_;
    using Common::step_;

    FieldView<T> component(std::size_t c) override { return stepper_->component(int(c)); }
    std::size_t stored_components() const override { return components() + past_; }
    std::vector<typename Common::InnerArray> inner_arrays() const override {
        std::vector<typename Common::InnerArray> all;
        const auto& named = this->run().equations.components;
        for (std::size_t c = 0; setup_.dtype != dtype_of<T> && c < named.size(); ++c)
            all.push_back({"component-" + named[c].name, c});
        for (std::size_t c = 0; c < past_; ++c) all.push_back({"past-" + named[c].name, named.size() + c});
        return all;
    }
    void forget_past() override { stepper_->forget_past(); }
    void changed_elsewhere() override { changed(); }
    // The global values that steps reuse. Stored by their bits, since they may be NaN.
    InnerNumbers numbers() const override {
        InnerNumbers numbers;
        for (const double value : stepper_->globals())
            numbers.emplace(fmt::format("global_{}", numbers.size() + 1), std::bit_cast<std::int64_t>(value));
        return numbers;
    }
    bool take_numbers(const InnerNumbers& numbers) override {
        std::vector<double> globals;
        for (std::size_t i = 1;; ++i) {
            const auto found = numbers.find(fmt::format("global_{}", i));
            if (found == numbers.end()) break;
            const auto* bits = std::get_if<std::int64_t>(&found->second);
            if (!bits) return false;
            globals.push_back(std::bit_cast<double>(*bits));
        }
        stepper_->keep_globals(globals);
        return true;
    }

    void loaded() override {
        this->touched();
        stepper_->restart(step_, double(step_) * setup_.params.dt);
    }

    // Replaces the stepper by a new one with the same state.
    void make_anew() {
        const auto saved = this->save();
        stepper_.reset();  // first, since memory may not suffice for two
        make_own_stepper();
        this->restore(*saved);
    }

    void make_own_stepper() {
        const TypedRun& run = this->run();
        auto program =
            run.plans->step(run.scheme, kFloat64, setup_.params.dt, estimates_, setup_.method->fast);
        operations_ = equation::operations_of_cell(*program);
        reach_ = int(program->stages.size());
        margin_ = int(program->once.size());
        past_ = std::size_t(program->past);
        stepper_ = this->make_stepper(std::move(program));
        stepper_->set_global_every(run.global_every);
        this->load_data(*stepper_);
    }

    double operations_ = 0;
    int reach_ = 0, margin_ = 0;  ///< halo rows used up by a step, and by its inputs
    std::size_t past_ = 0;        ///< equation::Program::past
    bool estimates_ = false;      ///< whether steps estimate their errors
    std::unique_ptr<Stepper> stepper_;
};

}  // namespace stencil
