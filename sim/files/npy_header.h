// What a .npy file starts with: magic, version, and a Python dict literal such as
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {

class InputFile;

struct NpyDict {
    std::string descr;        ///< empty where the dtype is structured
    bool structured = false;  ///< the dtype is a list of fields or a subarray
    bool fortran_order = false;
    std::vector<std::uint64_t> shape;  ///< an axis beyond 2^64 - 1 counts as that
    std::string shape_text;            ///< as the file spells it
};

struct NpyDictError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Reads the literal: the three keys in any order, each once, white space anywhere between the symbols.
/// Throws NpyDictError with what is wrong.
NpyDict parse_npy_dict(std::string_view text);

/// Reads a file from its start up to its data, whose offset in bytes it returns as well. Throws InputError.
NpyDict read_npy_dict(InputFile& file, std::uintmax_t& data_offset);

/// Throws InputError where the file is longer or shorter than the bytes that its header promises.
void require_npy_size(const InputFile& file,
                      const NpyDict& dict,
                      std::string_view type_name,
                      std::uintmax_t needed);

/// Everything before the data of an array in C order, as NumPy writes version 1.0.
std::string npy_header_text(std::string_view descr, std::span<const std::int64_t> shape);

/// What NumPy calls a type: "int32" for "<i4"; empty where it has no such type.
std::string npy_dtype_name(std::string_view descr);

}  // namespace stencil
