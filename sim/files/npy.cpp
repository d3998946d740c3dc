#include "sim/files/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "sim/files/atomic_file.h"
#include "sim/files/input_file.h"
#include "sim/files/npy_header.h"

namespace stencil {
namespace {

constexpr std::uint64_t kMaxAxis = std::uint64_t(1) << 30;

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
    require_npy_size(file, dict, name_of(header.dtype), needed);
}

NpyHeader read_header(InputFile& file) {
    NpyHeader header;
    const NpyDict dict = read_npy_dict(file, header.data_offset);
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
    const std::int64_t shape[] = {field.ny(), field.nx()};
    file.write(npy_header_text(field.dtype() == DType::float32 ? "<f4" : "<f8", shape));
    field.visit([&](const auto& array) { file.write(std::as_bytes(array.cells())); });
    file.commit();
}

}  // namespace stencil
