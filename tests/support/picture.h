// Pictures, to compare what a window shows with the expected pixels.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "sim/field/field.h"
#include "sim/view/colormap.h"
#include "sim/view/value_range.h"

namespace stencil_test {

struct Spot {
    int x = 0, y = 0;
    Spot operator+(const Spot& other) const { return {x + other.x, y + other.y}; }
    Spot operator-(const Spot& other) const { return {x - other.x, y - other.y}; }
    friend bool operator==(const Spot&, const Spot&) = default;
};

/// A picture with row 0 on top.
struct Picture {
    int width = 0, height = 0;
    std::vector<stencil::Rgb> pixels;
    stencil::Rgb at(Spot spot) const {
        return pixels.at(std::size_t(spot.y) * std::size_t(width) + std::size_t(spot.x));
    }
    friend bool operator==(const Picture&, const Picture&) = default;
};

/// Returns the largest difference over the channels.
int apart(stencil::Rgb a, stencil::Rgb b);

Picture read_picture(const std::filesystem::path& png);

/// Returns a picture with one pixel per cell.
Picture colored(const stencil::Field& field, std::string_view colors, stencil::ValueRange range);

Picture cut(const Picture& whole, Spot corner, int width, int height);

/// Enlarges each pixel to a block of `factor` x `factor`.
Picture magnified(const Picture& picture, int factor);

/// Returns whether `part` appears in `whole` at the corner, each channel (0 to 255) within `tolerance`.
bool shows(const Picture& whole, Spot corner, const Picture& part, int tolerance = 1);

/// Returns where `part` appears completely in `whole`, or nothing.
std::optional<Spot> find(const Picture& whole, const Picture& part, int tolerance = 1);

}  // namespace stencil_test
