// One texture with all thumbnails of a list, in a grid of squares.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "app/window/display/gl_objects.h"
#include "app/window/ui_state.h"
#include "sim/machine/background.h"
#include "sim/session/gallery/gallery.h"

namespace stencil {

/// Needs the OpenGL context current for its whole life.
class GalleryTexture {
  public:
    static constexpr int kColumns = 8;

    /// Uploads new pictures. Every call must have as many pictures as the first.
    void take(const GalleryPictures& pictures);
    /// OpenGL's texture name; 0 before the first picture.
    std::uintptr_t name() const { return texture_.name(); }
    static int rows(std::size_t pictures) { return (int(pictures) + kColumns - 1) / kColumns; }

  private:
    GlObject texture_;
    GalleryPictures taken_;
};

/// The thumbnails of the gallery, read when they are first visible, and of kept sessions.
class ThumbnailTextures {
  public:
    /// `wake` is called from another thread when take() has something.
    explicit ThumbnailTextures(std::function<void()> wake) : gallery_(std::move(wake)) {}
    /// Shows the pictures that have been read; returns whether there are new ones.
    bool take(UiState& ui);

  private:
    std::unique_ptr<GalleryTexture> rows_, sessions_;
    Background<GalleryPictures> gallery_;
};

}  // namespace stencil
