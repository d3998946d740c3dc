// A virtual screen for tests that open a window.
#pragma once

#include <filesystem>

namespace stencil_test {

/// Starts Xvfb once per process, sets DISPLAY, and ends it with the process. Skips the test if Xvfb is
/// missing. STENCILSCOPE_TEST_DISPLAY names a display to use instead.
void require_display();

/// Returns a file in xwd's format that Xvfb keeps up to date with the screen, for mapping into memory. Skips
/// the test if a display was given.
std::filesystem::path require_screen_file();

}  // namespace stencil_test
