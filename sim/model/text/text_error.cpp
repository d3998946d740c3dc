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

// The line of `span`, trimmed around it, with carets below.
std::string picture(std::string_view text, TextSpan span) {
    const std::size_t start = line_start(text, span.begin);
    const std::size_t stop = std::min(text.find('\n', span.begin), text.size());
    std::size_t first = start;
    if (span.begin - start > kShown * 3 / 4) {
        first = span.begin - kShown / 2;
        while (first < span.begin && !starts_character(text[first])) ++first;
    }
    std::size_t last = std::min(stop, first + kShown);
    while (last < stop && !starts_character(text[last])) ++last;
    const std::size_t indent = characters(text.substr(first, span.begin - first));
    const std::size_t end = std::clamp(span.end, span.begin, last);
    const std::size_t width = std::max<std::size_t>(characters(text.substr(span.begin, end - span.begin)), 1);
    std::string line(text.substr(first, last - first));
    if (line.ends_with('\r')) line.pop_back();
    std::ranges::replace(line, '\t', ' ');
    return fmt::format("  {}\n  {}{}", printable(line), std::string(indent, ' '), std::string(width, '^'));
}

std::string report(std::string_view text, TextSpan span, const std::string& sentence) {
    return text.empty() ? sentence : fmt::format("{}\n{}", sentence, picture(text, span));
}

}  // namespace

TextError::TextError(std::string_view text, TextSpan span, const std::string& sentence)
    : InputError(
          report(text, {std::min(span.begin, text.size()), std::min(span.end, text.size())}, sentence)),
      sentence_(sentence),
      span_{std::min(span.begin, text.size()), std::min(span.end, text.size())},
      line_(1 + std::size_t(std::ranges::count(text.substr(0, span_.begin), '\n'))),
      column_(1 + characters(text.substr(line_start(text, span_.begin),
                                         span_.begin - line_start(text, span_.begin)))) {}

}  // namespace stencil::equation
