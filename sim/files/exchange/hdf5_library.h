// The HDF5 library, loaded on first use because it pulls in network libraries that other runs do not need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace stencil::hdf5 {

// Declarations from the headers of versions 1.10 to 1.14, so that building does not need them.
using Id = std::int64_t;     // hid_t
using Size = std::uint64_t;  // hsize_t
struct Error {               // H5E_error2_t
    Id class_id, major, minor;
    unsigned line;
    const char *function, *file, *text;
};
using SeeError = int (*)(unsigned number, const Error* error, void* data);

inline constexpr unsigned kTruncate = 2;                   // H5F_ACC_TRUNC
inline constexpr std::size_t kVariable = std::size_t(-1);  // H5T_VARIABLE
inline constexpr int kUtf8 = 1;                            // H5T_CSET_UTF8

struct Library {
    int (*open)();
    int (*no_end)();
    Id (*create_file)(const char* name, unsigned flags, Id creation, Id access);
    int (*close_file)(Id);
    int (*release)(Id);
    Id (*new_properties)(Id kind);
    int (*set_tracking)(Id properties, bool times);
    int (*set_locking)(Id properties, bool use, bool ignore_failure);
    int (*set_virtual)(Id properties, Id space, const char* file, const char* name, Id source);
    Id (*new_space)(int rank, const Size* sizes, const Size* largest);
    int (*select)(Id space, int how, const Size* start, const Size* stride, const Size* count, const Size*);
    Id (*new_dataset)(Id place, const char* name, Id type, Id space, Id link, Id creation, Id access);
    int (*write)(Id dataset, Id type, Id memory, Id file, Id properties, const void* data);
    Id (*new_attribute)(Id place, const char* name, Id type, Id space, Id creation, Id access);
    int (*write_attribute)(Id attribute, Id type, const void* data);
    Id (*copy_type)(Id);
    int (*set_size)(Id type, std::size_t);
    int (*set_characters)(Id type, int);
    int (*print_errors)(Id stack, void* function, void* data);
    int (*walk_errors)(Id stack, int direction, SeeError, void* data);

    Id type_float, type_double, type_integer, type_text, file_access, dataset_creation;

    std::string why_none;  ///< why it is not available; empty if it is
};

const Library& library();

}  // namespace stencil::hdf5
