#include "sim/view/value_range.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

// Maps a value to a coordinate that is linear on the scale.
double spread(double value, const ValueRange& range) {
    if (range.scale == Scale::log)
        return value > 0 ? std::log(value) : -std::numeric_limits<double>::infinity();
    if (range.scale != Scale::symlog) return value;
    const double small = std::max(std::abs(range.low), std::abs(range.high)) / 1000;
    return std::copysign(std::log1p(std::abs(value) / small), value);
}

// Removes the scale from the beginning of a rule.
Scale take_scale(std::string_view& text) {
    const std::string_view word = text.substr(0, text.find(':'));
    const auto found = std::ranges::find(kScaleNames, word);
    if (found == kScaleNames.end()) return Scale::linear;
    text = word.size() == text.size() ? "auto" : text.substr(word.size() + 1);
    return Scale(found - kScaleNames.begin());
}

}  // namespace

double place_of(double value, const ValueRange& range) {
    if (!(range.high > range.low)) return value > range.low ? 1 : 0;
    const double low = spread(range.low, range);
    return (spread(value, range) - low) / (spread(range.high, range) - low);
}

double value_at(double place, const ValueRange& range) {
    const double even = std::lerp(spread(range.low, range), spread(range.high, range), place);
    if (range.scale == Scale::log) return std::exp(even);
    if (range.scale != Scale::symlog) return even;
    const double small = std::max(std::abs(range.low), std::abs(range.high)) / 1000;
    return std::copysign(small * std::expm1(std::abs(even)), even);
}

RangeRule parse_range(std::string_view text, std::string_view setting) {
    const std::string whole(text);
    const auto refuse = [&](std::string_view what) {
        throw InputError(Given{setting, quotable(whole)},
                         "{}; allowed: auto, percentile:LO:HI (0 to 100), MIN:MAX, or a scale ({}) "
                         "before these, as in log:1e-4:1",
                         what,
                         fmt::join(kScaleNames, ", "));
    };
    RangeRule rule;
    rule.scale = take_scale(text);
    if (text == "auto") return rule;
    constexpr std::string_view kPercentile = "percentile:";
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
    if (!percentile && rule.scale == Scale::log && *low <= 0) refuse("a logarithmic range must be above 0");
    rule.low = *low;
    rule.high = *high;
    return rule;
}

std::string to_string(const RangeRule& rule) {
    const std::string scale(rule.scale == Scale::linear ? "" : kScaleNames[std::size_t(rule.scale)]);
    if (rule.kind == RangeRule::Kind::automatic) return scale.empty() ? "auto" : scale;
    const std::string_view prefix = rule.kind == RangeRule::Kind::percentile ? "percentile:" : "";
    return fmt::format("{}{}{}{}:{}", scale, scale.empty() ? "" : ":", prefix, rule.low, rule.high);
}

ValueRange color_range(double low, double high, Scale scale, bool diverging) {
    if (!(low <= high)) {
        low = 0;
        high = 1;
    }
    if (scale == Scale::log) {
        constexpr double kDecades = 1e-4;
        if (!(high > 0)) high = 1;
        return {low > 0 ? low : kDecades * high, high, scale};
    }
    // Clamped, so that high - low is finite.
    constexpr double kMax = std::numeric_limits<double>::max() / 2;
    const ValueRange range{std::clamp(low, -kMax, kMax), std::clamp(high, -kMax, kMax), scale};
    if (!diverging && scale != Scale::centred) return range;
    const double most = std::max(std::abs(range.low), std::abs(range.high));
    return most > 0 ? ValueRange{-most, most, scale} : ValueRange{-1, 1, scale};
}

ValueRange find_range(const RangeRule& rule, bool diverging, const Percentiles& percentiles) {
    const double q[] = {rule.low, rule.high}, ends[] = {0, 100};
    const std::vector<double> all = percentiles(ends);
    const bool measured = rule.kind == RangeRule::Kind::percentile && !all.empty();
    std::vector<double> found = measured ? percentiles(q) : all;
    if (rule.kind == RangeRule::Kind::fixed) found = {rule.low, rule.high};
    if (found.empty()) return color_range(1, 0, rule.scale, diverging);
    ValueRange range = color_range(found[0], found[1], rule.scale, diverging);
    if (all.empty()) return range;
    // Values beyond an end by rounding only (such as in a disc of value 1) do not count as beyond it.
    constexpr double kRounding = 1e-6;
    const bool wide = range.low < range.high;
    range.below = wide ? place_of(all[0], range) < -kRounding : all[0] < range.low;
    range.above = wide ? place_of(all[1], range) > 1 + kRounding : all[1] > range.high;
    return range;
}

ValueRange find_range(const Field& field, const RangeRule& rule, bool diverging) {
    return find_range(rule, diverging, [&](std::span<const double> q) {
        if (q[0] != 0 || q[1] != 100) return percentiles_of(field, q);
        const Statistics all = statistics_of(field);  // in one pass
        return all.min <= all.max ? std::vector{all.min, all.max} : std::vector<double>();
    });
}

}  // namespace stencil
