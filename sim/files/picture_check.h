// What the picture decoder doesn't look at: whether a PNG or JPEG file is whole, undamaged, and honest about
// its size.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

namespace stencil {

struct PictureHeader {
    int nx = 0;    ///< columns
    int ny = 0;    ///< rows
    int bits = 8;  ///< of a sample
};

struct PictureError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Walks a file from its start to its end marker (what follows is ignored) without decoding it. The format is
/// told by the first bytes. Throws PictureError with what is wrong.
PictureHeader check_picture(std::span<const std::uint8_t> bytes);

}  // namespace stencil
