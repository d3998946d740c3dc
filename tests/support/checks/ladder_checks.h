// What holds for the ladder on every device.
#pragma once

#include "kernels/methods/method.h"

namespace stencil_test {

void check_ladder(stencil::Device device);
void check_norms(stencil::Device device);

}  // namespace stencil_test
