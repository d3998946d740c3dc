#include "sim/files/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "sim/files/input_file.h"
#include "sim/text/json.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little,
              "values are read and written as they lie in memory");

constexpr std::string_view kMagic = "\x93NUMPY";
// NumPy itself reads headers of at most 10,000 bytes unless told to trust the file.
constexpr std::uintmax_t kMaxHeaderBytes = 1 << 16;

// Turns Python's literal into JSON: other quotes, brackets and words, no comma before a closing bracket, and
// no suffix of Python 2's long integers.
std::string as_json(std::string_view python) {
    std::string json;
    char quote = '\0';  // of the string in progress
    for (const char c : python) {
        if (quote != '\0' && c != quote) {
            json += c;
        } else if (c == '\'' || c == '"') {
            json += '"';
            quote = quote == '\0' ? c : '\0';
        } else if (c == ')' || c == ']' || c == '}') {
            json.erase(json.find_last_not_of(" \t\r\n") + 1);
            if (json.ends_with(',')) json.pop_back();
            json += c == ')' ? ']' : c;
        } else if (c != 'L') {
            json += c == '(' ? '[' : c == 'T' ? 't' : c == 'F' ? 'f' : c;
        }
    }
    return json;
}

std::uint64_t axis_of(const InputFile& file, const Json& axis) {
    if (axis.is_number_unsigned()) return axis.get<std::uint64_t>();
    if (axis.is_number_float() && axis >= 0x1p64) return std::numeric_limits<std::uint64_t>::max();
    file.refuse(
        fmt::format("a damaged .npy header: {} in 'shape' is no number of cells", quotable(axis.dump())));
}

// Accepts the three keys in any order, with any white space.
NpyDict read_dict(const InputFile& file, const std::string& text) {
    const auto fail = [&](const std::string& what) { file.refuse("a damaged .npy header: " + what); };
    Json json;
    try {
        json = Json::parse(as_json(text));
    } catch (const Json::parse_error& error) {
        fail(fmt::format("no dict of Python, at byte {}", error.byte));
    }
    if (!json.is_object()) fail("no dict");
    for (const char* key : {"descr", "fortran_order", "shape"})
        if (!json.contains(key)) fail(fmt::format("no '{}'", key));
    if (json.size() > 3) fail("other keys than 'descr', 'fortran_order' and 'shape'");
    const Json &descr = json["descr"], &order = json["fortran_order"], &shape = json["shape"];
    if (!descr.is_string() && !descr.is_array()) fail("'descr' is no type");
    if (!order.is_boolean()) fail("'fortran_order' is neither True nor False");
    if (!shape.is_array()) fail("'shape' is no tuple");
    NpyDict dict{
        descr.is_string() ? descr.get<std::string>() : "", descr.is_array(), order.get<bool>(), {}, ""};
    for (const Json& axis : shape) dict.shape.push_back(axis_of(file, axis));
    const std::size_t begin = std::min(text.find('(', text.find("shape")), text.size());
    dict.shape_text = text.substr(begin, text.find(')', begin) - begin + 1);
    return dict;
}

}  // namespace

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

void require_npy_size(const InputFile& file,
                      const NpyDict& dict,
                      std::string_view type_name,
                      std::uintmax_t needed) {
    if (file.size() < needed)
        file.refuse(fmt::format("cut off: shape {} of {} needs {} bytes, the file has {}",
                                quotable(dict.shape_text),
                                type_name,
                                needed,
                                file.size()));
    if (file.size() > needed)
        file.refuse(fmt::format("{} bytes follow the array; shape {} of {} needs {} bytes, the file has {}",
                                file.size() - needed,
                                quotable(dict.shape_text),
                                type_name,
                                needed,
                                file.size()));
}

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

std::string npy_dtype_name(std::string_view descr) {
    if (!descr.empty() && std::string_view("<>=|").find(descr[0]) != std::string_view::npos)
        descr.remove_prefix(1);
    if (descr.empty()) return "";
    const char kind = descr[0];
    descr.remove_prefix(1);
    if (kind == 'O') return "objects";
    if (kind == 'S' || kind == 'a' || kind == 'U') return "text";
    if (kind == 'M' || kind == 'm') return "dates or times";
    if (kind == 'V') return "raw bytes";
    const long long bytes = read_integer(descr).value_or(0);
    if (bytes > 99) return "";
    if (kind == 'b' && bytes == 1) return "bool";
    const std::string_view name = kind == 'i'   ? "int"
                                  : kind == 'u' ? "uint"
                                  : kind == 'f' ? "float"
                                  : kind == 'c' ? "complex"
                                                : "";
    return name.empty() || bytes <= 0 ? "" : fmt::format("{}{}", name, bytes * 8);
}

}  // namespace stencil
