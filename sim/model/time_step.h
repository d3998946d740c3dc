// How the time step of typed equations is chosen.
#pragma once

#include <string>
#include <string_view>
#include <variant>

namespace stencil {

/// No choice was made: when the run begins, dt becomes 1 or 0.8 of the stability limit, whichever is lower.
struct UsualStep {
    friend bool operator==(const UsualStep&, const UsualStep&) = default;
};

struct FixedStep {
    double dt = 0;
    friend bool operator==(const FixedStep&, const FixedStep&) = default;
};

/// A share of the stability limit of the field at hand, which becomes a FixedStep.
struct ShareOfLimit {
    double share = 1;
    friend bool operator==(const ShareOfLimit&, const ShareOfLimit&) = default;
};

/// Stays near a share of the limit while the field changes. `dt` is the present step; 0: not decided yet.
struct FollowLimit {
    double share = 1;
    double dt = 0;
    friend bool operator==(const FollowLimit&, const FollowLimit&) = default;
};

/// Keeps the estimated error of a step below a tolerance. `dt` as in FollowLimit.
struct ByTolerance {
    double tolerance = 0;
    double dt = 0;
    friend bool operator==(const ByTolerance&, const ByTolerance&) = default;
};

using TimeStep = std::variant<UsualStep, FixedStep, ShareOfLimit, FollowLimit, ByTolerance>;

/// The present step; 0 while it is undecided.
double dt_of(const TimeStep& step);
/// With another present step; what is not adaptive becomes a FixedStep.
TimeStep with_dt(const TimeStep& step, double dt);
/// Whether the run changes dt on its way.
bool is_adaptive(const TimeStep& step);
/// Returns the choice without the dt that a run chose: following 0.8 of the limit, or a tolerance.
TimeStep undecided(const TimeStep& step);

/// Reads "0.01", "0.8limit", "follow:0.8limit", "tolerance:1e-4"; the last two also with the present step,
/// as in "0.01,follow:0.8limit". Throws InputError.
TimeStep parse_time_step(std::string_view text);
/// The text that parse_time_step() takes; empty for UsualStep.
std::string to_string(const TimeStep& step);

}  // namespace stencil
