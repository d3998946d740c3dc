#include "sim/figure/labels.h"

#include <algorithm>
#include <array>

namespace stencil::figure {
namespace {

bool crosses(const Box& box, const std::vector<Box>& others) {
    return std::ranges::any_of(others, [&](const Box& other) { return box.overlaps(other); });
}

// Returns whether the label is so near to another point or label that a reader could misattribute it.
bool is_doubtful(const Box& box, const PlotLabel& label, const std::vector<Box>& taken, double gap) {
    const Box around = box.grown(gap);
    return std::ranges::any_of(taken, [&](const Box& other) {
        return !other.holds({label.x, label.y, 0, 0}) && around.overlaps(other);
    });
}

// Lists possible positions, best first.
std::array<Box, 8> candidates(const PlotLabel& label, double gap) {
    gap += label.radius;
    const auto at = [&](double x, double y) { return Box{x, y, label.width, label.height}; };
    const double right = label.x + gap, left = label.x - gap - label.width;
    const double above = label.y - gap - label.height, below = label.y + gap;
    const double middle_x = label.x - label.width / 2, middle_y = label.y - label.height / 2;
    return {at(right, middle_y),
            at(right, above),
            at(left, middle_y),
            at(left, below),
            at(right, below),
            at(left, above),
            at(middle_x, above),
            at(middle_x, below)};
}

std::optional<Box> place_of(const PlotLabel& label, const PlotObstacles& obstacles, double gap) {
    const auto places = candidates(label, gap);
    std::vector<Box> clear;
    std::ranges::copy_if(places, std::back_inserter(clear), [&](const Box& box) {
        return !is_doubtful(box, label, obstacles.taken, gap / 2);
    });
    if (const auto found = free_place(clear, obstacles)) return found;
    return free_place(places, obstacles);
}

}  // namespace

std::optional<Box> free_place(std::span<const Box> places, const PlotObstacles& obstacles) {
    for (const bool over_lines : {false, true})
        for (const Box& box : places)
            if (obstacles.area.holds(box) && !crosses(box, obstacles.taken) &&
                (over_lines || !crosses(box, obstacles.lines)))
                return box;
    return std::nullopt;
}

std::vector<std::optional<Box>> place_labels(std::span<const PlotLabel> labels,
                                             PlotObstacles obstacles,
                                             double gap) {
    std::vector<std::optional<Box>> places;
    for (const PlotLabel& label : labels) {
        places.push_back(place_of(label, obstacles, gap));
        if (places.back()) obstacles.taken.push_back(*places.back());
    }
    return places;
}

}  // namespace stencil::figure
