// NumPy's .npy files (format versions 1.0 to 3.0): fields, and arrays of any shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/field/field.h"
#include "sim/files/input_file.h"

namespace stencil {

/// A file's header, checked against the file's size.
struct NpyHeader {
    std::vector<std::int64_t> shape;
    std::string descr;  ///< type as the file spells it: "<f4", "<i8"
    bool fortran_order = false;
    std::uintmax_t data_offset = 0;  ///< bytes before the first value
    std::size_t count = 1;           ///< number of values
};

/// An array in C order. A shape without axes is a scalar with one value.
struct NpyArray {
    std::vector<std::int64_t> shape;
    std::variant<std::vector<float>, std::vector<double>> values;

    DType dtype() const { return values.index() == 0 ? DType::float32 : DType::float64; }
    std::size_t size() const;
};

/// Reads and checks a header. Accepts little-endian floats of 2 to 8 bytes, complex numbers of them, integers
/// of up to 64 bits and booleans, complete. Throws InputError, one line that names the file, otherwise.
NpyHeader read_npy_header(const std::filesystem::path& path);

/// All values of such a file in C order: std::uint64_t, modulo 2^64, for integers and booleans;
/// std::complex<double> for any. Throws InputError.
template <class T>
std::vector<T> read_npy_values(const std::filesystem::path& path);

/// Reads an array, in C or Fortran order, as `dtype`. Throws InputError as read_npy_header() does, and if
/// values are not finite or out of the type's range (with their number).
NpyArray read_npy_array(const std::filesystem::path& path, DType dtype);

/// As above but for fields only: shape (rows, columns), at least one cell. read_npy() keeps the file's
/// precision; integers and booleans become float64.
NpyHeader read_field_header(const std::filesystem::path& path);
Field read_npy(const std::filesystem::path& path);
/// The same of an open file; read_npy_cells() leaves NaN and infinite values in place.
NpyHeader read_field_header(InputFile& file);
Field read_npy_cells(InputFile& file, const NpyHeader& header);

/// Write version 1.0 in C order; a field's shape is (ny, nx). Atomic; throw MachineError.
void write_npy(const std::filesystem::path& path, const Field& field);
void write_npy_array(const std::filesystem::path& path, const NpyArray& array);
void write_npy_bytes(const std::filesystem::path& path,
                     std::string_view descr,
                     std::span<const std::int64_t> shape,
                     std::span<const std::byte> bytes);

/// The header of an array in C order, as NumPy writes version 1.0.
std::string npy_header_text(std::string_view descr, std::span<const std::int64_t> shape);

}  // namespace stencil
