// A run as one HTML file that steps it in a browser (docs/web.md).
#pragma once

#include <string>
#include <vector>

#include "sim/field/field.h"
#include "sim/problem/run_spec.h"

namespace stencil {

/// The state and settings that a page begins with.
struct WebStart {
    const RunSpec& now;       ///< the settings of further steps
    const RunSpec& document;  ///< repeats the run up to this state
    long long step = 0;
    double time = 0;                  ///< of the equations, a number without a unit
    std::vector<const Field*> state;  ///< by component
    const Field* shown = nullptr;     ///< the shown formula's values, which the colours span
};

/// Returns the page. Throws InputError as require_web_page() does.
std::string web_page(const WebStart& start);

/// Returns why a page cannot step a run; empty if no reason is known without compiling the model.
std::string why_no_web_page(const RunSpec& spec);
/// Throws InputError if a page cannot step the run.
void require_web_page(const RunSpec& spec);

}  // namespace stencil
