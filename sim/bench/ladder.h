// The ladder: every method on every size, beside the machine's limits, each speed with its error.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/bench/ladder_spec.h"
#include "sim/bench/trial.h"
#include "sim/bench/truth.h"
#include "sim/machine/copy_bandwidth.h"
#include "sim/machine/issue_rate.h"
#include "sim/run/output/timings.h"

namespace stencil {

/// The fewest floating-point instructions known for a cell's step: with sums of diagonal pairs, which two
/// cells share, two additions and a fused multiply-add. The direct form takes five.
inline constexpr double kInstructionsPerCell = 3;

struct LadderLimits {
    double copy_gb_per_s = 0;            ///< measured
    double instructions_per_second = 0;  ///< measured, counted per cell
    double components = 1;               ///< of the model
    double instructions_per_cell = kInstructionsPerCell;

    /// The most that a method can do which reads and writes each cell once per step, and any method.
    double copy_gcells(DType dtype) const {
        return copy_gb_per_s / (2 * components * double(bytes_of(dtype)));
    }
    double issue_gcells() const { return instructions_per_second / instructions_per_cell / 1e9; }
};

struct LadderRow {
    const Method* method = nullptr;
    Size size;
    std::string fits;     ///< the fastest level of the device that holds the field: registers, L2, ...
    std::string why_not;  ///< why nothing was measured; empty where it was
    long long steps = 0;  ///< of each repeat
    int repeats = 0;
    double seconds = 0;         ///< of a repeat, median
    double spread = 0;          ///< slowest minus fastest repeat, as a share of the median
    Speed speed;                ///< zeros where the method jumps
    long long total_steps = 0;  ///< after which the error is that of the timed field
    double error = 0;           ///< relative 2-norm; not finite where nothing is left of the field
    std::string truth;          ///< what it was compared with
    double truth_error = 0;     ///< how far that is from the reference on a small field
    SteppingWay way;            ///< of the solver
    double fixed_us = 0;        ///< of a step on a field of next to no cells; only in a sweep

    bool measured() const { return why_not.empty(); }
    bool timed_steps() const { return measured() && !method->jumps; }
    double cells() const { return double(size.nx) * size.ny; }
};

class Ladder {
  public:
    /// Of a resolved spec. `known` limits are not measured again.
    Ladder(LadderSpec spec, const Machine& machine, std::optional<LadderLimits> known = {});
    ~Ladder();

    /// A piece of it: a part of a limit, a repeat, some steps of the truth. Throws CudaError,
    /// std::bad_alloc, and MachineError where a method cannot serve as the truth.
    void work();
    bool done() const { return next_ == cases_.size() && !trial_ && limits_done_; }

    const LadderSpec& spec() const { return spec_; }
    const LadderLimits& limits() const { return limits_; }
    const std::vector<LadderRow>& rows() const { return rows_; }
    /// In words, and as a share of all rows.
    std::string doing() const;
    double share() const;

  private:
    struct Case {
        const Method* method;
        Size size;
        bool floor;  ///< next to no cells: what a step takes at least, and no row
    };

    void measure_limits();
    void begin_case();
    void finish_case();
    void work_on_truth();
    std::string why_not(const Case& one) const;
    TrialRule rule_for(const Case& one) const;
    LadderRow new_row(const Case& one) const;

    LadderSpec spec_;
    Machine machine_;
    LadderLimits limits_;
    bool limits_done_ = false;
    std::unique_ptr<CopyBandwidth> copies_;
    std::unique_ptr<IssueRate> issue_;

    std::vector<Case> cases_;
    std::size_t next_ = 0;  ///< the case to begin next
    std::unique_ptr<State> start_;
    std::unique_ptr<Trial> trial_;
    std::unique_ptr<Truth> truth_;
    std::map<const Method*, double> truth_errors_;  ///< of the methods that have served as the truth
    std::map<const Method*, double> fixed_us_;
    std::vector<LadderRow> rows_;
};

}  // namespace stencil
