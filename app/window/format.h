// Numbers for people: few figures, a fixed width, units.
#pragma once

#include <string>
#include <string_view>

namespace stencil {

/// A value of the field with four decimals, or in powers of ten where those would not show it: "0.1235",
/// "-12.5000", "3.2100e-07", "nan". The same number of characters for numbers of about the same size.
std::string format_value(double value);

/// At most `digits` figures, as short as it goes, for labels of axes: "0.25", "1.5e+06".
std::string format_short(double value, int digits = 4);

/// A label of an axis that spans `span`: as many decimals as tell its values apart.
std::string format_in_span(double value, double span);

/// With a space between groups of three digits: "10 000".
std::string format_count(long long count);

inline constexpr std::string_view kUnknown = "\xe2\x80\x93";  ///< a dash where nothing was measured yet

/// With two decimals, so that columns of them line up: "12.34".
std::string format_fixed(double value);

/// What was measured, by one of the above; a dash before, which is when it is 0.
std::string format_measured(double value, std::string (*format)(double) = format_fixed);

/// Three figures without a prefix or powers of ten: "0.123", "12.3", "4567".
std::string format_figures(double value);

/// A time to wait: "3 s", "12 min", "5 h".
std::string format_duration(double seconds);

/// A share as a percentage: "94%".
std::string format_share(double share);

}  // namespace stencil
