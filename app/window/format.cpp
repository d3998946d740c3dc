#include "app/window/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace stencil {
namespace {

// Returns the power of ten of the first digit after rounding to `digits` digits: 9.9996 becomes 10.00.
int exponent_of(double value, int digits) {
    return int(std::floor(std::log10(std::abs(value) * (1 + 0.5 * std::pow(10, -digits)))));
}

}  // namespace

std::string format_value(double value) {
    if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    if (value == 0) return "0";
    const int exponent = exponent_of(value, 4);
    if (exponent < -3 || exponent > 4) return fmt::format("{:.3e}", value);
    return fmt::format("{:.{}f}", value, std::max(0, 3 - exponent));
}

std::string format_short(double value, int digits) {
    if (std::abs(value) < 1e-300) return "0";
    return fmt::format("{:.{}g}", value, digits);
}

std::string format_in_span(double value, double span) {
    if (!(span > 0) || !std::isfinite(span) || !std::isfinite(value)) return format_short(value);
    const int decimals = 2 - int(std::floor(std::log10(span)));
    if (decimals > 7 || std::abs(value) >= 1e8) {
        const double ratio = std::max(1.0, std::abs(value) / span);
        return format_short(value, std::clamp(3 + int(std::ceil(std::log10(ratio))), 3, 12));
    }
    // Strip trailing zeros.
    std::string text = fmt::format("{:.{}f}", value, std::max(0, decimals));
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.') text.pop_back();
    }
    return text == "-0" ? "0" : text;
}

std::string format_figures(double value) {
    if (!std::isfinite(value) || value == 0) return fmt::format("{:.0f}", value);
    return fmt::format("{:.{}f}", value, std::clamp(2 - exponent_of(value, 3), 0, 6));
}

std::string format_count(long long count) {
    std::string digits = fmt::format("{}", count);
    const int first = count < 0 ? 1 : 0;
    for (int at = int(digits.size()) - 3; at > first; at -= 3) digits.insert(std::size_t(at), " ");
    return digits;
}

std::string format_measured(double value, std::string (*format)(double)) {
    return value > 0 ? format(value) : std::string(kUnknown);
}

double rounded_to(double value, double size) {
    const double unit = std::pow(10.0, std::floor(std::log10(size)) - 3);
    return unit < 1 ? std::round(value / unit) / std::round(1 / unit) : std::round(value / unit) * unit;
}

std::string format_duration(double seconds) {
    constexpr double kMinute = 60, kHour = 3600, kUpTo = 100;
    if (seconds < kUpTo) return fmt::format("{:.0f} s", std::ceil(seconds));
    if (seconds < kUpTo * kMinute) return fmt::format("{:.0f} min", seconds / kMinute);
    return fmt::format("{:.0f} h", seconds / kHour);
}

std::string capitalized(std::string text) {
    if (!text.empty()) text[0] = char(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

std::string format_share(double share) {
    return fmt::format("{:.0f}%", 100 * share);
}

}  // namespace stencil
