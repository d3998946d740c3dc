// A screen of their own for the tests that open a window.
#pragma once

#include <string>

namespace stencil_test {

/// Ends the process with the status that ctest counts as skipped; it runs each test in a process of its own.
[[noreturn]] void skip(const std::string& why);

/// Starts Xvfb once a process and points DISPLAY at it; it ends with the process, however that ends. Skips
/// the test where Xvfb is missing. STENCILSCOPE_TEST_DISPLAY names a display to use instead.
void require_display();

}  // namespace stencil_test
