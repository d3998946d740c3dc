// One texture with all thumbnails of a list, in a grid of squares.
#pragma once

#include <cstdint>

#include "app/window/display/gl_objects.h"
#include "sim/session/gallery/gallery.h"

namespace stencil {

/// Needs the OpenGL context current for its whole life.
class GalleryTexture {
  public:
    static constexpr int kColumns = 8;

    /// Uploads the pictures that are not there yet. Their number stays as it was in the first call.
    void take(const Gallery::Pictures& pictures);
    /// OpenGL's texture name; 0 before the first picture.
    std::uintptr_t name() const { return texture_.name(); }
    static int rows(std::size_t pictures) { return (int(pictures) + kColumns - 1) / kColumns; }

  private:
    GlObject texture_;
    Gallery::Pictures taken_;
};

}  // namespace stencil
