// The benchmark suite: times every method at every size, with the machine's limits and each method's error.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cuda/nvml.h"
#include "sim/bench/suite_spec.h"
#include "sim/machine/roofline.h"
#include "sim/run/output/timings.h"
#include "sim/run/resolve.h"
#include "sim/solvers/solver.h"

namespace stencil {

/// Fewest floating-point instructions known per cell and step: two additions and a fused multiply-add, if two
/// cells share sums of diagonal pairs. The direct form takes five.
inline constexpr double kInstructionsPerCell = 3;

struct SuiteLimits {
    double copy_gb_per_s = 0;            ///< measured
    double instructions_per_second = 0;  ///< measured; counted per cell
    double components = 1;               ///< of the model
    double instructions_per_cell = kInstructionsPerCell;
    double l2_gb_per_s = 0;  ///< measured, of a GPU; 0 on the CPU

    /// Speed limits: of a method that reads and writes each cell once per step, and of any method.
    double copy_gcells(DType dtype) const {
        return copy_gb_per_s / (2 * components * double(bytes_of(dtype)));
    }
    double issue_gcells() const { return instructions_per_second / instructions_per_cell / 1e9; }
    /// Returns for example "31.8e12 instructions/s".
    std::string instruction_rate() const;
};

/// Measures the limits that are still 0: copies, on a GPU those within L2, and instructions, in this order.
class LimitsMeasurement {
  public:
    /// Does a piece of work. `disturbed`: other work goes on at the same time, so the result is the fastest
    /// piece instead of the median.
    void work(SuiteLimits& limits, const RunSpec& run, Device device, bool disturbed);
    void forget() { rate_.reset(); }

  private:
    std::optional<RateMeasurement> rate_;  ///< in progress
};

struct SuiteRow {
    const Method* method = nullptr;
    Size size;
    std::string fits;     ///< fastest memory level that holds the field: registers, L2, ...
    std::string why_not;  ///< why the row was not measured; empty if it was
    long long steps = 0;  ///< per repeat
    int repeats = 0;
    double seconds = 0;         ///< of a repeat, median
    double spread = 0;          ///< slowest minus fastest repeat, relative to the median
    Speed speed;                ///< zeros for exact n-step propagation
    long long total_steps = 0;  ///< step at which the error was measured
    double error = 0;           ///< relative 2-norm; not finite if the field decayed to 0 or overflowed
    std::string truth;          ///< method of the reference solution
    double truth_error = 0;     ///< its own error, measured on a small field
    ExecutionPath way;          ///< execution path of the solver
    double fixed_us = 0;        ///< overhead per step, measured on a tiny field; only in a sweep
    std::optional<PowerMeter::Use> power;  ///< of a GPU, over repeats and further steps

    bool measured() const { return why_not.empty(); }
    bool timed_steps() const { return measured() && !method->jumps; }
    double cells() const { return double(size.nx) * size.ny; }
    /// Joules per 10^9 cell updates.
    double joules_per_gcell() const { return power->watts * seconds / (cells() * double(steps)) * 1e9; }
};

/// Returns the memory for measuring one method at this size, with its reference solution.
MemoryNeeds suite_needs(const SuiteSpec& spec, const Method& method, Size size);

/// Chooses a method for the reference solution, different from the judged one unless that runs in float32:
/// `reference` if it takes about a second at most, else exact n-step propagation on the device, else the
/// fastest stepping method there.
const Method& reference_method(const SuiteSpec& spec, const Method& judged, Size size, long long steps);

/// Returns the relative 2-norm of the difference between a method in float64 and `reference`, on a small
/// field with the spec's boundary and coefficient.
double distance_from_reference(const SuiteSpec& spec, const Method& method);

/// A reference solution in progress.
class ReferenceSolution {
  public:
    ReferenceSolution(const SuiteSpec& spec, const Method& method, const State& start);

    const Method& method() const { return method_; }
    long long step() const { return step_; }

    /// Advances for about 0.1 s towards a later step.
    void work(long long target);

    /// Returns ||solver's field - this field|| / ||this field|| in float64; not finite if a cell is not.
    double error_of(Solver& judged);

  private:
    const Method& method_;
    std::unique_ptr<Solver> solver_;
    long long step_ = 0;
    double seconds_per_step_ = 0;
};

class TimedCase;
struct TimingRule;

class Suite {
  public:
    /// Takes a resolved spec. Limits in `known` are not measured again.
    Suite(SuiteSpec spec, const Machine& machine, std::optional<SuiteLimits> known = {});
    ~Suite();

    /// Does a piece of work: part of a limit, a repeat, or some steps of the reference solution. Throws
    /// CudaError, std::bad_alloc, and MachineError if a method is too inaccurate as a reference.
    void work();
    bool done() const { return next_ == cases_.size() && !trial_ && limits_done_; }

    const SuiteSpec& spec() const { return spec_; }
    const SuiteLimits& limits() const { return limits_; }
    const std::vector<SuiteRow>& rows() const { return rows_; }
    /// Progress as text, and as a share of all rows.
    std::string doing() const;
    double share() const;

  private:
    struct Case {
        const Method* method;
        Size size;
        bool floor;  ///< a tiny field, to measure the overhead per step; not reported as a row
    };

    void begin_case();
    void finish_case();
    void work_on_truth();
    std::string why_not(const Case& one) const;
    TimingRule rule_for(const Case& one) const;
    SuiteRow new_row(const Case& one) const;

    SuiteSpec spec_;
    Machine machine_;
    SuiteLimits limits_;
    bool limits_done_ = false;
    LimitsMeasurement measurement_;

    std::vector<Case> cases_;
    std::size_t next_ = 0;  ///< the next case
    std::unique_ptr<State> start_;
    std::unique_ptr<TimedCase> trial_;
    std::optional<SuiteRow> row_;  ///< of the trial, but for its power
    std::unique_ptr<ReferenceSolution> truth_;
    std::map<const Method*, double> truth_errors_;  ///< errors of methods used as reference solution
    std::map<const Method*, double> fixed_us_;
    std::vector<SuiteRow> rows_;
};

}  // namespace stencil
