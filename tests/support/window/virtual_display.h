// A screen of their own for the tests that open a window.
#pragma once

#include <filesystem>

namespace stencil_test {

/// Starts Xvfb once a process and points DISPLAY at it; it ends with the process, however that ends. Skips
/// the test where Xvfb is missing. STENCILSCOPE_TEST_DISPLAY names a display to use instead.
void require_display();

/// Where the pixels of that screen are: a dump in xwd's format that Xvfb keeps up to date, for mapping into
/// memory. Skips the test on a display that was given.
std::filesystem::path require_screen_file();

}  // namespace stencil_test
