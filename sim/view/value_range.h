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

/// Distribution of colours over a range: linear; linear with zero in the middle; logarithmic, with the first
/// colour for values that are not positive; or by sign(v) log(1 + |v| / C), with C a thousandth of the larger
/// end (Webber 2012, "A bi-symmetric log transformation for wide-range data").
enum class Scale { linear, centred, log, symlog };

/// Names on the command line, in the order of Scale.
inline constexpr std::array<std::string_view, 4> kScaleNames{"linear", "centred", "log", "symlog"};

struct ValueRange {
    double low = 0;
    double high = 1;
    Scale scale = Scale::linear;
    bool below = false, above = false;  ///< whether finite values lie beyond that end
};

/// Returns a value's position in a range: 0 at the low end, 1 at the high end, linear beyond; -infinity for
/// values without a logarithm on a logarithmic scale. In an empty range all larger values are at 1.
double place_of(double value, const ValueRange& range);
/// Inverse of place_of(), for low < high; the position may be beyond the ends.
double value_at(double place, const ValueRange& range);

/// Rule for a range: `auto` (finite minimum to maximum), `percentile:LO:HI` (interpolated linearly, as
/// NumPy's percentile) or `MIN:MAX`, preceded by an optional scale, as in `log:1e-4:1`. A scale alone means
/// an automatic range.
struct RangeRule {
    enum class Kind { automatic, percentile, fixed } kind = Kind::automatic;
    double low = 0;
    double high = 0;
    Scale scale = Scale::linear;
    friend bool operator==(const RangeRule&, const RangeRule&) = default;
};

/// Parses a rule; `setting` is named in errors. Throws InputError.
RangeRule parse_range(std::string_view text, std::string_view setting);
/// Formats it for parse_range().
std::string to_string(const RangeRule& rule);

/// Turns the found extremes into a range of colours: finite; [0, 1] if nothing was found (low > high, or
/// NaN); [-m, m] if the scale or a diverging map needs zero in the middle (m: larger magnitude, or 1);
/// positive if logarithmic, with high / 10000 for a low end that was not.
ValueRange color_range(double low, double high, Scale scale, bool diverging);

/// Applies a rule to a field's finite values; `diverging`: for a diverging map.
ValueRange find_range(const Field& field, const RangeRule& rule, bool diverging);

/// Finds the range from a function that returns NumPy's percentiles of the finite cells (empty if there are
/// none).
using Percentiles = std::function<std::vector<double>(std::span<const double> q)>;
ValueRange find_range(const RangeRule& rule, bool diverging, const Percentiles& percentiles);

}  // namespace stencil
