// A program of operations as people read it.
#pragma once

#include <string>
#include <vector>

#include "kernels/equation/program.h"

namespace stencil::equation {

/// Every stage as lines of arithmetic, and after them the numbers that all cells share. What stands in a
/// line is done in its order, each operation rounded once; a product beside a sum is a part of it (fma).
/// u[+1,0] is the neighbour a column further on. `parameters` are the model's, by name.
std::string program_text(const Program& program, const std::vector<std::string>& parameters);

/// What the row machine runs for each tile of a row: an operation a line; `before` is what the one before
/// made.
std::string row_program_text(const Program& program);

/// Arithmetic of a cell and a step: every addition, multiplication, multiply-add, division, root, comparison,
/// choice and random number as one; a sum of four neighbours as two, since its pairs serve two cells each.
/// Reading and writing is not counted, nor is what is worked out once.
double operations_of_cell(const Program& program);
double operations_of_cell(const Stage& stage);

}  // namespace stencil::equation
