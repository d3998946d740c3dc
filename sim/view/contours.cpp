#include "sim/view/contours.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

std::optional<long long> number_of(std::string_view text) {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    return digits ? read_integer(std::string(text)) : std::nullopt;
}

}  // namespace

std::string read_contours(std::string_view text) {
    const auto refuse = [&](std::string_view what) {
        throw InputError(
            fmt::format("--contours {}: {}; allowed: levels, e.g. 0.1,0.25, or how many, 1 to {}",
                        quotable(text),
                        what,
                        kMaxContours));
    };
    if (text.empty()) return "";
    const bool digits = text.find_first_not_of("0123456789") == text.npos;
    const auto count = number_of(text);
    if (digits && (!count || *count < 1 || *count > kMaxContours)) refuse("not a number of contours");
    if (digits) return std::string(text);
    const auto levels = split(text.ends_with(',') ? text.substr(0, text.size() - 1) : text, ',');
    if (levels.size() > std::size_t(kMaxContours)) refuse("too many levels");
    for (const std::string& level : levels)
        if (!read_real(level)) refuse(fmt::format("'{}' is not a finite number", quotable(level)));
    return std::string(text);
}

std::vector<double> contour_levels(std::string_view text, const ValueRange& range) {
    std::vector<double> levels;
    if (const auto count = number_of(text)) {
        for (long long i = 1; i <= *count && range.low < range.high; ++i)
            levels.push_back(value_at(double(i) / double(*count + 1), range));
        return levels;
    }
    for (const std::string& level : split(text, ','))
        if (const auto value = read_real(level)) levels.push_back(*value);
    std::ranges::sort(levels);
    return levels;
}

int levels_reached(double value, const std::vector<double>& levels) {
    return int(std::ranges::upper_bound(levels, value) - levels.begin());
}

}  // namespace stencil
