// What the mouse does on the canvas.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "app/window/canvas/canvas_layout.h"
#include "app/window/ui_state.h"

namespace stencil {

/// The mouse in one frame, in pixels of the frame buffer.
struct Mouse {
    double x = 0, y = 0;
    bool known = false;             ///< it is somewhere
    bool free = false;              ///< no panel is under it
    double wheel = 0;               ///< notches, up > 0
    std::array<bool, 3> down{};     ///< left, right, middle
    std::array<bool, 3> pressed{};  ///< in this frame
    bool middle_twice = false;      ///< this press is the second of a double click
    bool ctrl = false, alt = false, shift = false;
};

/// From ImGui's IO, which must have a frame begun.
Mouse read_mouse();

/// What a frame's mouse acts upon.
struct CanvasScene {
    std::span<const PaneSlot> slots;
    FieldSize field;
    std::span<const ProbeSeries> probes;
};

/// What a stroke is made with: the brush as it is set, or the eraser.
Brush stroke_brush(const UiState& ui, bool erases);

/// Changes UiState (view, brush, profiles, hover) and sends actions (strokes, probes). What was begun on the
/// canvas goes on beyond it until the button is let go.
class CanvasInput {
  public:
    void update(UiState& ui, const CanvasScene& scene, const Mouse& mouse);

    /// The point of the field, or beyond it, that the brush would paint now; empty where it would not.
    const std::optional<SamplePoint>& brush_at() const { return brush_at_; }

    /// A line or rectangle that is painted once the button is let go.
    std::optional<BrushPiece> pending() const;

    /// Whether an end of a profile's line is under the mouse, or in its hand.
    bool at_handle() const { return at_handle_; }

    /// The brush of the stroke that is going on, or else the one that is set.
    Brush brush(const UiState& ui) const {
        return drag_.kind == Drag::Kind::stroke ? drag_.brush : stroke_brush(ui, false);
    }

    bool dragging() const { return drag_.kind != Drag::Kind::none; }
    bool panning() const { return drag_.kind == Drag::Kind::pan; }

  private:
    struct Drag {
        enum class Kind { none, pan, stroke, profile } kind = Kind::none;
        int button = 0;
        Pane pane = Pane::now;            ///< where it began
        ScreenRect picture;               ///< of that pane
        double x = 0, y = 0;              ///< the newest place: pixels
        SamplePoint cell;                 ///< a stroke's newest point, a profile's end that stays
        Brush brush;                      ///< of a stroke
        bool far = false;                 ///< a profile: the mouse went far enough to mean a line
        std::optional<std::size_t> line;  ///< a profile's; empty: it is a new one
        bool moves_from = false;          ///< a profile: its first end is dragged
        bool joined = false;              ///< a stroke has begun
        bool waits = false;               ///< a stroke that is painted when it ends
        SamplePoint from;                 ///< of such a one
    };

    void wheel(UiState& ui, const CanvasScene& scene, const Mouse& mouse);
    void press(UiState& ui, const CanvasScene& scene, const Mouse& mouse);
    void press_tool(UiState& ui, const CanvasScene& scene, const Mouse& mouse, const PaneSlot& slot);
    void press_profile(UiState& ui, const CanvasScene& scene, const Mouse& mouse);
    void go_on(UiState& ui, const CanvasScene& scene, const Mouse& mouse);
    void press_brush(UiState& ui, const CanvasScene& scene, const Mouse& mouse, const PaneSlot& slot);
    void stroke_to(UiState& ui, const CanvasScene& scene, const Mouse& mouse);
    void end_stroke(UiState& ui, const CanvasScene& scene);
    void profile_to(UiState& ui, const CanvasScene& scene, const Mouse& mouse);
    void look(UiState& ui, const CanvasScene& scene, const Mouse& mouse);
    void begin(Drag::Kind kind, int button, const Mouse& mouse, const PaneSlot& slot);

    Drag drag_;
    std::optional<SamplePoint> brush_at_;
    bool at_handle_ = false;
};

}  // namespace stencil
