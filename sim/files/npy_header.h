// The header of a .npy file: magic, version, and a Python dict literal such as
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {

class InputFile;

struct NpyDict {
    std::string descr;        ///< empty for structured types
    bool structured = false;  ///< a list of fields or a subarray
    bool fortran_order = false;
    std::vector<std::uint64_t> shape;  ///< saturated at 2^64 - 1
    std::string shape_text;            ///< as the file spells it
};

/// Reads a file's header and returns the offset of its data in bytes. Throws InputError.
NpyDict read_npy_dict(InputFile& file, std::uintmax_t& data_offset);

/// Throws InputError if the file's length differs from what its header says.
void require_npy_size(const InputFile& file,
                      const NpyDict& dict,
                      std::string_view type_name,
                      std::uintmax_t needed);

/// The header of an array in C order, as NumPy writes version 1.0.
std::string npy_header_text(std::string_view descr, std::span<const std::int64_t> shape);

/// NumPy's name of a type: "int32" for "<i4"; empty if there is none.
std::string npy_dtype_name(std::string_view descr);

}  // namespace stencil
