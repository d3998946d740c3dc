// Stability of the time step of typed equations for the current field.
#pragma once

#include <limits>
#include <string>

#include "sim/model/stability/linearisation.h"
#include "sim/problem/run_spec.h"

namespace stencil {

class Solver;

/// The largest stable step over sampled cells of the field, extremes included, at the solver's time; if
/// `ahead`, over the states to which the reaction alone leads from there. Limits above `enough` are not told
/// apart, which is faster: the result is at most that.
inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();
equation::StableStep stable_step(const Problem& spec,
                                 Solver& solver,
                                 bool ahead = false,
                                 double enough = kUnbounded);

/// Steps after which a run whose dt follows the limit computes that again; only steps that are multiples of
/// it count, so that it does not matter how a run is cut.
inline constexpr long long kFollowEvery = 32;

/// The dt of such a run for the field's present values: what the spec has, unless that is off its share of
/// the limit by more than 5 %, or above the limit, or will be where the reaction alone leads until the next
/// look. It stays where no limit is known.
double followed_dt(const Problem& spec, Solver& solver);

/// How a time step compares with the stability limit.
enum class StepVerdict { stable, near_limit, unstable, unknown };
StepVerdict verdict(double dt, const equation::StableStep& limit);

/// Decides an open dt: a share of the stable limit, or by default 1 but at most 0.8 of the limit. Throws
/// InputError if dt exceeds the limit or any step is unstable, unless allowed. Does nothing for other models.
/// With `underway`, a dt that follows the limit may exceed it, since it is then lowered by followed_dt(). One
/// whose error is controlled may at any time. A dt that is far below the limit at few waves counts as stable,
/// and only others are looked at closely; with `brief`, as for a change of a parameter, at few cells.
void resolve_dt(RunSpec& spec, Solver& solver, bool underway = false, bool brief = false);

/// The time after `since` from which the present field's limit is below dt; `since` if it is so there, too.
double time_beyond_limit(const Problem& spec, Solver& solver, double since);

/// Rounded down to three digits, so that numbers in a record are short.
double short_step(double dt);

/// "0.80 of the limit 1.25", or how many times the limit it is where it is far beyond.
std::string limit_share(double dt, double limit);

/// A sentence such as "dt 5e-4 is 0.80 of the limit, set by the term Dv*lap(v) of v", or why there is no
/// limit.
std::string stability_text(double dt, const equation::StableStep& limit);

}  // namespace stencil
