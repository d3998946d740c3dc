// A virtual screen for tests that open a window.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "tests/support/scratch.h"

namespace stencil_test {

/// An Xvfb; the test is skipped if that is missing.
class VirtualDisplay {
  public:
    VirtualDisplay();
    ~VirtualDisplay() { end(); }
    VirtualDisplay(const VirtualDisplay&) = delete;
    VirtualDisplay& operator=(const VirtualDisplay&) = delete;

    const std::string& name() const { return name_; }  ///< for DISPLAY
    std::filesystem::path screen_file() const { return folder_ / "Xvfb_screen0"; }
    void end();

  private:
    ScratchFolder folder_;
    std::string name_;
    pid_t server_ = -1;
};

/// Starts Xvfb once per process, sets DISPLAY, and ends it with the process. Skips the test if Xvfb is
/// missing. STENCILSCOPE_TEST_DISPLAY names a display to use instead.
void require_display();

/// Returns a file in xwd's format that Xvfb keeps up to date with the screen, for mapping into memory. Skips
/// the test if a display was given.
std::filesystem::path require_screen_file();

}  // namespace stencil_test
