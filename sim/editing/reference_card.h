// Lists what a model's text can have, with an example of each.
#pragma once

#include <string>
#include <vector>

namespace stencil::editing {

struct CardEntry {
    std::string example, help;
};
struct CardPart {
    const char* title;
    std::vector<CardEntry> entries;
};

/// Examples use the components u and v and the parameters D, a and b. Examples of functions and names are
/// formulas, all others statements.
std::vector<CardPart> reference_card();

}  // namespace stencil::editing
