#include "sim/files/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "sim/files/atomic_file.h"
#include "sim/files/input_file.h"
#include "sim/files/npy_header.h"

namespace stencil {
namespace {

static_assert(std::endian::native == std::endian::little, "cells are read and written as they lie in memory");

constexpr std::string_view kMagic = "\x93NUMPY";
// NumPy itself reads no header beyond 10,000 bytes that it wasn't told to trust.
constexpr std::uintmax_t kMaxHeaderBytes = 1 << 16;
constexpr std::uint64_t kMaxAxis = std::uint64_t(1) << 30;

std::string read_dict(InputFile& file, NpyHeader& header) {
    const auto need = [&](std::uintmax_t bytes) {
        if (file.size() >= bytes) return;
        file.refuse(fmt::format("cut off: its header needs {} bytes, the file has {}", bytes, file.size()));
    };
    unsigned char start[12] = {};
    if (file.size() < kMagic.size()) file.refuse("not a .npy file (too short)");
    file.read(std::as_writable_bytes(std::span(start).first(kMagic.size())));
    if (!std::equal(kMagic.begin(), kMagic.end(), start, [](char a, unsigned char b) {
            return static_cast<unsigned char>(a) == b;
        }))
        file.refuse("not a .npy file (it doesn't start with \\x93NUMPY)");
    need(8);
    file.read(std::as_writable_bytes(std::span(start).subspan(6, 2)));
    const int version = start[6];
    if (version < 1 || version > 3 || start[7] != 0)
        file.refuse(fmt::format(".npy version {}.{}; allowed: 1.0, 2.0, 3.0", version, start[7]));
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    need(8 + length_bytes);
    file.read(std::as_writable_bytes(std::span(start).subspan(8, length_bytes)));
    std::uintmax_t length = 0;
    for (std::size_t i = 0; i < length_bytes; ++i) length |= std::uintmax_t(start[8 + i]) << (8 * i);
    header.data_offset = 8 + length_bytes + length;
    need(header.data_offset);
    if (length > kMaxHeaderBytes)
        file.refuse(fmt::format("a header of {} bytes; at most {} are read", length, kMaxHeaderBytes));
    std::string dict(length, '\0');
    file.read(std::as_writable_bytes(std::span(dict)));
    return dict;
}

DType parse_dtype(const InputFile& file, const NpyDict& dict) {
    const std::string& descr = dict.descr;
    if (dict.structured) file.refuse("a structured dtype; allowed: float32 and float64");
    if (descr == "<f4" || descr == "=f4") return DType::float32;
    if (descr == "<f8" || descr == "=f8") return DType::float64;
    if (descr == ">f4" || descr == ">f8")
        file.refuse(fmt::format("big-endian; save it as little-endian, e.g. with array.astype('<{}')",
                                descr.substr(1)));
    const std::string name = npy_dtype_name(descr);
    file.refuse(fmt::format("dtype '{}'{}; allowed: float32 and float64, e.g. with array.astype('<f4')",
                            quotable(descr),
                            name.empty() ? "" : fmt::format(" ({})", name)));
}

void check_shape(const InputFile& file, const NpyDict& dict, NpyHeader& header) {
    if (dict.shape.size() != 2)
        file.refuse(fmt::format("{} axes, shape {}; allowed: two axes (rows, columns)",
                                dict.shape.size(),
                                quotable(dict.shape_text)));
    const std::uint64_t ny = dict.shape[0], nx = dict.shape[1];
    if (nx == 0 || ny == 0) file.refuse(fmt::format("no cells, shape {}", quotable(dict.shape_text)));
    if (nx > kMaxAxis || ny > kMaxAxis)
        file.refuse(
            fmt::format("shape {}; an axis has at most {} cells", quotable(dict.shape_text), kMaxAxis));
    header.nx = int(nx);
    header.ny = int(ny);
    // Two axes of at most 2^30 cells of at most 8 bytes: below 2^63, and the header is short.
    const std::uintmax_t needed = header.data_offset + nx * ny * bytes_of(header.dtype);
    if (file.size() < needed)
        file.refuse(fmt::format("cut off: shape {} of {} needs {} bytes, the file has {}",
                                quotable(dict.shape_text),
                                name_of(header.dtype),
                                needed,
                                file.size()));
    if (file.size() > needed)
        file.refuse(fmt::format("{} bytes follow the array; shape {} of {} needs {} bytes, the file has {}",
                                file.size() - needed,
                                quotable(dict.shape_text),
                                name_of(header.dtype),
                                needed,
                                file.size()));
}

NpyHeader read_header(InputFile& file) {
    NpyHeader header;
    const std::string text = read_dict(file, header);
    NpyDict dict;
    try {
        dict = parse_npy_dict(text);
    } catch (const NpyDictError& error) {
        file.refuse(fmt::format("a damaged .npy header: {}", error.what()));
    }
    header.dtype = parse_dtype(file, dict);
    header.fortran_order = dict.fortran_order;
    check_shape(file, dict, header);
    return header;
}

// The file holds column after column. Some columns at a time are read and turned: whole cache lines of the
// result are written, and the columns of a panel lie one line more than their length apart, or, with an axis
// of a power of two, all of their cells of one row would fall into the same few lines of the cache.
template <class T>
void read_columns(InputFile& file, Array<T>& array) {
    constexpr int kColumns = 64;
    const int nx = array.nx(), ny = array.ny();
    const std::size_t stride = std::size_t(ny) + 64 / sizeof(T);
    const std::unique_ptr<T[]> panel(new T[stride * std::size_t(std::min(nx, kColumns))]);
    for (int x0 = 0; x0 < nx; x0 += kColumns) {
        const int width = std::min(kColumns, nx - x0);
        for (int x = 0; x < width; ++x)
            file.read(std::as_writable_bytes(std::span(&panel[stride * std::size_t(x)], std::size_t(ny))));
        for (int y = 0; y < ny; ++y) {
            T* const target = &array.at(x0, y);
            const T* const source = &panel[std::size_t(y)];
            for (int x = 0; x < width; ++x) target[x] = source[stride * std::size_t(x)];
        }
    }
}

template <class T>
Array<T> read_cells(InputFile& file, const NpyHeader& header) {
    Array<T> array(header.nx, header.ny);
    if (header.fortran_order)
        read_columns(file, array);
    else
        file.read(std::as_writable_bytes(array.cells()));
    const auto bad = std::ranges::count_if(array.cells(), [](T value) { return !std::isfinite(value); });
    if (bad > 0)
        file.refuse(fmt::format("{} of {} values are not finite (NaN or infinite)", bad, array.size()));
    return array;
}

// Spaces up to a multiple of 64 bytes, and before them those that NumPy leaves for the first axis to grow in
// place.
std::string header_text(const Field& field) {
    constexpr std::size_t kAlignment = 64, kDigitsOfLongestAxis = 21;
    std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}, {}), }}",
                                   field.dtype() == DType::float32 ? "<f4" : "<f8",
                                   field.ny(),
                                   field.nx());
    dict.append(kDigitsOfLongestAxis - std::to_string(field.ny()).size(), ' ');
    const std::size_t before = kMagic.size() + 4;
    dict.append(kAlignment - (before + dict.size() + 1) % kAlignment, ' ');
    dict += '\n';
    std::string text(kMagic);
    text += {'\x01', '\0', char(dict.size() & 255), char(dict.size() >> 8)};
    return text + dict;
}

}  // namespace

NpyHeader read_npy_header(const std::filesystem::path& path) {
    InputFile file(path);
    return read_header(file);
}

Field read_npy(const std::filesystem::path& path) {
    InputFile file(path);
    const NpyHeader header = read_header(file);
    if (header.dtype == DType::float32) return read_cells<float>(file, header);
    return read_cells<double>(file, header);
}

void write_npy(const std::filesystem::path& path, const Field& field) {
    AtomicFile file(path);
    file.write(header_text(field));
    field.visit([&](const auto& array) { file.write(std::as_bytes(array.cells())); });
    file.commit();
}

}  // namespace stencil
