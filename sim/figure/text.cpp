#include "sim/figure/text.h"

#include <algorithm>
#include <cstddef>

#include "sim/text/quote.h"

namespace stencil::figure {
namespace {

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Returns the bytes of the first character; 0 if they are not UTF-8 or not allowed in XML.
std::size_t character_length(std::string_view text) {
    return text.starts_with("\uFFFE") || text.starts_with("\uFFFF") ? 0 : utf8_length(text);
}

// Returns the longest prefix (whole characters, at least one) that fits into `width` together with `tail`.
std::string_view longest_fit(std::string_view text,
                             double width,
                             double size,
                             std::string_view tail,
                             const TextWidth& measure = text_width) {
    const auto whole = [&](std::size_t length) {
        while (length > 0 && length < text.size() && continues(text[length])) --length;
        return text.substr(0, length);
    };
    std::size_t fits = 0, too_long = text.size() + 1;
    while (too_long - fits > 1) {
        const std::size_t length = fits + (too_long - fits) / 2;
        const bool narrow = measure(std::string(whole(length)).append(tail), size) <= width;
        (narrow ? fits : too_long) = length;
    }
    const std::string_view found = whole(fits);
    return found.empty() ? text.substr(0, character_length(text)) : found;
}

}  // namespace

std::string clean_text(std::string_view text) {
    std::string clean;
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        const auto byte = static_cast<unsigned char>(text[0]);
        if (length == 0) {
            clean += "\uFFFD";
        } else if (byte <= ' ' || byte == 0x7F) {
            if (!clean.empty() && clean.back() != ' ') clean += ' ';
        } else {
            clean += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    if (clean.ends_with(' ')) clean.pop_back();
    return clean;
}

FittedText fit_text(
    std::string text, double width, double size, double least_size, const TextWidth& measure) {
    const double natural = measure(text, size);
    if (natural <= width) return {std::move(text), size};
    const double smaller = size * std::max(width, 1.0) / natural;
    if (smaller >= least_size) return {std::move(text), smaller};
    return {std::string(longest_fit(text, width, least_size, "…", measure)) + "…", least_size};
}

std::vector<std::string> wrap_text(std::string_view text, double width, double size) {
    std::vector<std::string> lines;
    std::string_view rest = text;
    while (!rest.empty()) {
        std::string_view line = longest_fit(rest, width, size, "");
        if (line.size() < rest.size() && rest[line.size()] != ' ') {
            if (const auto space = line.rfind(' '); space != std::string_view::npos)
                line = line.substr(0, space);
        }
        lines.emplace_back(line);
        rest.remove_prefix(line.size());
        while (rest.starts_with(' ')) rest.remove_prefix(1);
        if (lines.back().ends_with(' ')) lines.back().pop_back();
    }
    return lines;
}

}  // namespace stencil::figure
