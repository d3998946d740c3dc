// Panes, mouse and overlays of the canvas in one frame. FieldRenderer draws the field below them.
#pragma once

#include <optional>
#include <vector>

#include "app/window/canvas/canvas_input.h"
#include "app/window/canvas/canvas_overlay.h"
#include "app/window/display/field_renderer.h"
#include "app/window/theme.h"
#include "app/window/ui_state.h"

namespace stencil {

struct CanvasFrame {
    ScreenRect area;  ///< what the panels leave free, in pixels of the frame buffer
    CanvasColors colors;
    double seconds = 0;  ///< from a monotonic clock
};

struct CanvasOutput {
    ViewRequest request;                ///< for the engine; the caller sets its serial number
    std::vector<PaneDrawing> drawings;  ///< for the FieldRenderer; their images belong to the snapshot
    bool moves = false;                 ///< something is animated: draw another frame soon
};

/// Keeps the state of a drag between frames.
class Canvas {
  public:
    /// Call once per frame, between ImGui's NewFrame() and Render().
    CanvasOutput update(UiState& ui, const Snapshot& snapshot, const CanvasFrame& frame);

  private:
    ViewRequest request_for(const UiState& ui, const Snapshot& snapshot, FieldSize field) const;
    double waiting(const Snapshot& snapshot, const ViewRequest& request, double seconds);
    void draw(UiState& ui, const Snapshot& snapshot, const CanvasFrame& frame, double waited) const;

    void lay_out_panes(UiState& ui, const Snapshot& snapshot, const ScreenRect& area, double line);
    void take_selected_tiles(UiState& ui, const Snapshot& snapshot) const;
    void keep_centre(UiState& ui, FieldSize field);
    void mark_axes(const UiState& ui, const Snapshot& snapshot, FieldSize field, double line);

    CanvasInput input_;
    SurfaceInput surface_input_;
    FieldSize field_{0, 0};  ///< in the previous frame
    FieldAxes axes_;
    std::vector<PaneSlot> slots_;
    std::optional<double> waiting_since_;  ///< seconds
};

}  // namespace stencil
