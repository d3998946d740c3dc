// Owners of OpenGL objects, and pictures of the window. The context must be current for all of it, also in
// destructors.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "app/window/canvas_view.h"
#include "sim/view/colormap.h"

namespace stencil {

/// Owns one object by its OpenGL name; 0 means none.
class GlObject {
  public:
    GlObject() = default;
    GlObject(unsigned name, void (*destroy)(unsigned)) : name_(name), destroy_(destroy) {}
    GlObject(GlObject&& other) noexcept { *this = std::move(other); }
    GlObject& operator=(GlObject&& other) noexcept {
        std::swap(name_, other.name_);
        std::swap(destroy_, other.destroy_);
        return *this;
    }
    ~GlObject() {
        if (name_ != 0) destroy_(name_);
    }
    unsigned name() const { return name_; }

  private:
    unsigned name_ = 0;
    void (*destroy_)(unsigned) = nullptr;
};

/// Creates a one-level texture of a sized format such as GL_R32F, with nearest filtering and clamped edges.
GlObject make_texture(int width, int height, unsigned format);

/// A framebuffer of colours with four samples per pixel.
struct Multisampled {
    GlObject colors, frame;
    int width = 0, height = 0;
};
Multisampled make_multisampled(int width, int height);

/// Builds a program from embedded shaders, named without folder and ending. Throws MachineError with the
/// first error of the compiler.
GlObject make_program(std::string_view vertex, std::string_view fragment);

/// Makes a vertex array without attributes, for shaders that compute vertices from gl_VertexID.
GlObject make_vertex_array();

/// `target` is as for glBeginQuery.
GlObject make_query(unsigned target);

/// Returns the whole pixels of a rectangle.
ScreenRect whole_pixels(const ScreenRect& at);
/// Returns whole pixels of even width and height, which films need.
ScreenRect film_pixels(const ScreenRect& at);

/// Reads a rectangle of whole pixels of the back buffer (call before Display::swap()); `frame_height` is the
/// height of the whole frame. Row 0 of the result is on top.
std::vector<Rgb> read_pixels(const ScreenRect& at, int frame_height);

/// Writes the back buffer (call before Display::swap()) as a PNG, whole or not at all. Throws MachineError.
void save_screenshot(const std::filesystem::path& path, int width, int height);

}  // namespace stencil
