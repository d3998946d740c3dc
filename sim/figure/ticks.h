// Ticks of a figure's axes and colour bars: round values and their labels.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/view/value_range.h"

namespace stencil::figure {

struct Tick {
    double position = 0;  ///< along the axis, 0 at its low end, 1 at its high end
    std::string label;
};

struct Ticks {
    std::vector<Tick> marks;
    std::string note;  ///< what every label is to be read with, e.g. "×10⁻⁴" or "×10⁻⁶ + 300"; mostly empty
    // The note's two halves.
    std::string factor;  ///< "×10⁻⁶"
    std::string offset;  ///< "+ 300"
    // What with_ends() writes at the ends and, where nothing else is between them, in the middle, in the
    // marks' unit; empty where there is one mark.
    std::string low = {}, high = {}, middle = {};
};

/// Width of a text in the size and the unit in which ticks are to be placed.
using LabelWidth = std::function<double(std::string_view)>;

/// Ticks at multiples of 1, 2 or 5 times a power of ten, four to six of them where `most` allows it; of 3 or
/// 4 times one where fewer than three would be left. An empty range (or one of a few roundings' width) has
/// one tick in the middle; one that is not finite has none. On a logarithmic or symlog scale they are powers
/// of ten, and zero.
Ticks value_ticks(ValueRange range, int most);

/// Ticks at whole cells of an axis of `cells` cells; a tick k stands at the edge before cell k.
Ticks cell_ticks(int cells, int most);
/// Of a part of it, from low to high; none where it holds no whole cell's edge.
Ticks cell_ticks(ValueRange cells, int most);

/// Ticks of a logarithmic axis over low..high (both above 0): at the values 1, 2 and 5 times powers of ten,
/// or only 1 times them where those would be more than `most`.
Ticks log_ticks(ValueRange range, int most);

/// Ticks at given values of a logarithmic axis.
Ticks ticks_at(const std::vector<double>& values, ValueRange range);

/// The most of `ticks(kMaxTicks)`, `ticks(kMaxTicks - 1)`, ... whose labels, centred on their ticks along an
/// axis of that length, keep `gap` apart; where even few do not, every k-th of them.
Ticks fitting_ticks(const std::function<Ticks(int)>& ticks,
                    double length,
                    double gap,
                    const LabelWidth& width);

/// With the values of both ends, where these find room along an axis of that length without leaving it: marks
/// whose labels would be nearer to theirs than `gap` go. Three ticks at least: where none is left between the
/// ends, one in the middle, without a label where that finds no room.
Ticks with_ends(Ticks ticks, double length, double gap, const LabelWidth& width);

/// Every k-th, so that at most the given number of ticks is left.
Ticks thinned(Ticks ticks, int most);

double widest_label(const Ticks& ticks, const LabelWidth& width);

/// An axis' title with what its labels leave out: "Total − 18040 (×10⁻³)".
std::string axis_title(const std::string& label, const Ticks& ticks);

/// The number as text with a true minus sign and, where it has an exponent, that as "×10ⁿ".
std::string number_text(double value, int digits);

}  // namespace stencil::figure
