// A screen of their own for the tests that open a window.
#pragma once

namespace stencil_test {

/// Starts Xvfb once a process and points DISPLAY at it; it ends with the process, however that ends. Where
/// Xvfb is missing, ends the process with the status that ctest counts as skipped (each test is a process of
/// its own there).
void require_display();

}  // namespace stencil_test
