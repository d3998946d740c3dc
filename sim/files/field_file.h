// Files that hold a field: one table of their formats.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/field/field.h"
#include "sim/files/input_file.h"

namespace stencil {

/// A field in a file.
struct FieldPlace {
    std::string file;
    std::string variable = {};  ///< its name in files of several arrays; empty: the only one
    bool required = false;      ///< the file must have that name; else its only array will do
};

/// A file whose header was read.
struct FoundField {
    int nx = 0, ny = 0;
    std::function<Field()> read;  ///< row 0 first; NaN where the file has no value
};

struct FieldFormat {
    std::vector<std::string_view> endings;
    std::string_view start;                       ///< first bytes, by which it is known without an ending
    FoundField (*open)(const FieldPlace& place);  ///< throws InputError; null: a picture (see image.h)
};

/// The table. A new format is a function and a row there.
std::span<const FieldFormat> field_formats();
/// ".npy .npz ...", for messages.
std::string field_endings();
/// The format by the name's ending, else by the file's first bytes. Null if neither is known.
const FieldFormat* find_format(const std::string& file);
bool has_field_ending(const std::string& file);
bool is_picture_file(const std::string& file);

/// Opens an array or table of any format but pictures. Throws InputError.
FoundField open_field(const FieldPlace& place);

/// The name to read among those that a file has. Throws InputError.
std::size_t chosen_variable(const InputFile& file,
                            const FieldPlace& place,
                            const std::vector<std::string>& names);
/// Throws InputError unless both are from 1 to the largest number of cells along an axis.
void require_field_size(const InputFile& file, std::uint64_t nx, std::uint64_t ny);

/// Unpacks values by CF's attributes: scaled, and NaN for those that are missing.
void unpack(Field& field, const std::function<double(const char* name, double otherwise)>& attribute);

FoundField open_npy(const FieldPlace& place);
FoundField open_npz(const FieldPlace& place);
/// Numbers in rows, or columns x, y and values under a line of names.
FoundField open_table(const FieldPlace& place);
FoundField open_hdf5(const FieldPlace& place);
/// Classic netCDF, or netCDF-4 by open_hdf5().
FoundField open_netcdf(const FieldPlace& place);
FoundField open_vti(const FieldPlace& place);

}  // namespace stencil
