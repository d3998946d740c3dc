// bench --ladder: checks and times the rungs of the ladder, each beside the one before and the copy limit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/figure/figure.h"
#include "sim/kernel_trial/trial.h"
#include "sim/text/json.h"
#include "sim/user_kernel/occupancy.h"

namespace stencil::user_kernel {

/// A kernel of the ladder, one of its further block shapes, or a kernel of the user beside them.
struct LadderKernel {
    std::string name;  ///< "3_shared_tile", "3_shared_tile 8x8", "heat.cu"
    std::string file;  ///< for messages
    std::string text;
    bool is_variant = false;  ///< a further shape, compared with the same rung as the first one
};

/// Returns all rungs with their further shapes and, if `own_file` is not empty, the user's kernel.
std::vector<LadderKernel> ladder_kernels(const std::string& own_file);

struct LadderRow {
    std::string kernel;
    TrialReport trial;  ///< without rows
    std::optional<Occupancy> occupancy;
    std::optional<SuiteRow> figures;  ///< empty if it was not timed
    double gain = 0;                  ///< times the speed of the rung before at this size; 0: unknown
};

struct LadderReport {
    std::string device;
    SuiteSpec spec;  ///< resolved
    SuiteLimits limits;
    std::string why_not_timed;    ///< without a GPU; one line
    std::vector<LadderRow> rows;  ///< kernel by kernel, a row per size
    bool interrupted = false;
};

/// Resolves a benchmark's settings for the ladder. Throws InputError for those that it cannot have.
SuiteSpec ladder_spec(SuiteSpec spec, const Machine& machine);

/// Measures the machine's copies, then tries one kernel after the other.
class LadderBench {
  public:
    LadderBench(SuiteSpec resolved, const Machine& machine, double limit_seconds, std::string program = "");

    /// Returns the limits and what the rows share.
    const LadderReport& report() const { return report_; }
    /// Tries a kernel and adds its rows. Calls as try_kernel() does. Throws InputError if a kernel is wrong.
    void measure(const LadderKernel& kernel,
                 const std::function<void(const std::string& doing)>& doing,
                 const std::function<bool()>& stop);
    /// Adds the rows of a kernel that was tried.
    void add(const LadderKernel& kernel, TrialReport trial);

  private:
    double speed_of_rung_before(const Size& size) const;

    LadderReport report_;
    double limit_seconds_;
    std::string program_;
    std::vector<SuiteRow> newest_, before_;  ///< of the newest rung, and of the one before it
};

nlohmann::ordered_json to_json(const LadderReport& report);

// Text for the terminal, as in sim/bench/suite_report.h.
std::string intro_text(const LadderReport& report);
std::string header_text(const LadderReport& report);
std::string row_text(const LadderReport& report, const LadderRow& row);

/// A dot for each rung, with the copy limit as a dashed line. Returns the bytes of the file; none if no rung
/// was timed.
std::string draw(const LadderReport& report, figure::FigureFormat format);

}  // namespace stencil::user_kernel
