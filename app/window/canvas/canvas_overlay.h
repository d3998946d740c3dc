// Overlays over and around the field: titles, axes, grid, numbers, arrows, tools, badges and colour bars.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/window/canvas/canvas_input.h"
#include "app/window/canvas/canvas_layout.h"
#include "app/window/canvas/canvas_painter.h"
#include "app/window/theme.h"
#include "app/window/ui_state.h"
#include "sim/figure/figure.h"
#include "sim/figure/ticks.h"
#include "sim/problem/units.h"

namespace stencil {

/// The scale of an axis that shows a parameter instead of the position.
struct AxisScale {
    std::string name;
    double first = 0, last = 0;            ///< at the picture's edges
    std::vector<std::string> labels = {};  ///< of equal parts of the axis; empty: it is continuous
    friend bool operator==(const AxisScale&, const AxisScale&) = default;
};
struct AxisScales {
    std::optional<AxisScale> x = {}, y = {};  ///< empty: the position
    friend bool operator==(const AxisScales&, const AxisScales&) = default;
};

/// Axes along the visible part of the field, in cells or in the equation's lengths.
struct FieldAxes {
    ResampleRequest of;
    double line = 0;           ///< height of a line of text in pixels
    figure::FigureAxes cells;  ///< their coordinates
    figure::Ticks x, y;
    FieldSize field = {};
    AxisScales scales = {};
};

/// Makes as many labels as fit beside `visible`; needs ImGui's font.
FieldAxes axes_over(const ResampleRequest& visible,
                    double line,
                    const figure::FigureAxes& cells = {},
                    FieldSize field = {},
                    const AxisScales& scales = {});

/// Makes the labels of a picture of the middle row over time.
FieldAxes axes_over_time(const ResampleRequest& visible, double line, const Snapshot& snapshot);

/// The data that the overlays of one frame are drawn from.
struct OverlayScene {
    const UiState& ui;
    const Snapshot& snapshot;
    const CanvasColors& colors;
    FieldSize field;
    const FieldAxes& axes;
    std::optional<SamplePoint> brush_at;  ///< position of the brush while it is over the canvas
    Brush brush;                          ///< the brush whose outline is drawn
    std::optional<BrushPiece> pending;    ///< a line or rectangle being drawn
    std::optional<Selection> selection;   ///< tiles being selected
};

/// Draws the overlays of the flat field: outline, axes, grid, the numbers in cells, arrows, profiles, probes,
/// and the brush or, in the other panes, the cursor.
void draw_over_field(Painter& painter, const OverlayScene& scene, const PaneSlot& slot);

/// "Target 2 at t = 300", or without its number if it is the only one.
std::string title_of_target(const FitView& fit, std::size_t target);
/// The colours' width and what stands around them.
struct ColorBarMarks {
    std::string label;  ///< at the left of the bar
    figure::Ticks ticks;
    double width = 0;
    double size = 0;         ///< of the ticks' labels
    bool two_lines = false;  ///< the high end's label stands below the low end's
};
/// The marks that fit a strip: both ends have numbers, however narrow it is. `arrows`: the width that the
/// arrows at the bar's ends take of it.
ColorBarMarks color_bar_marks(const Painter& painter,
                              const ScreenRect& strip,
                              const PaneImage& image,
                              double arrows);
/// Draws the overlays of the tiles of a sweep: lines between them, why runs failed, what colours those that
/// show pictures, the place of the present run, and the tile under the mouse with its parameters.
void draw_over_tiles(Painter& painter, const OverlayScene& scene, const PaneSlot& slot);
/// Draws the outline and the axes of the middle row over time.
void draw_around_rows(Painter& painter, const OverlayScene& scene, const PaneSlot& slot);

/// Draws the labels of the box around a surface: columns, rows and, where it is high enough, values.
void draw_around_surface(Painter& painter, const OverlayScene& scene, const PaneSlot& slot);

/// Draws the title above the field, up to x = `right`.
void draw_title(Painter& painter, const OverlayScene& scene, const PaneSlot& slot, double right);

/// Returns the cells whose values are written into them; empty if the cells are too small or numbers are off.
std::optional<CellBlock> numbered_cells(const UiState& ui, FieldSize field, const ResampleRequest& visible);

inline constexpr double kBadgeShare = 0.1;  ///< opacity of a badge's background

/// Draws the badge "paused" at the right of the strip and, if `waiting` (seconds) > 0, that the
/// picture is out of date. Returns the left edge of what it drew.
double draw_state(Painter& painter, const OverlayScene& scene, const ScreenRect& strip, double waiting);

/// Returns where arrows fit in the visible area without touching.
ArrowLattice arrows_on(const UiState& ui, FieldSize field, const CellArea& visible);

/// Draws a horizontal bar with ticks and the quantity's label at the right of `strip`, and an arrow at each
/// end that values exceed. Returns the rectangle of the colours; of width 0 if there is no room.
ScreenRect draw_color_bar(Painter& painter,
                          const CanvasColors& colors,
                          const ScreenRect& strip,
                          const PaneImage& image);

}  // namespace stencil
