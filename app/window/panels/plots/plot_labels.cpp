#include <algorithm>
#include <array>

#include "app/window/panels/plots/report_plot.h"

namespace stencil {
namespace {

PlotBox box_at(const PlotLabel& label, float x, float y) {
    return {x, y, x + label.width, y + label.height};
}

bool crosses(const PlotBox& box, const std::vector<PlotBox>& others) {
    return std::ranges::any_of(others, [&](const PlotBox& other) { return box.overlaps(other); });
}

// Nearer to another point or label than to its own point: nobody could tell whose it is.
bool is_doubtful(const PlotBox& box, const PlotLabel& label, const std::vector<PlotBox>& taken, float gap) {
    const PlotBox around{box.left - gap, box.top - gap, box.right + gap, box.bottom + gap};
    return std::ranges::any_of(taken, [&](const PlotBox& other) {
        const bool own = label.x >= other.left && label.x <= other.right && label.y >= other.top &&
                         label.y <= other.bottom;
        return !own && around.overlaps(other);
    });
}

// The best places first.
std::array<PlotBox, 8> candidates(const PlotLabel& label, float gap) {
    const float right = label.x + gap, left = label.x - gap - label.width;
    const float above = label.y - gap - label.height, below = label.y + gap;
    const float middle_x = label.x - label.width / 2, middle_y = label.y - label.height / 2;
    return {box_at(label, right, middle_y),
            box_at(label, right, above),
            box_at(label, left, middle_y),
            box_at(label, left, below),
            box_at(label, right, below),
            box_at(label, left, above),
            box_at(label, middle_x, above),
            box_at(label, middle_x, below)};
}

std::optional<PlotBox> place_of(const PlotLabel& label, const PlotObstacles& obstacles, float gap) {
    const auto places = candidates(label, gap);
    for (const bool doubtful : {false, true})
        for (const bool over_lines : {false, true})
            for (const PlotBox& box : places)
                if (obstacles.area.holds(box) && !crosses(box, obstacles.taken) &&
                    (over_lines || !crosses(box, obstacles.lines)) &&
                    (doubtful || !is_doubtful(box, label, obstacles.taken, gap / 2)))
                    return box;
    return std::nullopt;
}

}  // namespace

std::vector<std::optional<PlotBox>> place_labels(std::span<const PlotLabel> labels,
                                                 PlotObstacles obstacles,
                                                 float gap) {
    std::vector<std::optional<PlotBox>> places;
    for (const PlotLabel& label : labels) {
        places.push_back(place_of(label, obstacles, gap));
        if (places.back()) obstacles.taken.push_back(*places.back());
    }
    return places;
}

}  // namespace stencil
