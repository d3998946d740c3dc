// Colour tables: 256 colours each, read from assets/colormaps and embedded into the binary.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace stencil {

struct Rgb {
    std::uint8_t r = 0, g = 0, b = 0;
    friend bool operator==(const Rgb&, const Rgb&) = default;
};

struct Colormap {
    std::string_view name;
    /// A diverging table has its neutral colour in the middle: its range is centred at zero.
    bool diverging = false;
    std::array<Rgb, 256> colors{};

    /// The colour of a value: t = (value - low) / (high - low), clamped to [0, 1], picks entry min(255,
    /// floor(256 t)); where the range is empty, the first entry. Values that are not finite are mid-grey (a
    /// NaN) or the nearer end.
    Rgb at(double value, double low, double high) const;
};

/// All tables, in the order in which they are listed.
std::span<const Colormap> colormaps();

/// The table of that name; throws InputError with the nearest name where there is none.
const Colormap& colormap(std::string_view name);

}  // namespace stencil
