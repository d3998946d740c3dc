#include "sim/view/value_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {

RangeRule parse_range(std::string_view text, std::string_view setting) {
    const auto refuse = [&](std::string_view what) {
        throw InputError(fmt::format(
            "{} {}: {}; allowed: auto, percentile:LO:HI (0 to 100), MIN:MAX", setting, quotable(text), what));
    };
    if (text == "auto") return {};
    constexpr std::string_view kPercentile = "percentile:";
    RangeRule rule;
    rule.kind = text.starts_with(kPercentile) ? RangeRule::Kind::percentile : RangeRule::Kind::fixed;
    const bool percentile = rule.kind == RangeRule::Kind::percentile;
    const std::string_view numbers = percentile ? text.substr(kPercentile.size()) : text;
    const std::size_t colon = numbers.find(':');
    if (colon == std::string_view::npos) refuse(percentile ? "two percentiles are needed" : "not a range");
    const std::string_view texts[] = {numbers.substr(0, colon), numbers.substr(colon + 1)};
    const auto low = read_real(texts[0]), high = read_real(texts[1]);
    if (!low || !high) refuse(fmt::format("'{}' is not a finite number", quotable(texts[low ? 1 : 0])));
    if (percentile && (*low < 0 || *low > 100 || *high < 0 || *high > 100))
        refuse("a percentile beyond 0 to 100");
    if (percentile && *low >= *high) refuse("the lower percentile must be below the upper");
    if (*low >= *high) refuse("the smallest value must be below the largest");
    if (!std::isfinite(*high - *low)) refuse("the range is too wide");
    rule.low = *low;
    rule.high = *high;
    return rule;
}

std::string to_string(const RangeRule& rule) {
    if (rule.kind == RangeRule::Kind::automatic) return "auto";
    const std::string_view prefix = rule.kind == RangeRule::Kind::percentile ? "percentile:" : "";
    return fmt::format("{}{}:{}", prefix, rule.low, rule.high);
}

ValueRange color_range(double low, double high, bool centred_at_zero) {
    if (!(low <= high)) {
        low = 0;
        high = 1;
    }
    // So that high - low is a finite number, whatever the field holds.
    constexpr double kMax = std::numeric_limits<double>::max() / 2;
    const ValueRange range{std::clamp(low, -kMax, kMax), std::clamp(high, -kMax, kMax)};
    if (!centred_at_zero) return range;
    const double most = std::max(std::abs(range.low), std::abs(range.high));
    return most > 0 ? ValueRange{-most, most} : ValueRange{-1, 1};
}

ValueRange find_range(const RangeRule& rule, bool centred_at_zero, const Percentiles& percentiles) {
    if (rule.kind == RangeRule::Kind::fixed) return color_range(rule.low, rule.high, centred_at_zero);
    const bool all = rule.kind == RangeRule::Kind::automatic;
    const double q[] = {all ? 0 : rule.low, all ? 100 : rule.high};
    const std::vector<double> found = percentiles(q);
    return found.empty() ? color_range(1, 0, centred_at_zero)
                         : color_range(found[0], found[1], centred_at_zero);
}

ValueRange find_range(const Field& field, const RangeRule& rule, bool centred_at_zero) {
    if (rule.kind == RangeRule::Kind::automatic) {  // in one pass
        const Statistics all = statistics_of(field);
        return color_range(all.min, all.max, centred_at_zero);
    }
    return find_range(
        rule, centred_at_zero, [&](std::span<const double> q) { return percentiles_of(field, q); });
}

}  // namespace stencil
