#include "sim/text/base64.h"

#include <cstdint>

namespace stencil {
namespace {

std::string encoded(std::string_view bytes, const char* letters) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t bits = 0;
        for (std::size_t j = i; j < i + 3; ++j)
            bits = bits << 8 | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0u);
        for (const int shift : {18, 12, 6, 0}) text += letters[bits >> shift & 63];
    }
    text.resize(text.size() - (3 - bytes.size() % 3) % 3);
    return text;
}

int digit_of(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

}  // namespace

std::string base64(std::string_view bytes) {
    std::string text = encoded(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    text.append((4 - text.size() % 4) % 4, '=');
    return text;
}

std::string base64url(std::string_view bytes) {
    return encoded(bytes, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
    for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
    if (text.size() % 4 == 1) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() * 3 / 4);
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const int digit = digit_of(c);
        if (digit < 0) return std::nullopt;
        bits = bits << 6 | std::uint32_t(digit);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += char(bits >> count & 255);
    }
    return bytes;
}

}  // namespace stencil
