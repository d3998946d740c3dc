// Formats numbers for people: few digits, constant width, units.
#pragma once

#include <string>
#include <string_view>

namespace stencil {

/// Formats a value of the field with four significant digits: "0.1235", "-12.50", "3.210e-07", "nan". Numbers
/// of about the same size have the same width.
std::string format_value(double value);

/// At most `digits` significant digits, as short as possible, for axis labels: "0.25", "1.5e+06".
std::string format_short(double value, int digits = 4);

/// A label of an axis that spans `span`, with enough decimals to tell neighbours apart.
std::string format_in_span(double value, double span);

/// Groups digits in threes with spaces: "10 000".
std::string format_count(long long count);

inline constexpr std::string_view kUnknown = "\xe2\x80\x93";  ///< a dash: not measured yet

/// Three significant digits without prefix or exponent: "0.123", "12.3", "4567".
std::string format_figures(double value);

/// Formats a measured value with `format`, or a dash if it is 0 (not measured yet).
std::string format_measured(double value, std::string (*format)(double) = format_figures);

/// Rounds to four significant digits of `size`, so that a recorded number is short.
double rounded_to(double value, double size);

/// A waiting time: "3 s", "12 min", "5 h".
std::string format_duration(double seconds);

/// Makes the first letter a capital if it is an ASCII letter.
std::string capitalized(std::string text);

/// A fraction as a percentage: "94%".
std::string format_share(double share);

}  // namespace stencil
