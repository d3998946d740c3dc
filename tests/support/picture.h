// Pictures of colours, to compare what a window shows with what it should.
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

/// Row 0 on top.
struct Picture {
    int width = 0, height = 0;
    std::vector<stencil::Rgb> pixels;
    stencil::Rgb at(Spot spot) const {
        return pixels.at(std::size_t(spot.y) * std::size_t(width) + std::size_t(spot.x));
    }
    friend bool operator==(const Picture&, const Picture&) = default;
};

/// Of the worst channel.
int apart(stencil::Rgb a, stencil::Rgb b);

Picture read_picture(const std::filesystem::path& png);

/// The colour of every cell.
Picture colored(const stencil::Field& field, std::string_view colors, stencil::ValueRange range);

Picture cut(const Picture& whole, Spot corner, int width, int height);

/// Each pixel as a block of `factor` x `factor`.
Picture magnified(const Picture& picture, int factor);

/// Whether `part` shows in `whole` with its corner there, every channel within `tolerance` of 255.
bool shows(const Picture& whole, Spot corner, const Picture& part, int tolerance = 1);

/// Where `part` shows in `whole`, all of it; empty where it does not.
std::optional<Spot> find(const Picture& whole, const Picture& part, int tolerance = 1);

}  // namespace stencil_test
