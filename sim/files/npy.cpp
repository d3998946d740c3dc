#include "sim/files/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <complex>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <string_view>

#include "sim/files/atomic_file.h"
#include "sim/files/input_file.h"
#include "sim/text/json.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little,
              "values are read and written as they lie in memory");

constexpr std::string_view kMagic = "\x93NUMPY";
// NumPy itself reads headers of at most 10,000 bytes unless told to trust the file.
constexpr std::uintmax_t kMaxHeaderBytes = 1 << 16;

// --- Headers: magic, version, and a Python dict literal such as
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }

struct NpyDict {
    std::string descr;        ///< empty for structured types
    bool structured = false;  ///< a list of fields or a subarray
    bool fortran_order = false;
    std::vector<std::uint64_t> shape;  ///< saturated at 2^64 - 1
    std::string shape_text;            ///< as the file spells it
};

// Turns Python's literal into JSON: other quotes, brackets and words, no comma before a closing bracket, and
// no suffix of Python 2's long integers. Text that is JSON but no Python becomes invalid.
std::string as_json(std::string_view python) {
    std::string json, open;  // the closing brackets that are due
    char quote = '\0';       // the quote of the string in progress
    for (const char c : python) {
        if (c == '\\' || (quote == '\'' && c == '"')) return "";
        if (quote != '\0' && c != quote) {
            json += c;
        } else if (c == '\'' || c == '"') {
            json += '"';
            quote = quote == '\0' ? c : '\0';
        } else if (c == '(' || c == '[' || c == '{') {
            open += c == '(' ? ')' : c == '[' ? ']' : '}';
            json += c == '(' ? '[' : c;
        } else if (c == ')' || c == ']' || c == '}') {
            if (!open.ends_with(c)) return "";
            open.pop_back();
            json.erase(json.find_last_not_of(" \t\r\n") + 1);
            if (json.ends_with(',')) {
                json.pop_back();
                if (std::string_view("[{,").find(json.back()) != std::string_view::npos) return "";
            }
            json += c == ')' ? ']' : c;
        } else if (c == 't' || c == 'f' || c == 'n') {
            json += '?';  // JSON's true, false and null mean nothing in Python
        } else if (c != 'L' || json.empty() || !std::isdigit(static_cast<unsigned char>(json.back()))) {
            json += c == 'T' ? 't' : c == 'F' ? 'f' : c;
        }
    }
    return json;
}

std::uint64_t axis_of(const InputFile& file, const Json& axis) {
    if (axis.is_number_unsigned()) return axis.get<std::uint64_t>();
    if (axis.is_number_float() && axis >= 0x1p64) return std::numeric_limits<std::uint64_t>::max();
    file.refuse(
        fmt::format("a damaged .npy header: {} in 'shape' is not a number of cells", quotable(axis.dump())));
}

// Accepts the three keys in any order, with any white space.
NpyDict read_dict(const InputFile& file, const std::string& text) {
    const auto fail = [&](const std::string& what) { file.refuse("a damaged .npy header: " + what); };
    if (text.find('\0') != std::string::npos) fail("no dict");  // the JSON parser would stop there
    Json json;
    std::set<std::string> keys;
    std::string repeated;
    const auto notice = [&](int depth, Json::parse_event_t event, const Json& parsed) {
        if (event == Json::parse_event_t::key && depth == 1 && !keys.insert(parsed.get<std::string>()).second)
            repeated = parsed.get<std::string>();
        return true;
    };
    try {
        json = Json::parse(as_json(text), notice);
    } catch (const Json::parse_error& error) {
        fail(fmt::format("no dict of Python, at byte {}", error.byte));
    } catch (const Json::out_of_range&) {
        fail("a number beyond the largest double");
    }
    if (!json.is_object()) fail("no dict");
    if (!repeated.empty()) fail(fmt::format("two values of '{}'", quotable(repeated)));
    for (const char* key : {"descr", "fortran_order", "shape"})
        if (!json.contains(key)) fail(fmt::format("no '{}'", key));
    if (json.size() > 3) fail("other keys than 'descr', 'fortran_order' and 'shape'");
    const Json &descr = json["descr"], &order = json["fortran_order"], &shape = json["shape"];
    if (!descr.is_string() && !descr.is_array()) fail("'descr' is not a type");
    if (!order.is_boolean()) fail("'fortran_order' is neither True nor False");
    if (!shape.is_array()) fail("'shape' is not a tuple");
    NpyDict dict{
        descr.is_string() ? descr.get<std::string>() : "", descr.is_array(), order.get<bool>(), {}, ""};
    for (const Json& axis : shape) dict.shape.push_back(axis_of(file, axis));
    const std::size_t begin = std::min(text.find_first_of("([", text.find("shape")), text.size());
    dict.shape_text = text.substr(begin, text.find(')', begin) - begin + 1);
    if (!dict.shape_text.starts_with('(')) fail("'shape' is not a tuple");
    if (dict.shape_text.find_first_of(".eE") != std::string::npos)
        fail(fmt::format("a number in 'shape' is not whole: {}", quotable(dict.shape_text)));
    // In Python, (3) is a number in brackets.
    if (dict.shape.size() == 1 && dict.shape_text.find(',') == std::string::npos)
        fail("'shape' is not a tuple");
    return dict;
}

// Reads a header; the data begin after it.
NpyDict read_npy_dict(InputFile& file, std::uintmax_t& data_offset) {
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
    data_offset = 8 + length_bytes + length;
    need(data_offset);
    if (length > kMaxHeaderBytes)
        file.refuse(fmt::format("a header of {} bytes; at most {} are read", length, kMaxHeaderBytes));
    std::string text(length, '\0');
    file.read(std::as_writable_bytes(std::span(text)));
    return read_dict(file, text);
}

// --- Values

// Returns the index in C order at which a column (first axis) of a file in Fortran order begins.
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

template <class T, class Source>
T converted(const Source& value) {
    if constexpr (std::is_same_v<T, std::complex<double>> && requires { value.real(); })
        return T(value.real(), value.imag());
    else if constexpr (std::is_same_v<T, std::complex<double>>)
        return T(double(value));
    else if constexpr (requires { value.real(); })
        return T(value.real());  // which type_of() refuses
    else
        return T(value);
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
            for (std::size_t c = 0; c < count; ++c)
                values[first[c] + i * columns] = converted<T>(panel[c * apart + i]);
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
        std::ranges::transform(part, &values[start], [](const Source& value) { return converted<T>(value); });
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

// float16: a sign, five bits of exponent, ten of mantissa.
struct HalfFloat {
    std::uint16_t bits;
    template <class T>
    explicit operator T() const {
        const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
        const double size = exponent == 31  ? (mantissa == 0 ? std::numeric_limits<double>::infinity()
                                                             : std::numeric_limits<double>::quiet_NaN())
                            : exponent == 0 ? std::ldexp(mantissa, -24)
                                            : std::ldexp(1024 + mantissa, exponent - 25);
        return T(bits >> 15 == 0 ? size : -size);
    }
};

using NpyValues = std::
    variant<std::span<float>, std::span<double>, std::span<std::uint64_t>, std::span<std::complex<double>>>;

struct NpyType {
    std::string_view code, name;
    std::size_t bytes;
    void (*read)(InputFile&, const NpyHeader&, NpyValues);
};

template <class Source>
constexpr NpyType npy_type(std::string_view code, std::string_view name) {
    return {code, name, sizeof(Source), [](InputFile& file, const NpyHeader& header, NpyValues values) {
                std::visit([&](auto span) { read_values<Source>(file, header, span); }, values);
            }};
}

constexpr NpyType kTypes[] = {npy_type<float>("f4", "float32"),
                              npy_type<double>("f8", "float64"),
                              npy_type<HalfFloat>("f2", "float16"),
                              npy_type<std::complex<float>>("c8", "complex64"),
                              npy_type<std::complex<double>>("c16", "complex128"),
                              npy_type<BooleanByte>("b1", "bool"),
                              npy_type<std::int8_t>("i1", "int8"),
                              npy_type<std::int16_t>("i2", "int16"),
                              npy_type<std::int32_t>("i4", "int32"),
                              npy_type<std::int64_t>("i8", "int64"),
                              npy_type<std::uint8_t>("u1", "uint8"),
                              npy_type<std::uint16_t>("u2", "uint16"),
                              npy_type<std::uint32_t>("u4", "uint32"),
                              npy_type<std::uint64_t>("u8", "uint64")};

// Returns null for types that are not supported.
const NpyType* find_type(std::string_view descr) {
    const auto type =
        std::ranges::find(kTypes, descr.substr(std::min<std::size_t>(1, descr.size())), &NpyType::code);
    if (type == std::end(kTypes)) return nullptr;
    return descr[0] == '<' || descr[0] == '=' || (descr[0] == '|' && type->bytes == 1) ? &*type : nullptr;
}

// `descr` may be a name, 'float64', as NumPy takes it; it becomes '<f8'.
const NpyType& type_of(const InputFile& file, NpyDict& dict, bool complex) {
    const std::string kAllowed =
        fmt::format("float16, float32, float64, {}integers and bool", complex ? "complex numbers, " : "");
    if (const auto named = std::ranges::find(kTypes, dict.descr, &NpyType::name); named != std::end(kTypes))
        dict.descr = fmt::format("{}{}", named->bytes == 1 ? '|' : '<', named->code);
    if (dict.structured) file.refuse(fmt::format("a structured dtype; allowed: {}", kAllowed));
    if (const NpyType* type = find_type(dict.descr); type && (complex || type->code[0] != 'c')) return *type;
    std::string little = dict.descr;
    if (little.starts_with('>')) little[0] = '<';
    if (find_type(little) && little != dict.descr)
        file.refuse(
            fmt::format("big-endian; save it as little-endian, e.g. with array.astype('{}')", little));
    file.refuse(fmt::format(
        "dtype '{}'; allowed: {}, e.g. with array.astype('<f4')", quotable(dict.descr), kAllowed));
}

// --- Checks

// Refuses a file whose length differs from what its header says.
void require_npy_size(const InputFile& file,
                      const NpyDict& dict,
                      std::string_view type_name,
                      std::uintmax_t needed) {
    if (file.size() == needed) return;
    const std::string what =
        file.size() < needed ? "cut off" : fmt::format("{} bytes follow the array", file.size() - needed);
    file.refuse(fmt::format("{}: shape {} of {} needs {} bytes, the file has {}",
                            what,
                            quotable(dict.shape_text),
                            type_name,
                            needed,
                            file.size()));
}

// NumPy's maximum number of axes, and a number of values that no machine can hold. It keeps byte counts in
// range, also if an axis of length 0 makes the file short.
constexpr std::size_t kMaxAxes = 64;
constexpr std::uint64_t kMaxValues = std::uint64_t(1) << 48;
constexpr std::uint64_t kMaxFieldAxis = std::uint64_t(1) << 30;

enum class Kind { array, field, numbers };

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
    NpyDict dict = read_npy_dict(file, header.data_offset);
    const NpyType& type = type_of(file, dict, kind == Kind::numbers);
    if (kind == Kind::field) check_field_shape(file, dict);
    // 2^60 cells of at most 8 bytes and a short header: byte counts fit into 64 bits.
    header.count =
        checked_count(file, dict, kind == Kind::field ? kMaxFieldAxis * kMaxFieldAxis : kMaxValues);
    header.shape.assign(dict.shape.begin(), dict.shape.end());
    header.descr = dict.descr;
    header.fortran_order = dict.fortran_order;
    require_npy_size(file, dict, type.name, header.data_offset + std::uintmax_t(header.count) * type.bytes);
    return header;
}

template <class T>
void require_finite(const InputFile& file, const NpyHeader& header, std::span<const T> values) {
    const auto bad = std::ranges::count_if(values, [](T value) { return !std::isfinite(value); });
    if (bad == 0) return;
    const bool narrowed = sizeof(T) == 4 && header.descr.ends_with("f8");
    file.refuse(fmt::format("{} of {} values are not finite (NaN{})",
                            bad,
                            values.size(),
                            narrowed ? ", infinite, or too large for float32" : " or infinite"));
}

template <class T>
void write_values(const std::filesystem::path& path,
                  std::span<const std::int64_t> shape,
                  std::span<const T> values) {
    write_npy_bytes(path, sizeof(T) == 4 ? "<f4" : "<f8", shape, std::as_bytes(values));
}

}  // namespace

// Pads to a multiple of 64 bytes, after the spaces that NumPy reserves so that the first axis can grow in
// place.
std::string npy_header_text(std::string_view descr, std::span<const std::int64_t> shape) {
    constexpr std::size_t kAlignment = 64, kDigitsOfLongestAxis = 21;
    std::string axes;
    for (const std::int64_t n : shape) axes += fmt::format("{}{}", axes.empty() ? "" : ", ", n);
    if (shape.size() == 1) axes += ',';
    std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, axes);
    if (!shape.empty()) dict.append(kDigitsOfLongestAxis - std::to_string(shape[0]).size(), ' ');
    const std::size_t before = kMagic.size() + 4;
    dict.append(kAlignment - (before + dict.size() + 1) % kAlignment, ' ');
    dict += '\n';
    std::string text(kMagic);
    text += {'\x01', '\0', char(dict.size() & 255), char(dict.size() >> 8)};
    return text + dict;
}

std::size_t NpyArray::size() const {
    return std::visit([](const auto& v) { return v.size(); }, values);
}

NpyHeader read_npy_header(const std::filesystem::path& path) {
    InputFile file(path);
    return read_header(file, Kind::numbers);
}

template <class T>
std::vector<T> read_npy_values(const std::filesystem::path& path) {
    InputFile file(path);
    const NpyHeader header = read_header(file, Kind::numbers);
    std::vector<T> values(header.count);
    find_type(header.descr)->read(file, header, std::span(values));
    return values;
}

template std::vector<std::uint64_t> read_npy_values(const std::filesystem::path&);
template std::vector<std::complex<double>> read_npy_values(const std::filesystem::path&);

void write_npy_bytes(const std::filesystem::path& path,
                     std::string_view descr,
                     std::span<const std::int64_t> shape,
                     std::span<const std::byte> bytes) {
    AtomicFile file(path);
    file.write(npy_header_text(descr, shape));
    file.write(bytes);
    file.commit();
}

NpyHeader read_field_header(const std::filesystem::path& path) {
    InputFile file(path);
    return read_header(file, Kind::field);
}

NpyHeader read_field_header(InputFile& file) {
    return read_header(file, Kind::field);
}

Field read_npy_cells(InputFile& file, const NpyHeader& header) {
    Field field(header.descr.ends_with("f4") ? DType::float32 : DType::float64,
                int(header.shape[1]),
                int(header.shape[0]));
    file.seek(header.data_offset);
    field.visit([&](auto& array) { find_type(header.descr)->read(file, header, array.cells()); });
    return field;
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
    std::visit(
        [&]<class T>(std::vector<T>& values) {
            find_type(header.descr)->read(file, header, std::span(values));
            require_finite(file, header, std::span<const T>(values));
        },
        array.values);
    return array;
}

Field read_npy(const std::filesystem::path& path) {
    InputFile file(path);
    const NpyHeader header = read_header(file, Kind::field);
    Field field = read_npy_cells(file, header);
    field.visit([&](const auto& array) { require_finite(file, header, array.cells()); });
    return field;
}

void write_npy(const std::filesystem::path& path, const Field& field) {
    const std::int64_t shape[] = {field.ny(), field.nx()};
    field.visit([&](const auto& array) { write_values(path, shape, array.cells()); });
}

void write_npy_array(const std::filesystem::path& path, const NpyArray& array) {
    std::visit([&](const auto& values) { write_values(path, array.shape, std::span(values)); }, array.values);
}

}  // namespace stencil
