// What the method `spectral` must do on either device, beside what every method must.
#pragma once

#include "kernels/methods/method.h"

namespace stencil_test {

/// A jump ends where the method `cpu` steps to in float64, on odd, prime and tiny sizes, for stable
/// coefficients and unstable ones.
void check_jump_is_steps(stencil::Device device);

/// After 10^9 steps and more a field is its mean where the boundary conserves the total, and nothing where it
/// does not.
void check_long_jumps(stencil::Device device);

/// At the stability limit the checkerboard stays for ever, and changes its sign with every step.
void check_checkerboard(stencil::Device device);

/// A jump of an unstable field overflows as the steps do.
void check_overflow(stencil::Device device);

}  // namespace stencil_test
