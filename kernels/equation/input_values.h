// The inputs of a program's steps besides its arrays, rounded to the run's precision.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/equation/program.h"
#include "kernels/field/slab.h"
#include "kernels/field/strips.h"

namespace stencil {
class StripExchange;
}

namespace stencil::equation {

struct EquationSetup {
    int nx = 0, ny = 0;
    double spacing = 1, dt = 1;
    std::vector<double> parameters;  ///< the model's parameters
    std::uint64_t seed = 0;
    bool plain = false;  ///< scalar interpreter, one cell at a time: the reference
    Slab slab = {};      ///< the part of a distributed field that the (ny, nx) cells are
    double past_dt = 0;  ///< dt of the step before, whose arrays Program::past are; 0: there was none

    // Collective functions of a distributed field; all slabs call them at the same point of a step.
    /// Adds up numbers over all slabs.
    std::function<void(std::span<std::uint64_t>)> sum_over_slabs = {};
    /// Copies the neighbours' rows into the halos of arrays of `ny` rows.
    std::function<void(std::span<const ByteRows>)> fill_halos = {};
    /// Transposes between strips of rows and strips of columns.
    StripExchange* strips = nullptr;

    /// The rows without halo.
    int local_rows() const { return ny - slab.above - slab.below; }
};

/// Times are time + (step' - step) dt, so that errors do not accumulate.
struct Clock {
    long long step = 0;
    double time = 0;
    double past_dt = 0;  ///< EquationSetup::past_dt
};

/// The settings and the clock of a stepper. Changes take effect at the next step.
class StepSettings {
  public:
    explicit StepSettings(const EquationSetup& setup) : setup_(setup) {}

    void set_parameters(std::vector<double> parameters) {
        if (parameters == setup_.parameters) return;
        setup_.parameters = std::move(parameters);
        forget_past();
    }
    void set_dt(double dt) {
        if (dt == setup_.dt) return;
        clock_ = {step_, time()};
        setup_.dt = dt;
        stale_ = true;
    }
    /// The next step starts at this time and counts as the one after `step` steps.
    void restart(long long step, double time) {
        resume({step, time}, step);
        has_globals_ = false;
    }
    /// Continues from a saved clock after `step` steps; later times have the bits of an uninterrupted run.
    void resume(const Clock& clock, long long step) {
        clock_ = clock;
        step_ = step;
        setup_.past_dt = clock.past_dt;
        stale_ = true;
    }
    /// Must be called after the rates changed other than by a step: the next step then does not use the
    /// previous one, and recomputes global values.
    void forget_past() {
        setup_.past_dt = 0;
        stale_ = true;
        has_globals_ = false;
    }
    /// Global values are computed only at every n-th step, counted from step 0, and at a step that has none
    /// yet; the steps in between reuse them.
    void set_global_every(long long n) { global_every_ = n; }
    long long global_every() const { return global_every_; }
    /// Whether the next step computes global values.
    bool takes_globals() const { return !keeps_globals() || step_ % global_every_ == 0; }
    /// Whether later steps reuse the present global values.
    bool keeps_globals() const { return has_globals_ && global_every_ > 1; }
    Clock clock() const { return {clock_.step, clock_.time, setup_.past_dt}; }
    long long step() const { return step_; }
    /// The time after `later` more steps.
    double time(long long later = 0) const {
        return clock_.time + double(step_ + later - clock_.step) * setup_.dt;
    }

  protected:
    /// Whether the step's weights differ from those of the steps after it.
    bool changes_weights(const Program& program) const {
        return program.past > 0 && setup_.past_dt != setup_.dt;
    }
    /// Counts completed steps.
    void count(const Program& program, long long steps) {
        step_ += steps;
        if (!changes_weights(program)) return;
        setup_.past_dt = setup_.dt;
        stale_ = true;
    }

    /// The number of steps, including the next one, before global values are due again.
    long long steps_until_globals() const { return global_every_ - step_ % global_every_; }

    EquationSetup setup_;
    long long step_ = 0;
    bool stale_ = true;         ///< a setting changed since the last step
    bool has_globals_ = false;  ///< global values of this run were computed

  private:
    long long global_every_ = 1;
    Clock clock_;
};

/// The ghost cells along a side: alpha * edge + beta; empty for a periodic side. Each line has one extra
/// entry at both ends, which top and bottom use for the corners.
template <class T>
struct GhostLine {
    std::vector<T> alpha, beta;
};

template <class T>
class InputValues {
  public:
    explicit InputValues(const Program& program);

    /// Updates the inputs for the step after `step` steps, which starts at `time`; without `all`, only those
    /// that depend on time. Returns whether any changed.
    bool update(const EquationSetup& setup, long long step, double time, bool all);
    void set_globals(std::vector<double> globals) { globals_ = std::move(globals); }
    /// Updates the ghost cells that depend on time, after global values have changed.
    void update_globals(const EquationSetup& setup,
                        long long step,
                        double time,
                        const std::vector<double>& globals);
    /// Whether any input differs from step to step.
    bool of_time() const;

    const std::vector<T>& uniforms() const { return uniforms_; }
    /// Input `index` at cell 0. One entry precedes it, and more than kLeastTile entries follow the last
    /// cell's.
    const T* column(int index) const { return columns_[std::size_t(index)].data() + 1; }
    const T* row(int index) const { return rows_[std::size_t(index)].data() + 1; }
    /// The coefficients of a linear part's terms, or the scalars of its kernels.
    const std::vector<double>& linear(std::size_t part) const { return linear_[part]; }
    const GhostLine<T>& ghosts(int array, std::size_t side) const {
        return ghosts_[std::size_t(array)][side];
    }

  private:
    void update_lines(const EquationSetup& setup, const std::vector<double>& scalars);
    std::vector<double> scalars_of(const EquationSetup& setup, long long step, double time) const;
    bool update_ghosts(const EquationSetup& setup, const std::vector<double>& scalars, bool all);
    bool update_ghosts(const EquationSetup& setup, int array, std::vector<double> scalars, bool all);

    const Program& program_;
    std::vector<T> uniforms_;
    std::vector<std::vector<double>> linear_;
    std::vector<double> globals_;
    std::vector<std::vector<T>> columns_, rows_;
    std::vector<std::array<GhostLine<T>, 4>> ghosts_;
};

}  // namespace stencil::equation
