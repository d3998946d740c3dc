// Draws pictures of the field: values in a float texture, coloured by a shader.
#pragma once

#include <memory>

#include "app/window/canvas/canvas_view.h"
#include "app/window/ui_state.h"
#include "sim/session/view.h"

namespace stencil {

struct PaneDrawing {
    const PaneImage* image = nullptr;
    ScreenRect where;                      ///< of the image's area on the screen
    ScreenRect clip;                       ///< the pane on the canvas; nothing is drawn beyond it
    const SurfaceView* surface = nullptr;  ///< seen from there, in the middle of `where`; else from above
};

/// Needs the OpenGL context current, for its whole life.
class FieldRenderer {
  public:
    /// `allow_interop` false: always copies, and says so.
    explicit FieldRenderer(bool allow_interop);
    ~FieldRenderer();
    FieldRenderer(const FieldRenderer&) = delete;
    FieldRenderer& operator=(const FieldRenderer&) = delete;

    /// Copies the pane's pixels into its texture, unless they are there already. Called before any of the
    /// frame's drawing, so that the GPU switches from CUDA to OpenGL once a frame and not back and forth.
    void prepare(int slot, const PaneDrawing& drawing);

    /// Uploads the pane's pixels unless they are those already in its texture, and draws them. `slot` numbers
    /// the panes of one frame from 0. Keeps the newest pixels of every slot. Leaves the viewport on the whole
    /// frame, and blending, scissor, depth test and culling off.
    void draw(int slot, const PaneDrawing& drawing, int frame_width, int frame_height);

    /// How pixels get into the texture: known from the start, and changed where registering fails later.
    /// Pixels may stay on the device (ViewRequest::host_pixels = false) where it says `interop`.
    const Transfer& transfer() const;

    /// Of the newest uploads, one a pane, together.
    double transfer_ms() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace stencil
