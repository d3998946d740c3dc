// Makes PNG files of every kind, for tests of the reader.
#pragma once

#include <string>

namespace stencil_test {

struct PngKind {
    int bits = 8;        ///< per sample: 1, 2, 4, 8 or 16
    int color_type = 0;  ///< 0 grey, 2 RGB, 4 grey and alpha, 6 RGBA
    bool interlaced = false;
};

/// Makes a file of nx x ny pixels; `rows` contains the packed rows one after the other.
std::string png_file(int nx, int ny, PngKind kind, const std::string& rows);

}  // namespace stencil_test
