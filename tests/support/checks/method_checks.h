// What every method must do, whatever its device: the CPU and the CUDA tests run the same checks over the
// method table.
#pragma once

#include "kernels/methods/method.h"

namespace stencil_test {

/// Every method of the device, in both precisions, under every boundary, on odd sizes, after step counts that
/// fit no batch: against the plain float64 loops.
void check_parity(stencil::Device device);

/// Cutting the steps into calls changes no bit, or only the roundings where the method jumps.
void check_cuts(stencil::Device device);

/// On the CPU the number of threads changes no bit either.
void check_threads();

/// The discrete eigenmodes decay by their eigenvalues, over many steps and with the float32 and float64
/// bounds.
void check_modes(stencil::Device device);

/// Under insulated and periodic boundaries the total stays.
void check_totals(stencil::Device device);

/// The Laplacian of the stepped field is that of the field which is read.
void check_laplacian(stencil::Device device);

/// Changing the coefficient and the boundary in mid-run takes effect at once.
void check_live_changes(stencil::Device device);

/// The NumPy fields in tests/reference.
void check_numpy_fields(stencil::Device device);

}  // namespace stencil_test
