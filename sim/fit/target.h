// Targets of a fit: the values that a run should have, as fields or tables.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/view/resample.h"
#include "sim/problem/run_spec.h"

namespace stencil::fitting {

enum class TargetKind {
    field,   ///< a formula in every cell, at one moment
    series,  ///< a value of the whole field, such as mean(v), at several moments
    points,  ///< a formula at points, each at a moment
};

/// Values of a formula with their moments. Values that are NaN do not count.
struct Target {
    std::string name;     ///< as it was given, for messages
    std::string formula;  ///< empty: what the run shows
    TargetKind kind = TargetKind::field;
    std::optional<Size> size = {};  ///< of a field, if it is known
    std::vector<double> values;
    /// A moment for each value; of a field one, or none for the end of the run.
    std::vector<double> times;
    bool by_steps = false;            ///< the moments are steps
    std::vector<SamplePoint> points;  ///< of TargetKind::points, in cells
    double noise = 0;                 ///< standard deviation of a value; 0: not known
};

/// Reads [FORMULA=]FILE[@TIME]. A file that has the whole name is that file. Throws InputError.
Target read_target(const std::string& text, const RunSpec& run);

/// The size of the array or picture that a target is; empty for tables without a time. Throws InputError.
std::optional<Size> size_of_target(const std::string& text);

/// Throws InputError if a target does not fit the run, whose size is decided: its formula, number of values,
/// places and moments. Fills in the formula.
void complete(Target& target, const RunSpec& run);

}  // namespace stencil::fitting
