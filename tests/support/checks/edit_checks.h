// Changing a field in mid-run: painting, and going back to a saved state. Checked over every method of a
// device.
#pragma once

#include "kernels/methods/method.h"

namespace stencil_test {

/// Every method steps what was painted, and cells that the brush does not reach keep every bit.
void check_painting(stencil::Device device);

/// Every method repeats every bit after a solver of its own resumed from a snapshot, and goes on from its
/// plain field anywhere else.
void check_resuming(stencil::Device device);

/// Every method repeats every bit after its state was restored.
void check_restoring(stencil::Device device);

}  // namespace stencil_test
