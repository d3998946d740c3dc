// Programs and formulas as readable text.
#pragma once

#include <string>
#include <vector>

#include "kernels/equation/program.h"
#include "sim/model/equations.h"

namespace stencil::equation {

/// Formats all stages as lines of arithmetic, then the values that all cells share. Operations are in
/// execution order and each is rounded once; a product next to a sum is fused (fma). u[+1,0] is the next
/// column's value. `parameters` are the names of the model's parameters.
std::string program_text(const Program& program, const std::vector<std::string>& parameters);

struct ListedFormula {
    std::string name;
    Node node = 0;
    bool stored;  ///< other formulas refer to it by its name
};

/// Formats formulas of the model as one line each. Expressions that occur more than once come before them.
std::string formulas_text(const Equations& model, const std::vector<ListedFormula>& formulas);

}  // namespace stencil::equation
