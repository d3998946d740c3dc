#include "app/window/canvas_layout.h"

#include <algorithm>
#include <cmath>

namespace stencil {
namespace {

// In lines of text.
constexpr double kMargin = 0.6;
constexpr double kGap = 0.8;
constexpr double kTitle = 1.6;
constexpr double kColorBar = 2.6;
constexpr double kLowestWithColorBar = 14;

}  // namespace

std::vector<PaneSlot> lay_out(std::span<const Pane> panes, const ScreenRect& area, double line) {
    std::vector<PaneSlot> slots;
    if (panes.empty()) return slots;
    const double margin = std::round(kMargin * line);
    const double gap = std::round(kGap * line);
    const double title = std::round(kTitle * line);
    const double bar = area.height < kLowestWithColorBar * line ? 0 : std::round(kColorBar * line);
    const double left = std::ceil(area.x) + margin;
    const double top = std::ceil(area.y);
    const double count = double(panes.size());
    const double inner = area.width - 2 * margin - (count - 1) * gap;
    const double width = std::max(1.0, std::floor(inner / count));
    const double height = std::max(1.0, std::floor(area.height) - title - std::max(bar, margin));
    for (const Pane pane : panes) {
        const double x = left + double(slots.size()) * (width + gap);
        slots.push_back({pane,
                         {x, top, width, title},
                         {x, top + title, width, height},
                         {x, top + title + height, width, bar}});
    }
    return slots;
}

PaneSlot captioned(const PaneSlot& slot, const ScreenRect& shown, double least) {
    const ScreenRect& picture = slot.picture;
    const double right = picture.x + picture.width;
    const double width = std::clamp(std::max(shown.width, least), 1.0, picture.width);
    const double middle = std::round(shown.x + shown.width / 2 - width / 2);
    const double title = std::clamp(shown.x, picture.x, std::max(picture.x, right - least / 2));
    PaneSlot result = slot;
    result.title = {
        title, std::max(slot.title.y, shown.y - slot.title.height), right - title, slot.title.height};
    result.color_bar = {std::clamp(middle, picture.x, right - width),
                        std::min(slot.color_bar.y, shown.y + shown.height),
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

}  // namespace stencil
