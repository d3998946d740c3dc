// Ticks of axes and colour bars: round values and their labels.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/view/value_range.h"

namespace stencil::figure {

struct Tick {
    double position = 0;  ///< 0 at the axis' low end, 1 at its high end
    std::string label;
    friend bool operator==(const Tick&, const Tick&) = default;
};

struct Ticks {
    std::vector<Tick> marks;
    std::string note;  ///< applies to all labels, such as "×10⁻⁴" or "×10⁻⁶ + 300"; mostly empty
    // The note's two parts.
    std::string factor;  ///< "×10⁻⁶"
    std::string offset;  ///< "+ 300"
    // Labels for with_ends() at the ends and in the middle, in the same unit; empty if there is one tick.
    std::string low = {}, high = {}, middle = {};
};

/// Returns the width of a text, in the unit of the axis' length.
using LabelWidth = std::function<double(std::string_view)>;

/// Places ticks at multiples of 1, 2 or 5 times a power of ten, four to six if `most` allows; also at
/// multiples of 3 or 4 times one if there would be fewer than three. An empty range, up to rounding, has one
/// tick in the middle; a non-finite one has none. Logarithmic and symlog scales have powers of ten and zero.
Ticks value_ticks(ValueRange range, int most);

/// Places ticks on an axis whose values rise or fall from its low end to its high one.
Ticks scale_ticks(double first, double last, int most);

/// Places ticks at whole cells of an axis or a part of it; tick k is at the edge before cell k. A part
/// without a cell edge has no ticks.
Ticks cell_ticks(ValueRange cells, int most);

/// Places ticks on a logarithmic axis (both ends positive) at 1, 2 and 5 times powers of ten, or only at
/// powers of ten if those are more than `most`.
Ticks log_ticks(ValueRange range, int most);

/// Places ticks at given values of a logarithmic axis.
Ticks ticks_at(const std::vector<double>& values, ValueRange range);

/// Returns the first of `ticks(kMaxTicks)`, `ticks(kMaxTicks - 1)`, ... whose centred labels are `gap` apart
/// on an axis of this length; if none fits, drops all but every k-th.
Ticks fitting_ticks(const std::function<Ticks(int)>& ticks,
                    double length,
                    double gap,
                    const LabelWidth& width);

/// Adds labels at both ends if they fit within the axis, and drops ticks with labels nearer to these than
/// `gap`. Keeps at least three ticks: if none is left between the ends, there is one in the middle,
/// unlabelled if there is no room.
Ticks with_ends(Ticks ticks, double length, double gap, const LabelWidth& width);

/// Keeps every k-th tick, so that at most `most` remain.
Ticks thinned(Ticks ticks, int most);

double widest_label(const Ticks& ticks, const LabelWidth& width);

/// Appends the note to an axis' title: "Total − 18040 (×10⁻³)".
std::string axis_title(const std::string& label, const Ticks& ticks);

/// Formats a number with a true minus sign and exponents as "×10ⁿ".
std::string number_text(double value, int digits);
/// Formats a number in few letters: "−1.2e−8".
std::string short_text(double value, int digits);

/// Ticks at both ends alone, with short labels of so many digits, or of more if they would not tell the ends
/// apart.
/// A range of one value has one tick.
Ticks end_ticks(ValueRange range, int digits);
/// Whether a reader can tell the values of all colours: both ends have labels, or there is one value.
bool tells_values(const Ticks& ticks, ValueRange range);

}  // namespace stencil::figure
