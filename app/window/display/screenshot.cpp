#include "app/window/display/screenshot.h"

#include <glad/gl.h>

#include <algorithm>
#include <vector>

#include "sim/files/image.h"

namespace stencil {

std::vector<Rgb> read_pixels(int x, int y, int width, int height, int frame_height) {
    const std::size_t row = std::size_t(width);
    std::vector<Rgb> pixels(row * std::size_t(height));
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadBuffer(GL_BACK);
    // OpenGL's row 0 is at the bottom.
    glReadPixels(x, frame_height - y - height, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels.data());
    for (std::size_t top = 0, bottom = std::size_t(height) - 1; top < bottom; ++top, --bottom)
        std::swap_ranges(pixels.begin() + std::ptrdiff_t(top * row),
                         pixels.begin() + std::ptrdiff_t((top + 1) * row),
                         pixels.begin() + std::ptrdiff_t(bottom * row));
    return pixels;
}

void save_screenshot(const std::filesystem::path& path, int width, int height) {
    write_png(path, width, height, read_pixels(0, 0, width, height, height));
}

}  // namespace stencil
