// Lists what can stand at the caret of a model's text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/editing/highlight.h"

namespace stencil::editing {

struct Candidate {
    std::string text;  ///< to insert for the begun word
    std::string help;  ///< one line
    Ink ink = Ink::plain;
};

struct Completion {
    TextSpan word;  ///< as far as it is typed
    std::vector<Candidate> candidates;
};

/// Lists what begins with the word that ends at `caret`: at the start of a statement settings, sides and own
/// names, after `integrator =` the integrators, in formulas names and functions. `any` also lists where no
/// word has begun.
Completion completion(std::string_view text, std::size_t caret, const OwnNames& names, bool any = false);

}  // namespace stencil::editing
