// A shell script that replaces ffmpeg.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/support/scratch.h"

namespace stencil_test {

/// Writes its input to the file named by its last argument.
inline constexpr std::string_view kKeepsFrames = "for last; do :; done; cat > \"$last\"";

/// Is the first ffmpeg on $PATH during its lifetime.
class FakeFfmpeg {
  public:
    explicit FakeFfmpeg(std::string_view script)
        : path_("PATH", folder_.path().string() + ":" + std::getenv("PATH")) {
        const std::string notes = (folder_ / "arguments").string();
        write_script(folder_ / "ffmpeg", "echo \"$*\" > '" + notes + "'; " + std::string(script));
    }

    /// Arguments of the newest start.
    std::string arguments() const { return read_bytes(folder_ / "arguments"); }

  private:
    ScratchFolder folder_;
    Environment path_;
};

}  // namespace stencil_test
