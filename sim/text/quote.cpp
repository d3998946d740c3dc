#include "sim/text/quote.h"

#include <algorithm>
#include <cstdint>

namespace stencil {
namespace {

// Control characters (C0, DEL, C1), characters without width, marks of text direction, line and paragraph
// separators, the byte order mark, and tags.
bool is_control(std::uint32_t code) {
    const auto within = [code](std::uint32_t first, std::uint32_t last) {
        return code >= first && code <= last;
    };
    return code < 0x20 || within(0x7f, 0x9f) || code == 0xad || code == 0x61c || code == 0x180e ||
           within(0x200b, 0x200f) || within(0x2028, 0x202e) || within(0x2060, 0x206f) || code == 0xfeff ||
           within(0xfff9, 0xfffb) || within(0xe0000, 0xe007f);
}

// The code of a UTF-8 character.
std::uint32_t code_of(std::string_view character) {
    const auto first = static_cast<unsigned char>(character.front());
    std::uint32_t code = character.size() == 1 ? first : first & (0xffu >> (character.size() + 1));
    for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3f);
    return code;
}

// Bytes of the tab or line end at the beginning of a text; 0 if there is none.
std::size_t blank_length(std::string_view text) {
    return text.starts_with("\r\n") ? 2 : text.starts_with('\t') || text.starts_with('\n') ? 1 : 0;
}

// Returns the bytes of the character at the beginning of a text if it is harmless, else 0.
std::size_t harmless_length(std::string_view text, bool lines) {
    if (const std::size_t blank = lines ? blank_length(text) : 0) return blank;
    const std::size_t length = utf8_length(text);
    return length > 0 && is_control(code_of(text.substr(0, length))) ? 0 : length;
}

std::string without_controls(std::string_view text, bool lines) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = harmless_length(text, lines);
        if (length == 0)
            result += '?';
        else
            result += text.substr(0, length);
        text.remove_prefix(length > 0 ? length : std::max<std::size_t>(utf8_length(text), 1));
    }
    return result;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) return 1;
    const std::size_t length = byte(0) >> 5 == 6 ? 2 : byte(0) >> 4 == 14 ? 3 : byte(0) >> 3 == 30 ? 4 : 0;
    if (length == 0 || text.size() < length) return 0;
    std::uint32_t code = byte(0) & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if (byte(i) >> 6 != 2) return 0;
        code = code << 6 | (byte(i) & 0x3f);
    }
    constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code < kSmallest[length] || code > 0x10ffff || surrogate ? 0 : length;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string_view first_control(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = harmless_length(text, true);
        if (length == 0) return text.substr(0, std::max<std::size_t>(utf8_length(text), 1));
        text.remove_prefix(length);
    }
    return {};
}

std::string printable(std::string_view text) {
    return without_controls(text, false);
}

std::string printable_lines(std::string_view text) {
    return without_controls(text, true);
}

std::string quotable(std::string_view text) {
    constexpr std::size_t kMaxBytes = 40;
    if (text.size() <= kMaxBytes) return printable(text);
    std::size_t end = kMaxBytes;
    // Do not cut within a character.
    while (end > kMaxBytes - 3 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    return printable(text.substr(0, end)) + "...";
}

std::string xml_escaped(std::string_view text) {
    static constexpr std::string_view kSpecial = "&<>\"", kNames[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    std::string result;
    for (const char c : text) {
        const std::size_t special = kSpecial.find(c);
        result += special == std::string_view::npos ? std::string_view(&c, 1) : kNames[special];
    }
    return result;
}

}  // namespace stencil
