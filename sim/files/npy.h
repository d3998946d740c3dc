// NumPy's .npy files (format versions 1.0 to 3.0), two-dimensional, float32 and float64.
#pragma once

#include <cstdint>
#include <filesystem>

#include "sim/field/field.h"

namespace stencil {

/// What a file's header says, checked against the file's size.
struct NpyHeader {
    DType dtype = DType::float32;
    bool fortran_order = false;
    int nx = 0;                      ///< columns, the second axis
    int ny = 0;                      ///< rows, the first axis
    std::uintmax_t data_offset = 0;  ///< bytes before the first cell
};

/// Reads and checks the header alone. Throws InputError, one line naming the file, for anything but a
/// two-dimensional little-endian float32 or float64 array whose cells are all there.
NpyHeader read_npy_header(const std::filesystem::path& path);

/// Reads an array, in its own precision; rows of the result are the first axis in C and in Fortran order
/// alike. Throws InputError as read_npy_header() does, and where values are not finite (says how many).
Field read_npy(const std::filesystem::path& path);

/// Writes a field as version 1.0, C order, shape (ny, nx), atomically. Throws MachineError.
void write_npy(const std::filesystem::path& path, const Field& field);

}  // namespace stencil
