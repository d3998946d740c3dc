#include "sim/files/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "sim/files/input_file.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are read and written as they lie in memory");

constexpr std::string_view kMagic = "\x93NUMPY";
// NumPy itself reads headers of at most 10,000 bytes unless told to trust the file.
constexpr std::uintmax_t kMaxHeaderBytes = 1 << 16;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    NpyDict dict() {
        NpyDict result;
        bool seen[3] = {};
        expect('{', "a dict");
        while (!take('}')) {
            const std::string key = string("a key");
            expect(':', "':' after a key");
            const int row = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : -1;
            if (row < 0) fail(fmt::format("unknown key '{}'", quotable(key)));
            if (std::exchange(seen[row], true)) fail(fmt::format("two values of '{}'", key));
            if (row == 0) descr(result);
            if (row == 1) result.fortran_order = boolean();
            if (row == 2) shape(result);
            if (!take(',')) {
                expect('}', "',' or '}' after a value");
                break;
            }
        }
        skip_space();
        if (at_ != text_.size()) fail("text after the dict");
        if (!seen[0]) fail("no 'descr'");
        if (!seen[1]) fail("no 'fortran_order'");
        if (!seen[2]) fail("no 'shape'");
        return result;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const { throw NpyDictError(what); }

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void skip_space() {
        while (at_ < text_.size() &&
               std::string_view(" \t\r\n\f\v").find(text_[at_]) != std::string_view::npos)
            ++at_;
    }

    bool take(char symbol) {
        skip_space();
        if (peek() != symbol) return false;
        ++at_;
        return true;
    }

    void expect(char symbol, std::string_view what) {
        if (!take(symbol)) fail(fmt::format("expected {} at byte {}", what, at_));
    }

    std::string string(std::string_view what) {
        skip_space();
        const char quote = peek();
        const std::size_t end =
            quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
        if (end == std::string_view::npos) fail(fmt::format("expected {} in quotes at byte {}", what, at_));
        std::string result(text_.substr(at_ + 1, end - at_ - 1));
        if (result.find('\\') != std::string::npos) fail(fmt::format("a backslash in {}", what));
        at_ = end + 1;
        return result;
    }

    void descr(NpyDict& result) {
        skip_space();
        result.structured = peek() == '[' || peek() == '(';
        if (result.structured)
            skip_brackets();
        else
            result.descr = string("the type");
    }

    // Skips a structured type, so that the error is about the unsupported type and not about syntax.
    void skip_brackets() {
        int depth = 0;
        do {
            skip_space();
            const char c = peek();
            if (c == '\0') fail("a list that doesn't end");
            if (c == '\'' || c == '"') {
                string("a name");
                continue;
            }
            if (c == '[' || c == '(') ++depth;
            if (c == ']' || c == ')') --depth;
            ++at_;
        } while (depth > 0);
    }

    bool boolean() {
        skip_space();
        for (const bool value : {false, true}) {
            const std::string_view word = value ? "True" : "False";
            if (!text_.substr(at_).starts_with(word)) continue;
            at_ += word.size();
            return value;
        }
        fail("'fortran_order' is neither True nor False");
    }

    void shape(NpyDict& result) {
        skip_space();
        const std::size_t start = at_;
        expect('(', "'(' of the shape");
        while (!take(')')) {
            result.shape.push_back(axis());
            if (!take(',')) {
                // In Python, (3) is a number in brackets and not a tuple.
                if (result.shape.size() == 1) fail("'shape' is no tuple");
                expect(')', "',' or ')' after an axis");
                break;
            }
        }
        result.shape_text = text_.substr(start, at_ - start);
    }

    std::uint64_t axis() {
        skip_space();
        if (peek() == '-') fail("a negative axis in 'shape'");
        if (!is_digit(peek())) fail(fmt::format("expected a whole number in 'shape' at byte {}", at_));
        constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
        std::uint64_t value = 0;
        for (; is_digit(peek()); ++at_) {
            const auto digit = std::uint64_t(peek() - '0');
            value = value > (kMax - digit) / 10 ? kMax : value * 10 + digit;
        }
        if (peek() == 'L') ++at_;  // suffix of long integers in Python 2
        return value;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

NpyDict parse_npy_dict(std::string_view text) {
    return Parser(text).dict();
}

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
    try {
        return parse_npy_dict(text);
    } catch (const NpyDictError& error) {
        file.refuse(fmt::format("a damaged .npy header: {}", error.what()));
    }
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
    int bytes = 0;
    for (const char digit : descr) {
        if (!is_digit(digit) || bytes > 99) return "";
        bytes = bytes * 10 + (digit - '0');
    }
    if (kind == 'b' && bytes == 1) return "bool";
    const std::string_view name = kind == 'i'   ? "int"
                                  : kind == 'u' ? "uint"
                                  : kind == 'f' ? "float"
                                  : kind == 'c' ? "complex"
                                                : "";
    return name.empty() || bytes == 0 ? "" : fmt::format("{}{}", name, bytes * 8);
}

}  // namespace stencil
