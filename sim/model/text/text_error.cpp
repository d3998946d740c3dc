#include "sim/model/text/text_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/text/quote.h"

namespace stencil::equation {
namespace {

constexpr std::size_t kShown = 100;  // characters shown of a long line

bool starts_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
}

std::size_t characters(std::string_view text) {
    return std::size_t(std::ranges::count_if(text, starts_character));
}

std::size_t line_start(std::string_view text, std::size_t at) {
    const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    return before == std::string_view::npos ? 0 : before + 1;
}

// The line of `place`, trimmed around it, with carets below.
std::string picture(std::string_view text, Place place) {
    const std::size_t start = line_start(text, place.begin);
    const std::size_t stop = std::min(text.find('\n', place.begin), text.size());
    std::size_t first = start;
    if (place.begin - start > kShown * 3 / 4) {
        first = place.begin - kShown / 2;
        while (first < place.begin && !starts_character(text[first])) ++first;
    }
    std::size_t last = std::min(stop, first + kShown);
    while (last < stop && !starts_character(text[last])) ++last;
    const std::size_t indent = characters(text.substr(first, place.begin - first));
    const std::size_t end = std::clamp(place.end, place.begin, last);
    const std::size_t width =
        std::max<std::size_t>(characters(text.substr(place.begin, end - place.begin)), 1);
    std::string line(text.substr(first, last - first));
    if (line.ends_with('\r')) line.pop_back();
    std::ranges::replace(line, '\t', ' ');
    return fmt::format("  {}\n  {}{}", printable(line), std::string(indent, ' '), std::string(width, '^'));
}

std::string report(std::string_view text, Place place, const std::string& sentence) {
    return text.empty() ? sentence : fmt::format("{}\n{}", sentence, picture(text, place));
}

}  // namespace

TextError::TextError(std::string_view text, Place place, const std::string& sentence)
    : InputError(
          report(text, {std::min(place.begin, text.size()), std::min(place.end, text.size())}, sentence)),
      sentence_(sentence),
      place_{std::min(place.begin, text.size()), std::min(place.end, text.size())},
      line_(1 + std::size_t(std::ranges::count(text.substr(0, place_.begin), '\n'))),
      column_(1 + characters(text.substr(line_start(text, place_.begin),
                                         place_.begin - line_start(text, place_.begin)))) {}

}  // namespace stencil::equation
