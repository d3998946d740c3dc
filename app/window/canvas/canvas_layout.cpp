#include "app/window/canvas/canvas_layout.h"

#include <algorithm>
#include <cmath>

namespace stencil {
namespace {

// Distances in lines of text.
constexpr double kMargin = 0.6;
constexpr double kGap = 0.8;
constexpr double kTitle = 1.6;
constexpr double kColorBar = 2.6;
constexpr double kXAxis = 1.3;
constexpr double kYAxis = 2.9;
constexpr double kLowestWithColorBar = 14;

// Use another row only if it enlarges the pictures by this factor; side by side is preferred.
constexpr double kWorthARow = 1.02;

/// Equal cells, filled row by row, each with a title, a picture and a colour bar.
struct Grid {
    int columns = 1, rows = 1;
    double width = 1, height = 1;  ///< of a picture
    double bar = 0;                ///< height of a colour bar
    double below = 0, left = 0;    ///< room for coordinates: below each picture, and once at the left

    double scale(FieldSize field) const { return std::min(width / field.nx, height / field.ny); }
};

struct Sizes {
    double margin, gap, title, line;
    bool axes;
};

Grid grid_of(int count, int columns, const ScreenRect& area, const Sizes& sizes) {
    Grid grid;
    grid.columns = columns;
    grid.rows = (count + columns - 1) / columns;
    const double row = std::floor(area.height / grid.rows);
    grid.bar = row < kLowestWithColorBar * sizes.line ? 0 : std::round(kColorBar * sizes.line);
    if (sizes.axes && grid.bar > 0) {
        grid.below = std::round(kXAxis * sizes.line);
        grid.left = std::round(kYAxis * sizes.line);
    }
    const double inner = area.width - 2 * sizes.margin - grid.left - (columns - 1) * sizes.gap;
    grid.width = std::max(1.0, std::floor(inner / columns));
    grid.height = std::max(1.0, row - sizes.title - grid.below - std::max(grid.bar, sizes.margin));
    return grid;
}

Grid best_grid(int count, const ScreenRect& area, const Sizes& sizes, FieldSize field) {
    Grid best = grid_of(count, count, area, sizes);
    for (int columns = count - 1; columns >= 1; --columns) {
        const Grid grid = grid_of(count, columns, area, sizes);
        // Never give up the colour bars for a larger picture.
        if (grid.bar < best.bar) continue;
        if (grid.scale(field) > kWorthARow * best.scale(field)) best = grid;
    }
    return best;
}

}  // namespace

std::vector<PaneSlot> lay_out(
    std::span<const Pane> panes, const ScreenRect& area, double line, FieldSize field, bool axes) {
    std::vector<PaneSlot> slots;
    if (panes.empty()) return slots;
    const Sizes sizes{
        std::round(kMargin * line), std::round(kGap * line), std::round(kTitle * line), line, axes};
    const Grid grid = best_grid(int(panes.size()), area, sizes, field);
    const double row = std::floor(area.height / grid.rows);
    for (const Pane pane : panes) {
        const int index = int(slots.size());
        const int column = index % grid.columns;
        const double x = std::ceil(area.x) + sizes.margin + grid.left + column * (grid.width + sizes.gap);
        const double y = std::ceil(area.y) + (index / grid.columns) * row;
        const double picture = y + sizes.title;
        slots.push_back({pane,
                         {x, y, grid.width, sizes.title},
                         {x, picture, grid.width, grid.height},
                         {x, picture + grid.height + grid.below, grid.width, grid.bar},
                         grid.below > 0,
                         grid.left > 0 && column == 0});
    }
    return slots;
}

const PaneSlot& top_right(std::span<const PaneSlot> slots) {
    return *std::ranges::max_element(slots, [](const PaneSlot& a, const PaneSlot& b) {
        return a.title.y != b.title.y ? a.title.y > b.title.y : a.title.x < b.title.x;
    });
}

PaneSlot captioned(const PaneSlot& slot, const ScreenRect& shown, double least) {
    const ScreenRect& picture = slot.picture;
    const double right = picture.x + picture.width;
    const double width = std::clamp(std::max(shown.width, least), 1.0, picture.width);
    const double title = std::clamp(shown.x, picture.x, std::max(picture.x, right - least));
    const double below = slot.color_bar.y - (picture.y + picture.height);
    PaneSlot result = slot;
    result.title = {
        title, std::max(slot.title.y, shown.y - slot.title.height), right - title, slot.title.height};
    result.color_bar = {std::clamp(shown.x, picture.x, right - width),
                        std::min(slot.color_bar.y, shown.y + shown.height + below),
                        width,
                        slot.color_bar.height};
    return result;
}

Pane main_pane(std::span<const Pane> panes) {
    if (panes.empty() || std::ranges::find(panes, Pane::now) != panes.end()) return Pane::now;
    return panes.front();
}

const PaneSlot* slot_at(std::span<const PaneSlot> slots, double px, double py) {
    for (const PaneSlot& slot : slots)
        if (slot.picture.contains(px, py)) return &slot;
    return nullptr;
}

const PaneImage* image_of(const Snapshot& snapshot, Pane pane) {
    if (!snapshot.frame) return nullptr;
    for (const PaneImage& image : snapshot.frame->panes)
        if (image.request.pane == pane) return &image;
    return nullptr;
}

}  // namespace stencil
