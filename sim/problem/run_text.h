// Writes a run's settings and boundary conditions into its model's text, reads them back, and keeps choices
// made beside the text.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/model/text/statements.h"
#include "sim/problem/run_spec.h"

namespace stencil {

struct RunSpec;

/// The model's text with the run's values in it: parameters, size, boundary, dx, integrator, initial
/// formulas, and dt (added if missing only if `sets_dt`; left out if it follows the limit). Comments and
/// layout stay. It parses to the same settings, and applying the function again changes nothing.
std::string text_of_run(const Problem& now, bool sets_dt = true);

/// A boundary condition of one component at one side, in the forms that a menu offers.
struct SideCondition {
    enum class Kind { value, flux, robin, periodic, typed };
    Kind kind = Kind::periodic;
    std::string value = "0";   ///< V of `u = V`, `flux(u) = V` and `u + B*flux(u) = V`: a formula
    std::string factor = "1";  ///< B
    std::string typed = {};    ///< a condition of another form: its equation or word
    friend bool operator==(const SideCondition&, const SideCondition&) = default;
};

/// A component's conditions in a text, in the order of equation::kSides. Throws TextError.
std::array<SideCondition, 4> side_conditions(const std::string& text, std::string_view component);

/// The text with another condition at one side of a component; its other sides and those of all other
/// components stay as they are. Periodic holds on both sides of an axis, so it is also set at the opposite
/// side, and a condition that ends it makes the opposite side insulated. Throws TextError if a formula of
/// the condition cannot be read; names in it are not checked.
std::string text_with_side(const std::string& text,
                           std::string_view component,
                           equation::Side side,
                           const SideCondition& condition);

/// `next` is `before` with an edited text, possibly with choices of `before` still set. Returns the settings
/// to change so that the run follows the text, and is as before where the text says nothing; dt is decided
/// anew, since the equation may have changed.
std::vector<std::pair<std::string, std::string>> choices_of_text(const Problem& before, const Problem& next);

/// Components without an initial condition in the new text keep their previous one.
void keep_starts_of(const Problem& before, Problem& next);

/// `spec` has a new text and its defaults. Restores from `before` the choices made beside the old text that
/// the edit does not contradict: parameters, dt, size, shown formula, boundary and initial conditions if both
/// texts agree on them; integrator and dx always.
void keep_choices(RunSpec& spec, const RunSpec& before);

}  // namespace stencil
