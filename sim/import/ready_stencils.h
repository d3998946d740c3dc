// Stencils of Ready, by what stands before `_a` in their names.
#pragma once

#include <string>
#include <string_view>

namespace stencil::import {

/// A derivative of u, such as lap(u) for `laplacian`; empty if it is none.
std::string derivative_of(std::string_view kind, const std::string& u);

/// The bilaplacian of u as a sum over cells. (Texts have the other sums, such as sobelN_u, by their names.)
std::string bilaplacian_of(const std::string& u);

/// Whether it is the place of a neighbour, such as n2e.
bool is_compass(std::string_view way);

}  // namespace stencil::import
