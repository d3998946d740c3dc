// Draws the field: values in a float texture, coloured by a shader.
#pragma once

#include <memory>
#include <optional>

#include "app/window/canvas_view.h"
#include "app/window/ui_state.h"
#include "sim/session/view.h"
#include "sim/view/colormap.h"

namespace stencil {

struct PaneDrawing {
    const PaneImage* image = nullptr;
    ScreenRect where;                      ///< the image's area on the screen
    ScreenRect clip;                       ///< the pane; clips the drawing
    const SurfaceView* surface = nullptr;  ///< viewpoint of a surface in `where`; null: flat
    std::optional<Rgb> box = {};           ///< colour of the box around a surface; empty: no box
};

/// Needs the OpenGL context current for its whole life.
class FieldRenderer {
  public:
    /// Without `allow_interop` pixels are always copied through the host, and transfer() says so.
    explicit FieldRenderer(bool allow_interop);
    ~FieldRenderer();
    FieldRenderer(const FieldRenderer&) = delete;
    FieldRenderer& operator=(const FieldRenderer&) = delete;

    /// Copies the pane's pixels into its texture unless they are there. Call it for all panes before drawing,
    /// so that the GPU switches between CUDA and OpenGL once per frame.
    void prepare(int slot, const PaneDrawing& drawing);

    /// Draws the pane, after uploading its pixels if needed. `slot` numbers the panes of a frame from 0; each
    /// slot keeps its newest pixels. Leaves the viewport on the whole frame, and blending, scissor, depth
    /// test and culling off.
    void draw(int slot, const PaneDrawing& drawing, int frame_width, int frame_height);

    /// How pixels reach the textures. It may change later if registering a texture fails. With `interop`,
    /// pixels may stay on the device (ViewRequest::host_pixels = false).
    const Transfer& transfer() const;

    /// Total time of the newest upload of each pane.
    double transfer_ms() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace stencil
