// A picture of the window.
#pragma once

#include <filesystem>
#include <vector>

#include "sim/view/colormap.h"

namespace stencil {

/// A part of what was drawn into the frame that is not shown yet (before Display::swap()): its top left
/// corner and its size, of a frame of that height. Row 0 on top.
std::vector<Rgb> read_pixels(int x, int y, int width, int height, int frame_height);

/// Writes what was drawn into the frame that is not shown yet (before Display::swap()) as a PNG, whole or not
/// at all. Throws MachineError.
void save_screenshot(const std::filesystem::path& path, int width, int height);

}  // namespace stencil
