// Lists what can stand at the caret of a model's text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/editing/highlight.h"

namespace stencil::editing {

struct Candidate {
    std::string text;  ///< to insert for the begun word
    std::string help;  ///< replaces the begun word
    Ink ink = Ink::plain;
};

struct Completion {
    TextSpan word;  ///< the part of the word that is typed
    std::vector<Candidate> candidates;
};

/// Lists the completions of the word that ends at `caret`: settings, sides and the text's own names at the
/// start of a statement, integrators after `integrator =`, names and functions in formulas. With `any` also
/// where no word has begun.
Completion completion(std::string_view text, std::size_t caret, const OwnNames& names, bool any = false);

}  // namespace stencil::editing
