// Colour tables: 256 colours each, read from assets/colormaps and embedded into the binary.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/view/value_range.h"

namespace stencil {

struct Rgb {
    std::uint8_t r = 0, g = 0, b = 0;
    friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// The least value of each entry but the first.
using EntryBorders = std::array<double, 255>;
/// Of a range with low < high whose scale is not even.
EntryBorders entry_borders(const ValueRange& range);
/// Whether entries are found by their borders; else by dividing.
bool has_borders(const ValueRange& range);

struct Colormap {
    std::string name;
    /// A diverging table has its neutral colour in the middle: its range is centred at zero.
    bool diverging = false;
    std::array<Rgb, 256> colors{};

    /// The colour of a value: its place in the range, clamped to [0, 1], picks entry min(255, floor(256
    /// place)); where the range is empty, the first entry. Values that are not finite are magenta, which no
    /// table has.
    Rgb at(double value, const ValueRange& range) const;
};

/// All tables, in the order in which they are listed.
std::span<const Colormap> colormaps();

/// What a reversed table's name ends with, as in matplotlib.
inline constexpr std::string_view kReversed = "_r";

/// The table of that name, or the reversed one; throws InputError with the nearest name where there is none.
const Colormap& colormap(std::string_view name);

}  // namespace stencil
