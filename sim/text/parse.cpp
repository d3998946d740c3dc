#include "sim/text/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "sim/text/error.h"
#include "sim/text/numbers.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

// Parses the whole text as a number, or returns false.
template <class T>
bool read(std::string_view text, T& value) {
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

// Reads a finite number, also written as 1/8, 10k, 2M or 1G.
std::optional<double> read_shorthand(std::string_view text) {
    if (const std::size_t slash = text.find('/'); slash != text.npos) {
        const auto above = read_real(text.substr(0, slash)), below = read_real(text.substr(slash + 1));
        return above && below && std::isfinite(*above / *below) ? std::optional(*above / *below)
                                                                : std::nullopt;
    }
    const std::size_t prefix = text.empty() ? text.npos : std::string_view("kKMG").find(text.back());
    const double factor = prefix == text.npos ? 1 : std::array{1e3, 1e3, 1e6, 1e9}[prefix];
    if (factor > 1) text.remove_suffix(1);
    const auto value = read_real(text);
    return value && std::isfinite(*value * factor) ? std::optional(*value * factor) : std::nullopt;
}

std::string_view comma_hint(std::string_view text) {
    return text.find(',') == text.npos ? ""
                                       : "; decimals are written with a point, and thousands without a comma";
}

}  // namespace

std::optional<long long> read_integer(std::string_view text) {
    long long value = 0;
    if (!read(text, value)) return std::nullopt;
    return value;
}

std::optional<long long> read_whole(std::string_view text) {
    if (const auto plain = read_integer(text)) return plain;
    const auto real = read_shorthand(text);
    return real ? exact_whole(*real) : std::nullopt;
}

std::optional<std::pair<long long, long long>> read_extent(std::string_view text) {
    const std::size_t x = std::min(text.find('x'), text.size());
    const auto first = read_whole(text.substr(0, x));
    const auto second = x < text.size() ? read_whole(text.substr(x + 1)) : first;
    return first && second ? std::optional(std::pair(*first, *second)) : std::nullopt;
}

long long parse_integer(std::string_view text, std::string_view setting, long long least, long long most) {
    const auto value = read_whole(text);
    if (!value || *value < least || *value > most)
        throw InputError(Given{setting, quotable(text)},
                         "must be a whole number from {} to {}{}",
                         least,
                         most,
                         comma_hint(text));
    return *value;
}

std::uint64_t parse_seed(std::string_view text, std::string_view setting) {
    std::uint64_t value = 0;
    if (!read(text, value))
        throw InputError(Given{setting, quotable(text)},
                         "must be a whole number from 0 to {}",
                         std::numeric_limits<std::uint64_t>::max());
    return value;
}

std::optional<double> read_real(std::string_view text) {
    double value = 0;
    if (!read(text, value) || !std::isfinite(value)) return std::nullopt;
    return value;
}

double parse_real(std::string_view text, std::string_view setting) {
    const auto value = read_shorthand(text);
    if (!value)
        throw InputError(Given{setting, quotable(text)}, "must be a finite number{}", comma_hint(text));
    return *value;
}

bool parse_flag(std::string_view text, std::string_view setting) {
    if (text != "true" && text != "false")
        throw InputError(Given{setting, quotable(text)}, "must be true or false");
    return text == "true";
}

std::uint64_t parse_bytes(std::string_view text, std::string_view setting) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view unit = text.substr(digits);
    double value = 0;
    const std::size_t power = unit.empty() || unit == "B" ? 0 : std::string_view("KMGT").find(unit[0]) + 1;
    const bool decimal = unit.size() <= 1 || unit.substr(1) == "B";
    const bool binary = unit.size() == 3 && unit.substr(1) == "iB";
    const bool known = power != std::string_view::npos + 1 || unit.empty() || unit == "B";
    if (read(text.substr(0, digits), value) && known && (decimal || binary)) {
        value *= std::pow(binary ? 1024.0 : 1000.0, double(power));
        if (value >= 1 && value < 9e18) return std::uint64_t(value);
    }
    throw InputError(Given{setting, quotable(text)},
                     "must be a number of bytes from 1 up, e.g. 500000000, 500MB or 1.5GiB");
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::string format_bytes(double bytes) {
    static constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
    int unit = 0;
    while (bytes >= 999.5 && unit < 6) {
        bytes /= 1000;
        ++unit;
    }
    // Three significant digits.
    const int decimals = unit == 0 || bytes >= 99.95 ? 0 : bytes >= 9.995 ? 1 : 2;
    return fmt::format("{:.{}f} {}", bytes, decimals, kUnits[unit]);
}

std::string format_real(double value) {
    return fmt::format("{}", value);
}

}  // namespace stencil
