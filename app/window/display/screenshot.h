// A picture of the window.
#pragma once

#include <filesystem>

namespace stencil {

/// Writes what was drawn into the frame that is not shown yet (before Display::swap()) as a PNG, whole or not
/// at all. Throws MachineError.
void save_screenshot(const std::filesystem::path& path, int width, int height);

}  // namespace stencil
