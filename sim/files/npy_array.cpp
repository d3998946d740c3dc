#include "sim/files/npy_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "sim/files/atomic_file.h"
#include "sim/files/input_file.h"
#include "sim/files/npy_header.h"

namespace stencil {
namespace {

// NumPy has no more axes. As many values as no machine holds, yet few enough that bytes can be counted, also
// where another axis of length 0 makes the file short.
constexpr std::size_t kMaxAxes = 64;
constexpr std::uint64_t kMaxValues = std::uint64_t(1) << 48;

struct Layout {
    std::vector<std::int64_t> shape;
    std::string descr;
    std::size_t count = 1;
    bool fortran_order = false;
};

// Bytes of one value; 0 for a type that isn't read.
std::size_t bytes_of_type(std::string_view descr) {
    if (descr.size() != 3) return 0;
    const std::string_view type = descr.substr(1);
    const bool one_byte = type == "b1" || type == "i1" || type == "u1";
    if (descr[0] != '<' && descr[0] != '=' && !(descr[0] == '|' && one_byte)) return 0;
    if (one_byte) return 1;
    for (const std::string_view known : {"i2", "i4", "i8", "u2", "u4", "u8", "f4", "f8"})
        if (type == known) return std::size_t(type[1] - '0');
    return 0;
}

void check_type(const InputFile& file, const NpyDict& dict) {
    constexpr std::string_view kAllowed = "float32, float64, integers and bool";
    if (dict.structured) file.refuse(fmt::format("a structured dtype; allowed: {}", kAllowed));
    if (bytes_of_type(dict.descr) > 0) return;
    std::string little = dict.descr;
    if (little.starts_with('>')) little[0] = '<';
    if (bytes_of_type(little) > 0)
        file.refuse(
            fmt::format("big-endian; save it as little-endian, e.g. with array.astype('{}')", little));
    const std::string name = npy_dtype_name(dict.descr);
    file.refuse(fmt::format("dtype '{}'{}; allowed: {}",
                            quotable(dict.descr),
                            name.empty() ? "" : fmt::format(" ({})", name),
                            kAllowed));
}

std::size_t checked_count(const InputFile& file, const NpyDict& dict) {
    if (dict.shape.size() > kMaxAxes)
        file.refuse(fmt::format("{} axes; at most {} are read", dict.shape.size(), kMaxAxes));
    std::uint64_t count = 1, without_empty = 1;
    for (const std::uint64_t n : dict.shape) {
        if (n > kMaxValues / without_empty)
            file.refuse(fmt::format("shape {}; an array has at most 2^48 values", quotable(dict.shape_text)));
        without_empty *= std::max<std::uint64_t>(n, 1);
        count *= n;
    }
    return std::size_t(count);
}

Layout read_layout(InputFile& file) {
    std::uintmax_t offset = 0;
    const NpyDict dict = read_npy_dict(file, offset);
    check_type(file, dict);
    Layout layout;
    layout.count = checked_count(file, dict);
    layout.shape.assign(dict.shape.begin(), dict.shape.end());
    layout.descr = dict.descr;
    layout.fortran_order = dict.fortran_order;
    require_npy_size(file,
                     dict,
                     npy_dtype_name(dict.descr),
                     offset + std::uintmax_t(layout.count) * bytes_of_type(dict.descr));
    return layout;
}

// Where the next value of a file in Fortran order goes in C order: the first axis runs fastest.
class FortranWalk {
  public:
    explicit FortranWalk(const std::vector<std::int64_t>& shape)
        : shape_(shape), strides_(shape.size()), index_(shape.size()) {
        std::int64_t stride = 1;
        for (std::size_t a = shape.size(); a-- > 0;) {
            strides_[a] = stride;
            stride *= shape[a];
        }
    }

    std::size_t next() {
        const std::size_t here = std::size_t(at_);
        for (std::size_t a = 0; a < shape_.size(); ++a) {
            at_ += strides_[a];
            if (++index_[a] < shape_[a]) break;
            at_ -= strides_[a] * shape_[a];
            index_[a] = 0;
        }
        return here;
    }

  private:
    const std::vector<std::int64_t>& shape_;
    std::vector<std::int64_t> strides_, index_;
    std::int64_t at_ = 0;
};

template <class Source, class T>
void read_values(InputFile& file, const Layout& layout, std::vector<T>& values) {
    constexpr std::size_t kPiece = std::size_t(1) << 16;
    std::vector<Source> piece(std::min(kPiece, layout.count));
    FortranWalk walk(layout.shape);
    for (std::size_t start = 0; start < layout.count; start += piece.size()) {
        const auto part = std::span(piece).first(std::min(piece.size(), layout.count - start));
        file.read(std::as_writable_bytes(part));
        if (layout.fortran_order)
            for (const Source value : part) values[walk.next()] = T(value);
        else
            std::ranges::transform(
                part, values.begin() + std::ptrdiff_t(start), [](Source value) { return T(value); });
    }
}

// A byte of a damaged file may be neither 0 nor 1, which a C++ bool can't hold.
struct BooleanByte {
    unsigned char byte;
    template <class T>
    explicit operator T() const {
        return T(byte != 0);
    }
};

template <class T>
void read_as(InputFile& file, const Layout& layout, std::vector<T>& values) {
    const std::string_view type = std::string_view(layout.descr).substr(1);
    if (type == "f4") return read_values<float>(file, layout, values);
    if (type == "f8") return read_values<double>(file, layout, values);
    if (type == "b1") return read_values<BooleanByte>(file, layout, values);
    if (type == "i1") return read_values<std::int8_t>(file, layout, values);
    if (type == "i2") return read_values<std::int16_t>(file, layout, values);
    if (type == "i4") return read_values<std::int32_t>(file, layout, values);
    if (type == "i8") return read_values<std::int64_t>(file, layout, values);
    if (type == "u1") return read_values<std::uint8_t>(file, layout, values);
    if (type == "u2") return read_values<std::uint16_t>(file, layout, values);
    if (type == "u4") return read_values<std::uint32_t>(file, layout, values);
    return read_values<std::uint64_t>(file, layout, values);
}

template <class T>
std::vector<T> read_array(InputFile& file, const Layout& layout) {
    std::vector<T> values(layout.count);
    read_as(file, layout, values);
    const auto bad = std::ranges::count_if(values, [](T value) { return !std::isfinite(value); });
    if (bad > 0)
        file.refuse(fmt::format("{} of {} values are not finite (NaN, infinite, or too large for {})",
                                bad,
                                layout.count,
                                sizeof(T) == 4 ? "float32" : "float64"));
    return values;
}

}  // namespace

std::size_t NpyArray::size() const {
    return std::visit([](const auto& v) { return v.size(); }, values);
}

NpyArrayHeader read_npy_array_header(const std::filesystem::path& path) {
    InputFile file(path);
    Layout layout = read_layout(file);
    return {std::move(layout.shape), std::move(layout.descr)};
}

NpyArray read_npy_array(const std::filesystem::path& path, DType dtype) {
    InputFile file(path);
    const Layout layout = read_layout(file);
    NpyArray array;
    array.shape = layout.shape;
    if (dtype == DType::float32)
        array.values = read_array<float>(file, layout);
    else
        array.values = read_array<double>(file, layout);
    return array;
}

void write_npy_array(const std::filesystem::path& path, const NpyArray& array) {
    AtomicFile file(path);
    file.write(npy_header_text(array.dtype() == DType::float32 ? "<f4" : "<f8", array.shape));
    std::visit([&](const auto& values) { file.write(std::as_bytes(std::span(values))); }, array.values);
    file.commit();
}

}  // namespace stencil
