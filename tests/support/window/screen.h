// Draws fields off screen.
#pragma once

#include <glad/gl.h>

#include "app/window/display/display.h"
#include "app/window/display/field_renderer.h"
#include "sim/view/colormap.h"
#include "tests/support/catch.h"
#include "tests/support/picture.h"
#include "tests/support/window/virtual_display.h"

namespace stencil_test {

using namespace stencil;

inline constexpr Rgb kUntouched{3, 141, 59};

/// A hidden window with its own frame buffer, because the contents of a hidden window are undefined.
class Screen {
  public:
    Screen(int width, int height, bool allow_interop = true)
        : display_((require_display(), DisplayOptions{640, 480, false, false})),
          width_(width),
          height_(height) {
        glCreateRenderbuffers(1, &color_);
        glNamedRenderbufferStorage(color_, GL_RGBA8, width, height);
        glCreateFramebuffers(1, &frame_);
        glNamedFramebufferRenderbuffer(frame_, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_);
        glBindFramebuffer(GL_FRAMEBUFFER, frame_);
        glClearColor(kUntouched.r / 255.0f, kUntouched.g / 255.0f, kUntouched.b / 255.0f, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        renderer_ = std::make_unique<FieldRenderer>(allow_interop);
    }
    ~Screen() {
        renderer_.reset();
        glDeleteFramebuffers(1, &frame_);
        glDeleteRenderbuffers(1, &color_);
    }

    Display& display() { return display_; }
    FieldRenderer& renderer() { return *renderer_; }

    void draw(int slot, const PaneImage& image, const ScreenRect& where, const ScreenRect& clip) {
        renderer_->draw(slot, {&image, where, clip}, width_, height_);
    }

    ScreenRect all() const { return {0, 0, double(width_), double(height_)}; }
    /// Fills the screen.
    void draw(const PaneImage& image) { draw(0, image, all(), all()); }

    /// Returns the pixels, row 0 on top.
    std::vector<Rgb> read() const {
        std::vector<Rgb> lowest_first(std::size_t(width_ * height_)), pixels;
        glPixelStorei(GL_PACK_ALIGNMENT, 1);
        glReadPixels(0, 0, width_, height_, GL_RGB, GL_UNSIGNED_BYTE, lowest_first.data());
        for (int y = height_ - 1; y >= 0; --y)
            pixels.insert(
                pixels.end(), lowest_first.begin() + y * width_, lowest_first.begin() + (y + 1) * width_);
        REQUIRE(glGetError() == GL_NO_ERROR);
        return pixels;
    }

  private:
    Display display_;
    int width_, height_;
    unsigned color_ = 0, frame_ = 0;
    std::unique_ptr<FieldRenderer> renderer_;
};

inline PaneImage make_image(
    int width, int height, std::vector<float> values, std::string colors, ValueRange range) {
    auto pixels = std::make_shared<Pixels>();
    pixels->width = width;
    pixels->height = height;
    pixels->host = std::move(values);
    PaneImage image;
    image.pixels = std::move(pixels);
    image.range = range;
    image.colormap = std::move(colors);
    return image;
}

}  // namespace stencil_test
