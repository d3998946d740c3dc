// Colour maps: tables of 256 colours, embedded from assets/colormaps.
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

/// Whether black contrasts with it more than white does, by its luminance (Rec. 709).
inline bool is_light(Rgb color) {
    return 0.2126 * color.r + 0.7152 * color.g + 0.0722 * color.b > 127.5;
}

/// The least value of each entry except the first.
using EntryBorders = std::array<double, 255>;
/// Computes them for a range with low < high and a non-linear scale.
EntryBorders entry_borders(const ValueRange& range);
/// Whether borders are used to find colours; otherwise a division is.
bool has_borders(const ValueRange& range);

struct Colormap {
    std::string name;
    /// A diverging map is neutral in the middle, so its range is centred at zero.
    bool diverging = false;
    /// A cyclic map begins and ends with one colour, for angles and phases.
    bool cyclic = false;
    std::array<Rgb, 256> colors{};

    /// Returns the colour of a value: with t its position in the range, clamped to [0, 1], entry min(255,
    /// floor(256 t)); entry 0 if the range is empty. Non-finite values are magenta, which no map contains.
    Rgb at(double value, const ValueRange& range) const;
};

/// Returns all maps, in the order listed.
std::span<const Colormap> colormaps();

/// Suffix of a reversed map's name, as in matplotlib.
inline constexpr std::string_view kReversed = "_r";

/// Finds a map, reversed if the name says so. Throws InputError with the nearest name if there is none.
const Colormap& colormap(std::string_view name);

}  // namespace stencil
