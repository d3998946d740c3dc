// NumPy's .npy files (format versions 1.0 to 3.0) of any shape: operands and results of examples.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "sim/field/field.h"

namespace stencil {

/// An array in C order; a shape without axes is a scalar, with one value.
struct NpyArray {
    std::vector<std::int64_t> shape;
    std::variant<std::vector<float>, std::vector<double>> values;

    DType dtype() const { return values.index() == 0 ? DType::float32 : DType::float64; }
    std::size_t size() const;
};

/// What a file holds, before its values are read.
struct NpyArrayHeader {
    std::vector<std::int64_t> shape;
    std::string descr;  ///< its type as the file spells it: "<f4", "<i8"
};

/// Throws InputError, one line naming the file, where the header is none, or its values are not all there.
NpyArrayHeader read_npy_array_header(const std::filesystem::path& path);

/// Reads real numbers of either precision, integers (up to 64 bits) and booleans, in C or Fortran order, as
/// `dtype`. Throws InputError as read_npy_array_header() does, where values are not finite (says how many),
/// and for any other type.
NpyArray read_npy_array(const std::filesystem::path& path, DType dtype);

/// Version 1.0, C order, atomically. Throws MachineError.
void write_npy_array(const std::filesystem::path& path, const NpyArray& array);

}  // namespace stencil
