// Marks over the field that are light with a dark rim, to be visible over any colour.
#pragma once

#include <utility>

#include "app/window/canvas/canvas_overlay.h"

namespace stencil {

// Pixels at scale 1.
inline constexpr double kLineWidth = 1.5;
inline constexpr double kShadowWidth = 3.5;
inline constexpr double kHandle = 4.5;

inline constexpr ImU32 kLight = IM_COL32(255, 255, 255, 235);
inline constexpr ImU32 kDark = IM_COL32(0, 0, 0, 150);

/// Least size of a text in a cell or a tile, relative to the font's size.
inline constexpr double kSmallestText = 0.62;

inline ScreenRect grown(const ScreenRect& rect, double by) {
    return {rect.x - by, rect.y - by, rect.width + 2 * by, rect.height + 2 * by};
}

/// Draws over the picture of one slot.
struct RimmedOverlay {
    Painter& painter;
    const OverlayScene& scene;
    const PaneSlot& slot;
    double unit = scene.ui.scale;

    SamplePoint on_screen(SamplePoint cell) const {
        const ScreenRect at = place(scene.ui.view, slot.picture, {cell.x, cell.y, cell.x, cell.y});
        return {at.x, at.y};
    }
    void rimmed_circle(SamplePoint at, double radius, double thickness) {
        painter.circle(at.x, at.y, radius, kDark, kShadowWidth * thickness);
        painter.circle(at.x, at.y, radius, kLight, kLineWidth * thickness);
    }

    void rimmed_frame(const ScreenRect& rect) {
        const double rim = kLineWidth * unit;
        painter.frame(grown(rect, rim), kDark, 3 * rim);
        painter.frame(rect, kLight, rim);
    }

    void cross(SamplePoint at, double arm) {
        for (const auto& [color, width] : {std::pair{kDark, kShadowWidth}, {kLight, kLineWidth}}) {
            painter.line(at.x - arm, at.y, at.x + arm, at.y, color, width * unit);
            painter.line(at.x, at.y - arm, at.x, at.y + arm, color, width * unit);
        }
    }
};

/// Draw the outline of the field, and its axes.
void draw_outline_and_axes(Painter& painter, const OverlayScene& scene, const PaneSlot& slot);

}  // namespace stencil
