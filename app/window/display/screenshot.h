// Reads pictures of the window.
#pragma once

#include <filesystem>
#include <vector>

#include "sim/view/colormap.h"

namespace stencil {

/// Reads a rectangle of the back buffer (call before Display::swap()), given by its top left corner and size;
/// `frame_height` is that of the frame. Row 0 is on top.
std::vector<Rgb> read_pixels(int x, int y, int width, int height, int frame_height);

/// Writes the back buffer (call before Display::swap()) as a PNG, whole or not at all. Throws MachineError.
void save_screenshot(const std::filesystem::path& path, int width, int height);

}  // namespace stencil
