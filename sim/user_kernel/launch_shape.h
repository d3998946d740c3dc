// How a kernel of the user's is launched: what the comments of its file say.
#pragma once

#include <string>
#include <string_view>

namespace stencil::user_kernel {

/// As lines "// stencilscope: block 32x8, tile 128x8, steps 4, shared 20480" give it.
struct LaunchShape {
    int block_x = 32, block_y = 8;  ///< threads
    int tile_x = 32, tile_y = 8;    ///< cells of the field that a block makes; the block's unless given
    int steps = 1;                  ///< that a launch makes, at most
    bool fused = false;             ///< `steps` was given: the entry is `steps` and not `step`
    int shared_bytes = 0;           ///< dynamic shared memory of a block

    friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
    std::string_view entry() const { return fused ? "steps" : "step"; }
};

/// Throws InputError: the file's name, the line, and what is allowed.
LaunchShape read_launch_shape(std::string_view text, const std::string& file);

}  // namespace stencil::user_kernel
