// The range of values that a picture's colours span.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/field/field.h"

namespace stencil {

/// How values are spread over the colours between the ends of a range: evenly; evenly, with zero in the
/// middle; by their logarithms, with the first colour for what is not above zero; or by sign(v) log(1 + |v| /
/// C), where C is a thousandth of the larger end (Webber 2012, "A bi-symmetric log transformation for
/// wide-range data").
enum class Scale { linear, centred, log, symlog };

/// On the command line, in the order of Scale.
inline constexpr std::array<std::string_view, 4> kScaleNames{"linear", "centred", "log", "symlog"};

struct ValueRange {
    double low = 0;
    double high = 1;
    Scale scale = Scale::linear;
    bool below = false, above = false;  ///< there are finite values beyond that end
};

/// Where a value lies between the ends of a range: 0 at its low end, 1 at its high one, and beyond them less
/// and more; -infinity for what has no logarithm. Of an empty range everything above it is at 1.
double place_of(double value, const ValueRange& range);
/// The value at a place, which may be beyond the ends; of a range with low < high.
double value_at(double place, const ValueRange& range);

/// How a range is found: `auto` (smallest to largest finite value), `percentile:LO:HI` (linear interpolation
/// between order statistics, as NumPy's percentile) or `MIN:MAX`; and, before it, the scale: `log:1e-4:1`. A
/// scale alone is that of an automatic range.
struct RangeRule {
    enum class Kind { automatic, percentile, fixed } kind = Kind::automatic;
    double low = 0;
    double high = 0;
    Scale scale = Scale::linear;
    friend bool operator==(const RangeRule&, const RangeRule&) = default;
};

/// Reads a rule as the command line spells it; `setting` names it in the error. Throws InputError.
RangeRule parse_range(std::string_view text, std::string_view setting);
/// The rule as parse_range() reads it.
std::string to_string(const RangeRule& rule);

/// The range of colours for what a rule found: [0, 1] where it found nothing (low > high, or NaN), finite,
/// and centred at zero, [-m, m] with m the larger magnitude of its ends or 1 where both are zero, where the
/// scale or a diverging table asks for it. A logarithmic one has both ends above zero: the low end is a ten
/// thousandth of the high one where it is not.
ValueRange color_range(double low, double high, Scale scale, bool diverging);

/// The range of a field's finite values under a rule, for a table that diverges or not.
ValueRange find_range(const Field& field, const RangeRule& rule, bool diverging);

/// The same of a field that is elsewhere: NumPy's percentiles of its finite cells, empty where none is.
using Percentiles = std::function<std::vector<double>(std::span<const double> q)>;
ValueRange find_range(const RangeRule& rule, bool diverging, const Percentiles& percentiles);

}  // namespace stencil
