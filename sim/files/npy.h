// NumPy's .npy files (format versions 1.0 to 3.0): fields, and arrays of any shape.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "sim/field/field.h"

namespace stencil {

/// What a file's header says, checked against the file's size.
struct NpyHeader {
    std::vector<std::int64_t> shape;
    std::string descr;  ///< its type as the file spells it: "<f4", "<i8"
    bool fortran_order = false;
    std::uintmax_t data_offset = 0;  ///< bytes before the first value
    std::size_t count = 1;           ///< of values
};

/// An array in C order; a shape without axes is a scalar, with one value.
struct NpyArray {
    std::vector<std::int64_t> shape;
    std::variant<std::vector<float>, std::vector<double>> values;

    DType dtype() const { return values.index() == 0 ? DType::float32 : DType::float64; }
    std::size_t size() const;
};

/// Reads and checks the header alone. Throws InputError, one line naming the file, for anything but
/// little-endian real numbers of either precision, integers of up to 64 bits, and booleans, all there.
NpyHeader read_npy_header(const std::filesystem::path& path);

/// What of values that are NaN or infinite.
enum class NonFinite { refused, allowed };

/// Reads an array, in C or Fortran order, as `dtype`. Throws InputError as read_npy_header() does, and where
/// values are not finite or too large for the type (says how many).
NpyArray read_npy_array(const std::filesystem::path& path, DType dtype);

/// The same for fields: two axes, (rows, columns), of float32 or float64, at least one cell. A field is read
/// in its own precision.
NpyHeader read_field_header(const std::filesystem::path& path);
Field read_npy(const std::filesystem::path& path, NonFinite non_finite = NonFinite::refused);

/// Version 1.0, C order, a field's shape being (ny, nx); atomically. Throws MachineError.
void write_npy(const std::filesystem::path& path, const Field& field);
void write_npy_array(const std::filesystem::path& path, const NpyArray& array);

}  // namespace stencil
