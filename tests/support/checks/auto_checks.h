// What holds for `auto` in a session on every device.
#pragma once

#include "kernels/methods/method.h"

namespace stencil_test {

void check_auto_follows(stencil::Device device);

}  // namespace stencil_test
