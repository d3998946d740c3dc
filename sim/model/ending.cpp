#include "sim/model/ending.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "sim/model/text/syntax.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

constexpr std::string_view kSteady = "steady:";

struct ClockUnit {
    std::string_view name;
    double seconds;
};
constexpr std::array kClockUnits{ClockUnit{"h", 3600}, ClockUnit{"min", 60}, ClockUnit{"s", 1}};

// The positive number before a suffix; empty if the text is none.
std::optional<double> number_before(std::string_view text, std::string_view suffix) {
    if (!text.ends_with(suffix)) return std::nullopt;
    const auto number = read_real(text.substr(0, text.size() - suffix.size()));
    return number && *number > 0 && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace

double read_end_time(std::string_view text, std::string_view setting) {
    const auto time = number_before(text, "");
    if (!time) throw InputError(Given{setting, quotable(text)}, "must be a time above 0, e.g. 10 or 0.5");
    return *time;
}

std::optional<double> steady_bound(std::string_view condition) {
    if (!condition.starts_with(kSteady)) return std::nullopt;
    return read_real(condition.substr(kSteady.size()));
}

std::string checked_condition(std::string_view text, std::string_view setting) {
    if (text.starts_with(kSteady)) {
        const auto bound = steady_bound(text);
        if (!bound || !(*bound > 0) || !std::isfinite(*bound))
            throw InputError(Given{setting, quotable(text)},
                             "must be steady:E with E above 0, e.g. steady:1e-6");
    } else {
        try {
            equation::read_formula(text);
        } catch (const equation::TextError& error) {
            throw InputError(Given{setting, quotable(text)},
                             "{}; a condition is a formula such as 'max(v) < 1e-3', or steady:1e-6",
                             error.sentence());
        }
    }
    return std::string(text);
}

Ending read_ending(std::string_view text, std::string_view setting) {
    if (const auto time = number_before(text, "t")) return {kMaxSteps, time};
    if (read_real(text)) return {parse_integer(text, setting, 0, kMaxSteps)};
    return {kMaxSteps, {}, checked_condition(text, setting)};
}

std::string to_string(const Ending& ending) {
    if (!ending.open()) return fmt::format("{}", ending.steps);
    return ending.time ? format_real(*ending.time) + "t" : ending.until;
}

Interval Interval::of_time(double time) {
    Interval interval;
    interval.time = time;
    return interval;
}

Interval Interval::of_clock(double seconds) {
    Interval interval;
    interval.seconds = seconds;
    return interval;
}

Interval read_interval(std::string_view text, std::string_view setting, bool clock_allowed) {
    if (const auto time = number_before(text, "t")) return Interval::of_time(*time);
    for (const ClockUnit& unit : kClockUnits)
        if (const auto number = clock_allowed ? number_before(text, unit.name) : std::nullopt)
            return Interval::of_clock(*number * unit.seconds);
    if (const auto steps = read_integer(text)) return parse_integer(text, setting, 1, kMaxSteps);
    throw InputError(Given{setting, quotable(text)},
                     "must be a number of steps, e.g. 100, or a time of the equations, e.g. 0.5t{}",
                     clock_allowed ? ", or of the clock: 90s, 10min, 2h" : "");
}

std::string to_string(const Interval& interval) {
    if (interval.steps > 0) return fmt::format("{}", interval.steps);
    if (interval.time > 0) return format_real(interval.time) + "t";
    for (const ClockUnit& unit : kClockUnits)
        if (interval.seconds > 0 && std::fmod(interval.seconds, unit.seconds) == 0)
            return format_real(interval.seconds / unit.seconds) + std::string(unit.name);
    return interval.seconds > 0 ? format_real(interval.seconds) + "s" : "";
}

}  // namespace stencil
