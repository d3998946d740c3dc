#include "sim/files/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "sim/files/atomic_file.h"
#include "sim/files/input_file.h"
#include "sim/files/npy_header.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

// NumPy's maximum number of axes, and a bound on values that no machine reaches and that keeps byte counts in
// range, also if an axis of length 0 makes the file short.
constexpr std::size_t kMaxAxes = 64;
constexpr std::uint64_t kMaxValues = std::uint64_t(1) << 48;
constexpr std::uint64_t kMaxFieldAxis = std::uint64_t(1) << 30;

enum class Kind { array, field };

// Bytes per value; 0 for unsupported types.
std::size_t bytes_of_type(std::string_view descr, Kind kind) {
    if (descr.size() != 3) return 0;
    const std::string_view type = descr.substr(1);
    const bool one_byte = type == "b1" || type == "i1" || type == "u1";
    if (descr[0] != '<' && descr[0] != '=' && !(descr[0] == '|' && one_byte)) return 0;
    if (type == "f4" || type == "f8") return std::size_t(type[1] - '0');
    if (kind == Kind::field) return 0;
    if (one_byte) return 1;
    for (const std::string_view known : {"i2", "i4", "i8", "u2", "u4", "u8"})
        if (type == known) return std::size_t(type[1] - '0');
    return 0;
}

void check_type(const InputFile& file, const NpyDict& dict, Kind kind) {
    const std::string_view allowed =
        kind == Kind::field ? "float32 and float64" : "float32, float64, integers and bool";
    if (dict.structured) file.refuse(fmt::format("a structured dtype; allowed: {}", allowed));
    if (bytes_of_type(dict.descr, kind) > 0) return;
    std::string little = dict.descr;
    if (little.starts_with('>')) little[0] = '<';
    if (bytes_of_type(little, kind) > 0)
        file.refuse(
            fmt::format("big-endian; save it as little-endian, e.g. with array.astype('{}')", little));
    const std::string name = npy_dtype_name(dict.descr);
    file.refuse(fmt::format("dtype '{}'{}; allowed: {}{}",
                            quotable(dict.descr),
                            name.empty() ? "" : fmt::format(" ({})", name),
                            allowed,
                            kind == Kind::field ? ", e.g. with array.astype('<f4')" : ""));
}

void check_field_shape(const InputFile& file, const NpyDict& dict) {
    const std::string shape = quotable(dict.shape_text);
    if (dict.shape.size() != 2)
        file.refuse(
            fmt::format("{} axes, shape {}; allowed: two axes (rows, columns)", dict.shape.size(), shape));
    for (const std::uint64_t n : dict.shape) {
        if (n == 0) file.refuse(fmt::format("no cells, shape {}", shape));
        if (n > kMaxFieldAxis)
            file.refuse(fmt::format("shape {}; an axis has at most {} cells", shape, kMaxFieldAxis));
    }
}

std::size_t checked_count(const InputFile& file, const NpyDict& dict, std::uint64_t max_values) {
    if (dict.shape.size() > kMaxAxes)
        file.refuse(fmt::format("{} axes; at most {} are read", dict.shape.size(), kMaxAxes));
    std::uint64_t count = 1, without_empty = 1;
    for (const std::uint64_t n : dict.shape) {
        if (n > max_values / without_empty)
            file.refuse(fmt::format("shape {}; an array has at most 2^48 values", quotable(dict.shape_text)));
        without_empty *= std::max<std::uint64_t>(n, 1);
        count *= n;
    }
    return std::size_t(count);
}

NpyHeader read_header(InputFile& file, Kind kind) {
    NpyHeader header;
    const NpyDict dict = read_npy_dict(file, header.data_offset);
    check_type(file, dict, kind);
    if (kind == Kind::field) check_field_shape(file, dict);
    // 2^60 cells of at most 8 bytes and a short header: byte counts fit into 64 bits.
    header.count =
        checked_count(file, dict, kind == Kind::field ? kMaxFieldAxis * kMaxFieldAxis : kMaxValues);
    header.shape.assign(dict.shape.begin(), dict.shape.end());
    header.descr = dict.descr;
    header.fortran_order = dict.fortran_order;
    const auto needed = header.data_offset + std::uintmax_t(header.count) * bytes_of_type(dict.descr, kind);
    require_npy_size(file, dict, npy_dtype_name(dict.descr), needed);
    return header;
}

// Where a column (first axis) of a file in Fortran order begins in C order.
std::size_t begin_of_column(const NpyHeader& header, std::size_t column) {
    std::size_t begin = 0, stride = header.count / std::size_t(header.shape[0]);
    for (std::size_t axis = 1; axis < header.shape.size(); ++axis) {
        const auto length = std::size_t(header.shape[axis]);
        stride /= length;
        begin += column % length * stride;
        column /= length;
    }
    return begin;
}

// Transposes in panels of some columns, so that whole cache lines are written. Columns of a panel are padded
// by a cache line, because with power-of-two lengths their cells would compete for the same cache sets.
template <class Source, class T>
void read_columns(InputFile& file, const NpyHeader& header, std::span<T> values) {
    constexpr std::size_t kMaxColumns = 64, kPanelValues = std::size_t(1) << 22;
    const auto length = std::size_t(header.shape[0]);
    const std::size_t columns = header.count / length;
    const std::size_t width =
        std::min(columns, std::clamp(kPanelValues / length, std::size_t(1), kMaxColumns));
    const std::size_t apart = length + 64 / sizeof(Source);
    std::vector<Source> panel(width * apart);
    std::vector<std::size_t> first(width);
    for (std::size_t begin = 0; begin < columns; begin += width) {
        const std::size_t count = std::min(width, columns - begin);
        for (std::size_t c = 0; c < count; ++c) {
            file.read(std::as_writable_bytes(std::span(&panel[c * apart], length)));
            first[c] = begin_of_column(header, begin + c);
        }
        for (std::size_t i = 0; i < length; ++i)
            for (std::size_t c = 0; c < count; ++c) values[first[c] + i * columns] = T(panel[c * apart + i]);
    }
}

template <class Source, class T>
void read_values(InputFile& file, const NpyHeader& header, std::span<T> values) {
    if (values.empty()) return;
    if (header.fortran_order && header.shape.size() > 1) return read_columns<Source>(file, header, values);
    if constexpr (std::is_same_v<Source, T>) return file.read(std::as_writable_bytes(values));
    std::vector<Source> piece(std::min(values.size(), std::size_t(1) << 16));
    for (std::size_t start = 0; start < values.size(); start += piece.size()) {
        const auto part = std::span(piece).first(std::min(piece.size(), values.size() - start));
        file.read(std::as_writable_bytes(part));
        std::ranges::transform(part, &values[start], [](Source value) { return T(value); });
    }
}

// Damaged files may hold bytes other than 0 and 1, which a C++ bool cannot represent.
struct BooleanByte {
    unsigned char byte;
    template <class T>
    explicit operator T() const {
        return T(byte != 0);
    }
};

template <class T>
void read_as(InputFile& file, const NpyHeader& header, std::span<T> values) {
    const std::string_view type = std::string_view(header.descr).substr(1);
    if (type == "f4") return read_values<float>(file, header, values);
    if (type == "f8") return read_values<double>(file, header, values);
    if (type == "b1") return read_values<BooleanByte>(file, header, values);
    if (type == "i1") return read_values<std::int8_t>(file, header, values);
    if (type == "i2") return read_values<std::int16_t>(file, header, values);
    if (type == "i4") return read_values<std::int32_t>(file, header, values);
    if (type == "i8") return read_values<std::int64_t>(file, header, values);
    if (type == "u1") return read_values<std::uint8_t>(file, header, values);
    if (type == "u2") return read_values<std::uint16_t>(file, header, values);
    if (type == "u4") return read_values<std::uint32_t>(file, header, values);
    return read_values<std::uint64_t>(file, header, values);
}

template <class T>
void read_finite(InputFile& file, const NpyHeader& header, std::span<T> values) {
    read_as(file, header, values);
    const auto bad = std::ranges::count_if(values, [](T value) { return !std::isfinite(value); });
    if (bad == 0) return;
    const bool narrowed = sizeof(T) == 4 && header.descr.ends_with("f8");
    file.refuse(fmt::format("{} of {} values are not finite (NaN{})",
                            bad,
                            values.size(),
                            narrowed ? ", infinite, or too large for float32" : " or infinite"));
}

template <class T>
Field read_cells(InputFile& file, const NpyHeader& header, NonFinite non_finite) {
    Array<T> array(int(header.shape[1]), int(header.shape[0]));
    if (non_finite == NonFinite::allowed)
        read_as(file, header, array.cells());
    else
        read_finite(file, header, array.cells());
    return array;
}

template <class T>
void write_values(const std::filesystem::path& path,
                  std::span<const std::int64_t> shape,
                  std::span<const T> values) {
    AtomicFile file(path);
    file.write(npy_header_text(sizeof(T) == 4 ? "<f4" : "<f8", shape));
    file.write(std::as_bytes(values));
    file.commit();
}

}  // namespace

std::size_t NpyArray::size() const {
    return std::visit([](const auto& v) { return v.size(); }, values);
}

NpyHeader read_npy_header(const std::filesystem::path& path) {
    InputFile file(path);
    return read_header(file, Kind::array);
}

NpyHeader read_field_header(const std::filesystem::path& path) {
    InputFile file(path);
    return read_header(file, Kind::field);
}

NpyArray read_npy_array(const std::filesystem::path& path, DType dtype) {
    InputFile file(path);
    const NpyHeader header = read_header(file, Kind::array);
    NpyArray array;
    array.shape = header.shape;
    if (dtype == DType::float32)
        array.values = std::vector<float>(header.count);
    else
        array.values = std::vector<double>(header.count);
    std::visit([&](auto& values) { read_finite(file, header, std::span(values)); }, array.values);
    return array;
}

Field read_npy(const std::filesystem::path& path, NonFinite non_finite) {
    InputFile file(path);
    const NpyHeader header = read_header(file, Kind::field);
    return header.descr.ends_with("f4") ? read_cells<float>(file, header, non_finite)
                                        : read_cells<double>(file, header, non_finite);
}

void write_npy(const std::filesystem::path& path, const Field& field) {
    const std::int64_t shape[] = {field.ny(), field.nx()};
    field.visit([&](const auto& array) { write_values(path, shape, array.cells()); });
}

void write_npy_array(const std::filesystem::path& path, const NpyArray& array) {
    std::visit([&](const auto& values) { write_values(path, array.shape, std::span(values)); }, array.values);
}

}  // namespace stencil
