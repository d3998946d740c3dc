// Where a run ends, and how often something is done on its way.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace stencil {

inline constexpr long long kMaxSteps = 1'000'000'000'000;

/// The end of a run: whichever of these comes first.
struct Ending {
    Ending(long long n = kMaxSteps, std::optional<double> t = {}, std::string condition = {})
        : steps(n), time(t), until(std::move(condition)) {}

    long long steps;             ///< kMaxSteps: any number
    std::optional<double> time;  ///< t of the equations
    std::string until;           ///< a condition, as sim/run/stop_condition.h takes it; empty: none

    /// Whether the number of steps is not given.
    bool open() const { return steps == kMaxSteps; }
    friend bool operator==(const Ending&, const Ending&) = default;
};

/// Parses "200" (a step), "12.5t" (a time) or a condition. Throws InputError that names the setting.
Ending read_ending(std::string_view text, std::string_view setting);
/// Formats an ending so that read_ending() takes it; of several parts, the first.
std::string to_string(const Ending& ending);

/// Parses a time at which a run ends. Throws InputError that names the setting.
double read_end_time(std::string_view text, std::string_view setting);
/// Checks that a condition is `steady:E` or a formula. Throws InputError that names the setting.
std::string checked_condition(std::string_view text, std::string_view setting);
/// The bound of "steady:1e-6"; empty for other conditions.
std::optional<double> steady_bound(std::string_view condition);

/// How often something is done: every so many steps, so much time of the equations, or so many seconds of the
/// wall clock. Never if none is given.
struct Interval {
    Interval(long long n = 0) : steps(n) {}
    static Interval of_time(double time);
    static Interval of_clock(double seconds);

    long long steps = 0;
    double time = 0, seconds = 0;

    bool given() const { return steps > 0 || time > 0 || seconds > 0; }
    friend bool operator==(const Interval&, const Interval&) = default;
};

/// Parses "100" (steps) or "0.5t" (time), and, where the clock is `allowed`, "90s", "10min" or "2h". Throws
/// InputError that names the setting.
Interval read_interval(std::string_view text, std::string_view setting, bool clock_allowed);
std::string to_string(const Interval& interval);

}  // namespace stencil
