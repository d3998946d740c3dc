// The range of values that a picture's colours span.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/field/field.h"

namespace stencil {

struct ValueRange {
    double low = 0;
    double high = 1;
};

/// How a range is found: `auto` (smallest to largest finite value), `percentile:LO:HI` (linear interpolation
/// between order statistics, as NumPy's percentile) or `MIN:MAX`.
struct RangeRule {
    enum class Kind { automatic, percentile, fixed } kind = Kind::automatic;
    double low = 0;
    double high = 0;
    friend bool operator==(const RangeRule&, const RangeRule&) = default;
};

/// Reads a rule as the command line spells it; `setting` names it in the error. Throws InputError.
RangeRule parse_range(std::string_view text, std::string_view setting);
/// The rule as parse_range() reads it.
std::string to_string(const RangeRule& rule);

/// The range of colours for what a rule found: [0, 1] where it found nothing (low > high, or NaN), finite,
/// and for a diverging table widened to be centred at zero.
ValueRange color_range(double low, double high, bool centred_at_zero);

/// The range of a field's finite values under a rule; [0, 1] where there is none. A range for a diverging
/// colour table (of any rule) is widened to be centred at zero: [-m, m] with m the larger magnitude of its
/// ends, or [-1, 1] where both are zero.
ValueRange find_range(const Field& field, const RangeRule& rule, bool centred_at_zero);

/// The same of a field that is elsewhere: NumPy's percentiles of its finite cells, empty where none is.
using Percentiles = std::function<std::vector<double>(std::span<const double> q)>;
ValueRange find_range(const RangeRule& rule, bool centred_at_zero, const Percentiles& percentiles);

}  // namespace stencil
