// The time step of typed equations as it is written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stencil {

/// "0.01", a fixed step; "0.8limit", that share of the stability limit at this moment; "follow:0.8limit",
/// which stays near that share as the field changes; "tolerance:1e-4", which keeps the estimated error of a
/// step below that; or "0.01,follow:0.8limit" and "0.01,tolerance:1e-4", which do so from 0.01 on, as events
/// of a run record it.
struct TimeStep {
    std::optional<double> dt;         ///< empty: decided once a field is there to compute the limit from
    std::optional<double> share;      ///< of the limit; empty: none
    std::optional<double> tolerance;  ///< of the error of a step; empty: none
    bool follows = false;             ///< the run changes it as the field changes
    /// Whether it says what a run has decided.
    bool decided() const { return dt && follows; }
};

/// Texts that are none of these give an empty one.
TimeStep read_time_step(std::string_view text);

/// Parses and simplifies what a user typed. Throws InputError.
std::string checked_time_step(std::string_view text);

/// Returns "follow:0.8limit" for a step that follows the limit, whatever dt it has now, and "tolerance:1e-4"
/// for one whose error is controlled; other texts are returned unchanged.
std::string asked_time_step(const std::string& text);

/// Returns the present dt as a fixed step.
std::string fixed_time_step(const std::string& text);

}  // namespace stencil
