// The text of a .npy header: a Python dict literal such as
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {

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

/// What NumPy calls a type: "int32" for "<i4"; empty where it has no such type.
std::string npy_dtype_name(std::string_view descr);

}  // namespace stencil
