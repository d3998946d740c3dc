// The residuals of a run as a function of its parameters, with exact derivatives.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/fit/least_squares.h"
#include "sim/fit/target.h"
#include "sim/machine/machine.h"
#include "sim/problem/run_spec.h"

namespace stencil {
class Simulation;
}

namespace stencil::fitting {

/// Thrown where a run was stopped on its way.
struct Stopped {};

class Residuals {
  public:
    /// The derivatives by these parameters are the sensitivities of the run, all of them stepped together;
    /// where the model has none, or with `differences`, they are differences of runs. An open time step is
    /// decided here and then stays, as derivatives are those of the same steps. Throws InputError.
    Residuals(RunSpec run,
              std::vector<std::string> parameters,
              std::vector<Target> targets,
              bool differences,
              const Machine& machine);

    /// Residuals (value of the run - target) / noise, row by row of all targets, without those that are NaN.
    /// Throws InputError if there is no such run, and Stopped.
    Evaluation at(const std::vector<double>& parameters, bool with_jacobian = true);
    /// Asked between slices of work; null: never stopped.
    std::function<bool()> stops = nullptr;

    /// Where dt was left open, chooses a smaller one that is stable at these parameters. Returns false if it
    /// is none.
    bool lower_dt(const std::vector<double>& parameters);

    /// The run with its size, method and dt decided.
    const RunSpec& run() const { return run_; }
    const std::vector<Target>& targets() const { return targets_; }
    std::size_t count() const { return rows_.size(); }
    /// Why derivatives are differences; empty: they are exact.
    const std::string& why_differences() const { return why_differences_; }
    /// So many runs' work one evaluation is.
    std::size_t runs() const { return parameters_.size() + std::max<std::size_t>(groups_.size(), 1); }
    /// The values of the run for a target, from residuals; NaN where the target has none.
    std::vector<double> model_values(std::size_t target, std::span<const double> residuals) const;

  private:
    struct Row {
        std::size_t target = 0, value = 0;
    };
    /// What is looked at of a target at a moment: rows [first, first + count).
    struct Look {
        std::size_t target = 0, first = 0, count = 0;
    };
    struct Moment {
        double time = 0;
        std::vector<Look> looks;
    };
    /// Parameters whose sensitivities are stepped beside one run, and its spec.
    struct Group {
        RunSpec run;
        std::size_t first = 0, count = 0;
    };

    void find_moments();
    void group(const Machine& machine);
    /// A run of an evaluation: its own values, or those of its sensitivities, belong to some columns.
    struct Job;
    std::vector<Job> jobs(const std::vector<double>& parameters, bool with_jacobian) const;
    std::vector<double> look(Simulation& simulation, const Look& what, const std::string& formula) const;
    void step_to(std::vector<Job>& jobs, double time) const;
    double difference_step(std::size_t parameter, double value) const;

    RunSpec run_;
    TimeStep asked_dt_;
    std::vector<std::string> parameters_;
    std::vector<Target> targets_;
    std::vector<Row> rows_;
    std::vector<Moment> moments_;
    std::vector<Group> groups_;
    std::string why_differences_;
    int processors_ = 1;
};

}  // namespace stencil::fitting
