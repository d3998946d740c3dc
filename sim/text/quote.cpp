#include "sim/text/quote.h"

#include <cstdint>

namespace stencil {
namespace {

// Control characters (C0, C1, DEL), line and paragraph separators, marks of text direction.
bool is_control(std::string_view character) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
    if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
    if (character.size() == 2) return byte(0) == 0xc2 && byte(1) < 0xa0;
    if (character.size() == 4 || byte(0) != 0xe2) return false;
    return (byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae) ||
           (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9);
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

std::string printable(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const std::string_view character = text.substr(0, length);
        if (length == 0 || is_control(character))
            result += '?';
        else
            result += character;
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return result;
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
