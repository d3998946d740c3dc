// Launch configuration of a user's kernel, given in comments of its file.
#pragma once

#include <string>
#include <string_view>

namespace stencil::user_kernel {

/// Parsed from lines such as "// stencilscope: block 32x8, tile 128x8, steps 4, shared 20480".
struct LaunchShape {
    int block_x = 32, block_y = 8;  ///< threads
    int tile_x = 32, tile_y = 8;    ///< cells computed by a block; by default its threads
    int steps = 1;                  ///< most steps per launch
    bool fused = false;             ///< `steps` was given: the entry is named `steps` instead of `step`
    int shared_bytes = 0;           ///< dynamic shared memory per block

    friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
    std::string_view entry() const { return fused ? "steps" : "step"; }
};

/// Throws InputError with file name, line and what is allowed.
LaunchShape read_launch_shape(std::string_view text, const std::string& file);

}  // namespace stencil::user_kernel
