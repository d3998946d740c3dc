#include "sim/figure/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <optional>

namespace stencil::figure {
namespace {

// A range narrower than this, relative to its values, is rounding noise: no label could distinguish its ends.
constexpr double kNarrowest = 1e-11;
// If values exceed the range's width by this factor, labels are relative to an offset.
constexpr double kOffsetFrom = 1e4;
// Values in [10^kPlainLow, 10^kPlainHigh) need no common factor.
constexpr int kPlainLow = -2;
constexpr int kPlainHigh = 4;
// Below this power of ten, labels of logarithmic axes are written out.
constexpr int kPlainLogHigh = 6;

bool is_one_value(ValueRange range) {
    const long double low = range.low, high = range.high;
    return !(high - low > std::max(std::abs(low), std::abs(high)) * kNarrowest);
}

// Caches std::pow, because the window's colour bars call this hundreds of times per frame.
long double power10(int exponent) {
    constexpr int kLargest = 340;  // beyond the range of doubles
    static const std::vector<long double> kept = [] {
        std::vector<long double> powers;
        for (int n = -kLargest; n <= kLargest; ++n) powers.push_back(std::pow(10.0L, n));
        return powers;
    }();
    return std::abs(exponent) <= kLargest ? kept[std::size_t(exponent + kLargest)]
                                          : std::pow(10.0L, exponent);
}

/// Ticks at first..last times mantissa * 10^exponent.
struct Steps {
    int mantissa = 1;
    int exponent = 0;
    long long first = 0;
    long long last = 0;

    long long count() const { return last - first + 1; }
    long double size() const { return mantissa * power10(exponent); }
};

std::string superscript(int n) {
    static constexpr std::string_view digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text = n < 0 ? "⁻" : "";
    for (const char c : std::to_string(std::abs(n))) text += digits[c - '0'];
    return text;
}

std::string power_of_ten(int exponent) {
    return "×10" + superscript(exponent);
}

std::string with_true_minus(std::string text) {
    if (text.starts_with('-')) text.replace(0, 1, "−");
    return text;
}

int decade_of(long double value) {
    return value == 0 ? 0 : int(std::floor(std::log10(std::abs(value)) + 1e-9L));
}

int factor_of(int decade) {
    return decade < kPlainLow || decade >= kPlainHigh ? decade : 0;
}

// Rates a number of ticks; lower is better. Four to six are best, and too few are worse than too many.
long long unfitness(long long count, int most) {
    if (count > most) return 1000 + count;
    if (count < 4) return 2 * (4 - count);
    return std::max(0LL, count - 6);
}

// long double exceeds the range of doubles, so differences and steps neither overflow nor underflow.
Steps choose_steps(long double low, long double high, int most, std::optional<int> least_exponent) {
    const int decade = decade_of(high - low);
    Steps best;
    bool found = false;
    const auto try_all = [&](std::initializer_list<int> mantissas) {
        for (int exponent = decade - 1; exponent <= decade + 1; ++exponent) {
            if (least_exponent && exponent < *least_exponent) continue;
            for (const int mantissa : mantissas) {
                Steps steps{mantissa, exponent, 0, 0};
                steps.first = std::llround(std::ceil(low / steps.size() - 1e-9L));
                steps.last = std::llround(std::floor(high / steps.size() + 1e-9L));
                if (steps.count() < 1) continue;
                if (!found || unfitness(steps.count(), most) <= unfitness(best.count(), most)) best = steps;
                found = true;
            }
        }
    };
    try_all({1, 2, 5});
    // If few labels fit, steps of 3 and 4 may keep more: on -4.9 .. 4.9 a step of 5 would leave only zero.
    if (best.count() < 3) try_all({3, 4});
    return best;
}

// Returns the roundest number near the range: a multiple of the highest power of ten that has one within some
// widths of the range.
long double roundest_near(long double low, long double high) {
    const long double middle = (low + high) / 2, span = high - low;
    for (int decade = decade_of(middle) + 1;; --decade) {
        const long double unit = power10(decade);
        const long double multiple = std::round(middle / unit) * unit;
        if (std::abs(multiple - middle) < 9 * span || unit < span) return multiple;
    }
}

// Labels an end of the axis: like the tick that is there, otherwise to a hundredth of a step.
std::string end_label(double value, double position, const Tick& mark, int decimals) {
    if (std::abs(mark.position - position) < 1e-9) return mark.label;
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (text.find_first_of("123456789") == text.npos && text.starts_with('-')) text.erase(0, 1);
    return with_true_minus(text);
}

Ticks label(const Steps& steps, long double low, long double high, int factor) {
    Ticks ticks;
    const int decimals = std::max(0, factor - steps.exponent);
    const double unit = steps.mantissa * std::pow(10.0, steps.exponent - factor);
    for (long long k = steps.first; k <= steps.last; ++k) {
        const long double position = (k * steps.size() - low) / (high - low);
        ticks.marks.push_back({double(std::clamp(position, 0.0L, 1.0L)),
                               with_true_minus(fmt::format("{:.{}f}", double(k) * unit, decimals))});
    }
    const long double one = power10(factor);
    const int more = std::max(0, factor - steps.exponent + 2);
    ticks.low = end_label(double(low / one), 0, ticks.marks.front(), more);
    ticks.high = end_label(double(high / one), 1, ticks.marks.back(), more);
    ticks.middle = end_label(double((low + high) / 2 / one), 0.5, {}, more);
    return ticks;
}

Ticks single_tick(long double value) {
    const int factor = factor_of(decade_of(value));
    return {{{0.5, number_text(double(value * power10(-factor)), 6)}},
            factor ? power_of_ten(factor) : "",
            factor ? power_of_ten(factor) : "",
            ""};
}

std::string decade_label(double value) {
    const int decade = decade_of(value);
    std::string label =
        decade >= 0 && decade < kPlainLogHigh ? fmt::format("{:.0f}", value) : number_text(value, 3);
    if (const auto one = label.find("1×"); one != label.npos) label.erase(one, std::string_view("1×").size());
    return with_true_minus(label);
}

// Places ticks at zero and, in the logarithmic part, at powers of ten of both signs; only at every second or
// third power if there are more than `most`.
Ticks symlog_ticks(ValueRange range, int most) {
    constexpr int kDecades = 3;
    const int top = decade_of(std::max(std::abs(range.low), std::abs(range.high)));
    Ticks ticks;
    for (int stride = 1; stride <= kDecades; ++stride) {
        std::vector<double> values{0};
        for (int decade = top; decade > top - kDecades; decade -= stride)
            for (const double sign : {-1.0, 1.0}) values.push_back(sign * std::pow(10.0, decade));
        std::erase_if(values, [&](double value) { return value < range.low || value > range.high; });
        std::ranges::sort(values);
        ticks.marks.clear();
        for (const double value : values)
            ticks.marks.push_back({place_of(value, range), value == 0 ? "0" : decade_label(value)});
        if (int(values.size()) <= most) break;
    }
    return ticks;
}

Ticks uneven_ticks(ValueRange range, int most) {
    Ticks ticks =
        range.scale == Scale::log ? thinned(log_ticks(range, most), most) : symlog_ticks(range, most);
    if (!ticks.low.empty()) return ticks;  // the range is so short that its ticks are linear
    ticks.low = number_text(range.low, 3);
    ticks.high = number_text(range.high, 3);
    ticks.middle = number_text(value_at(0.5, range), 3);
    return ticks;
}

}  // namespace

std::string number_text(double value, int digits) {
    std::string text = fmt::format("{:.{}g}", value, digits);
    std::string power;
    if (const auto e = text.find('e'); e != std::string::npos) {
        power = power_of_ten(std::atoi(text.c_str() + e + 1));
        text.resize(e);
    }
    return with_true_minus(text) + power;
}

std::string short_text(double value, int digits) {
    std::string text = fmt::format("{:.{}g}", value, digits);
    if (const auto e = text.find('e'); e != std::string::npos) {
        const int exponent = std::atoi(text.c_str() + e + 1);
        text = text.substr(0, e + 1) + with_true_minus(std::to_string(exponent));
    }
    return with_true_minus(text);
}

Ticks end_ticks(ValueRange range, int digits) {
    if (is_one_value(range)) return {{{0.5, short_text((range.low + range.high) / 2, digits)}}, "", "", ""};
    // An end that is next to nothing beside the other one is 0.
    const double least =
        range.scale == Scale::linear ? (range.high / 2 - range.low / 2) * std::pow(10.0, -digits) : 0;
    const auto text = [&](double end) { return short_text(std::abs(end) < least ? 0 : end, digits); };
    // More digits if the labels would be the same, or rounded by more than about half of the range.
    const auto is_rough = [&](double end) {
        return std::abs(std::stod(fmt::format("{:.{}g}", end, digits)) - end) >
               0.6 * (range.high - range.low);
    };
    Ticks ticks;
    do {
        ticks.low = text(range.low);
        ticks.high = text(range.high);
    } while ((ticks.low == ticks.high || is_rough(range.low) || is_rough(range.high)) &&
             ++digits <= std::numeric_limits<double>::max_digits10);
    ticks.marks = {{0, ticks.low}, {1, ticks.high}};
    return ticks;
}

bool tells_values(const Ticks& ticks, ValueRange range) {
    if (!std::isfinite(range.low) || !std::isfinite(range.high)) return true;
    if (ticks.marks.empty()) return false;
    const Tick &first = ticks.marks.front(), &last = ticks.marks.back();
    const bool labelled = !first.label.empty() && !last.label.empty();
    return labelled && (is_one_value(range) || (first.position == 0 && last.position == 1));
}

Ticks value_ticks(ValueRange range, int most) {
    if (!std::isfinite(range.low) || !std::isfinite(range.high)) return {};
    long double low = range.low, high = range.high;
    const long double span = high - low;
    const long double size = std::max(std::abs(low), std::abs(high));
    if (is_one_value(range)) return single_tick((low + high) / 2);
    if (range.scale == Scale::log || range.scale == Scale::symlog) return uneven_ticks(range, most);

    long double offset = 0;
    if (size > span * kOffsetFrom) {
        offset = roundest_near(low, high);
        low -= offset;
        high -= offset;
    }
    const Steps steps = choose_steps(low, high, most, std::nullopt);
    const long double largest = std::max(std::abs(steps.first), std::abs(steps.last)) * steps.size();
    const int factor = factor_of(decade_of(largest));
    Ticks ticks = label(steps, low, high, factor);
    if (factor) ticks.factor = power_of_ten(factor);
    if (offset != 0) ticks.offset = (offset < 0 ? "− " : "+ ") + number_text(double(std::abs(offset)), 12);
    const bool both = !ticks.factor.empty() && !ticks.offset.empty();
    ticks.note = ticks.factor + (both ? " " : "") + ticks.offset;
    return ticks;
}

Ticks scale_ticks(double first, double last, int most) {
    Ticks ticks = value_ticks({std::min(first, last), std::max(first, last)}, most);
    if (first <= last) return ticks;
    for (Tick& tick : ticks.marks) tick.position = 1 - tick.position;
    std::ranges::reverse(ticks.marks);
    return ticks;
}

Ticks cell_ticks(ValueRange cells, int most) {
    if (!(std::floor(cells.high) >= std::ceil(cells.low)) || !(cells.low < cells.high)) return {};
    return label(choose_steps(cells.low, cells.high, most, 0), cells.low, cells.high, 0);
}

Ticks log_ticks(ValueRange range, int most) {
    Ticks ticks;
    const double low = std::log(range.low), span = std::log(range.high) - low;
    if (!(span > 0) || !(range.low > 0)) return ticks;
    const auto collect = [&](std::initializer_list<int> mantissas) {
        ticks.marks.clear();
        for (int decade = decade_of(range.low); decade <= decade_of(range.high); ++decade)
            for (const int mantissa : mantissas) {
                const double value = mantissa * std::pow(10.0, decade);
                const double position = (std::log(value) - low) / span;
                if (position < -1e-9 || position > 1 + 1e-9) continue;
                ticks.marks.push_back({std::clamp(position, 0.0, 1.0), decade_label(value)});
            }
        return int(ticks.marks.size());
    };
    if (collect({1, 2, 5}) > most) collect({1});
    if (ticks.marks.size() > 1) return ticks;
    // A short logarithmic axis has linear ticks.
    range.scale = Scale::linear;
    ticks = value_ticks(range, most);
    for (Tick& tick : ticks.marks)
        tick.position = (std::log(std::lerp(range.low, range.high, tick.position)) - low) / span;
    return ticks;
}

Ticks ticks_at(const std::vector<double>& values, ValueRange range) {
    Ticks ticks;
    const double low = std::log(range.low), span = std::log(range.high) - low;
    for (const double value : values)
        ticks.marks.push_back({(std::log(value) - low) / span, number_text(value, 6)});
    return ticks;
}

Ticks thinned(Ticks ticks, int most) {
    const std::size_t stride = (ticks.marks.size() + std::size_t(most) - 1) / std::size_t(most);
    std::vector<Tick> kept;
    for (std::size_t i = 0; i < ticks.marks.size(); i += stride) kept.push_back(std::move(ticks.marks[i]));
    ticks.marks = std::move(kept);
    return ticks;
}

Ticks with_ends(Ticks ticks, double length, double gap, const LabelWidth& width) {
    const double free_from = width(ticks.low) + gap, free_to = length - width(ticks.high) - gap;
    if (ticks.low.empty() || free_from > free_to + gap) return ticks;
    std::erase_if(ticks.marks, [&](const Tick& tick) {
        const double half = width(tick.label) / 2, middle = tick.position * length;
        return middle - half < free_from || middle + half > free_to;
    });
    if (ticks.marks.empty()) {
        const double half = width(ticks.middle) / 2;
        const bool fits = length / 2 - half >= free_from && length / 2 + half <= free_to;
        ticks.marks.push_back({0.5, fits ? ticks.middle : ""});
    }
    ticks.marks.insert(ticks.marks.begin(), {0, ticks.low});
    ticks.marks.push_back({1, ticks.high});
    return ticks;
}

double widest_label(const Ticks& ticks, const LabelWidth& width) {
    double widest = 0;
    for (const Tick& tick : ticks.marks) widest = std::max(widest, width(tick.label));
    return widest;
}

Ticks fitting_ticks(const std::function<Ticks(int)>& ticks,
                    double length,
                    double gap,
                    const LabelWidth& width) {
    constexpr int kMaxTicks = 9;
    Ticks found;
    for (int most = kMaxTicks; most > 0; --most) {
        found = thinned(ticks(most), most);
        double free_from = -2 * length;
        bool fits = true;
        for (const Tick& tick : found.marks) {
            const double half = width(tick.label) / 2, middle = tick.position * length;
            fits &= middle - half >= free_from;
            free_from = middle + half + gap;
        }
        if (fits) break;
    }
    return found;
}

std::string axis_title(const std::string& label, const Ticks& ticks) {
    // Label + offset = value, so the offset is subtracted in the title.
    std::string title = label;
    if (ticks.offset.starts_with("+")) title += " −" + ticks.offset.substr(1);
    if (ticks.offset.starts_with("−")) title += " +" + ticks.offset.substr(std::string_view("−").size());
    if (!ticks.factor.empty()) title += (title.empty() ? "" : " ") + ("(" + ticks.factor + ")");
    return title;
}

}  // namespace stencil::figure
