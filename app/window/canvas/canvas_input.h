// Mouse input on the canvas: panning, zooming, painting, probes, profiles, and turning a surface.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "app/window/canvas/canvas_layout.h"
#include "app/window/ui_state.h"

namespace stencil {

/// The mouse in one frame; position in pixels of the frame buffer.
struct Mouse {
    double x = 0, y = 0;
    bool known = false;             ///< false while the mouse is outside all windows
    bool free = false;              ///< no panel is under the mouse
    double wheel = 0;               ///< notches, up > 0
    std::array<bool, 3> down{};     ///< left, right, middle
    std::array<bool, 3> pressed{};  ///< in this frame, in the same order
    bool middle_twice = false;      ///< this press is the second of a double click
    bool ctrl = false, alt = false, shift = false;
};

/// Reads ImGui's IO. A frame must have begun.
Mouse read_mouse();

/// The layout and data that the mouse acts on in a frame.
struct CanvasScene {
    std::span<const PaneSlot> slots;
    FieldSize field;
    std::span<const ProbeSeries> probes;
    /// The left button uses its tool, selects a rectangle, or moves the picture.
    enum class LeftButton { tool, select, pan } left = LeftButton::tool;
};

/// The rectangle from where a button was pressed to where it is.
struct Selection {
    SamplePoint from, to;
};

/// Returns the brush to paint with: the one set, or the eraser.
Brush stroke_brush(const UiState& ui, bool erases);

/// Changes UiState (view, brush, profiles, hover) and sends actions (strokes, probes). A drag that began on
/// the canvas continues outside until the button is released.
class CanvasInput {
  public:
    void update(UiState& ui, const CanvasScene& scene, const Mouse& mouse);

    /// The point that the brush would paint, which may lie outside the field; empty if it would not paint.
    const std::optional<SamplePoint>& brush_at() const { return brush_at_; }

    /// The line or rectangle that will be painted when the button is released.
    std::optional<BrushPiece> pending() const;

    /// The rectangle being selected.
    std::optional<Selection> selecting() const;
    /// The rectangle whose selection ended in this frame.
    const std::optional<Selection>& selected() const { return selected_; }

    /// Whether the mouse is over, or drags, an end of a profile's line.
    bool at_handle() const { return at_handle_; }

    /// The brush of the current stroke, otherwise the selected one.
    Brush brush(const UiState& ui) const {
        return drag_.kind == Drag::Kind::stroke ? drag_.brush : stroke_brush(ui, false);
    }

    bool dragging() const { return drag_.kind != Drag::Kind::none; }
    bool panning() const { return drag_.kind == Drag::Kind::pan; }

  private:
    struct Drag {
        enum class Kind { none, pan, stroke, profile, select } kind = Kind::none;
        int button = 0;
        Pane pane = Pane::now;                 ///< where the drag began
        ScreenRect picture;                    ///< the rectangle of that pane
        double x = 0, y = 0;                   ///< latest position in pixels
        SamplePoint cell = {};                 ///< stroke: latest point; profile: the fixed end
        Brush brush = {};                      ///< stroke
        bool far = false;                      ///< profile: the mouse moved far enough to begin a line
        std::optional<std::size_t> line = {};  ///< profile: index; empty: a new one
        bool moves_from = false;               ///< profile: its first end is dragged, not its second
        bool joined = false;                   ///< the first segment of the stroke was sent
        bool waits = false;                    ///< stroke that is painted on release (line, rectangle)
        SamplePoint from = {};                 ///< where that stroke began
    };

    void wheel(UiState& ui, const CanvasScene& scene);
    void press(UiState& ui, const CanvasScene& scene);
    void press_tool(UiState& ui, const CanvasScene& scene, const PaneSlot& slot);
    void press_profile(UiState& ui, const CanvasScene& scene);
    void go_on(UiState& ui, const CanvasScene& scene);
    void press_brush(UiState& ui, const CanvasScene& scene, const PaneSlot& slot);
    void stroke_to(UiState& ui, const CanvasScene& scene);
    void end_stroke(UiState& ui, const CanvasScene& scene);
    void profile_to(UiState& ui, const CanvasScene& scene);
    void look(UiState& ui, const CanvasScene& scene);
    void begin(Drag::Kind kind, int button, const PaneSlot& slot);

    Mouse mouse_;  ///< in this frame
    Drag drag_;
    std::optional<SamplePoint> brush_at_;
    bool at_handle_ = false;
    std::optional<Selection> selected_;
};

inline bool shows(const UiState& ui, Pane pane) {
    return !ui.panes.empty() && ui.panes.front() == pane;
}

inline bool is_mosaic(const UiState& ui) {
    return shows(ui, Pane::mosaic);
}

inline bool shows_fit(const UiState& ui, const Snapshot& snapshot) {
    return shows(ui, Pane::fit_target) && snapshot.fit && snapshot.fit->has_fields();
}

/// Dragging rotates, the wheel zooms; a double click of the middle button, or Fit, resets the view.
class SurfaceInput {
  public:
    void update(UiState& ui, const PaneSlot& slot, const Mouse& mouse);

  private:
    bool turning_ = false;
    double x_ = 0, y_ = 0;  ///< mouse position in the previous frame: pixels
};

}  // namespace stencil
