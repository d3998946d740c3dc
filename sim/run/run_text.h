// The text of a run: its model's text with what was chosen beside it written into it, and back.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/run/problem.h"

namespace stencil {

/// The model's text with the run's own values in it: parameters, size, boundary, dx, stepper, the formulas
/// that components start from, and dt, which is added to a text that leaves it open only where `sets_dt`.
/// Comments and layout stay. Read again it says the same of the run, and its text is itself.
std::string text_of_run(const Problem& now, bool sets_dt = true);

/// `next` is `before` with another text, in which some choices of before still stand beside it. Returns the
/// settings to change for the run to be as the text says, and where that says nothing as it was; dt is then
/// worked out anew, which another equation may need.
std::vector<std::pair<std::string, std::string>> choices_of_text(const Problem& before, const Problem& next);

/// Components that the new text has no start for begin as they did before.
void keep_starts_of(const Problem& before, Problem& next);

}  // namespace stencil
