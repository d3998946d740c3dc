// The machine's limit for one step per pass: how fast its memory copies.
#pragma once

#include "kernels/method.h"

namespace stencil {

/// Measured, in GB/s (1e9 bytes), reading and writing both counted: the median of several copies between two
/// arrays several times the size of the caches, or as large as free memory reasonably allows. Takes up to
/// about a second.
double measure_copy_bandwidth(Device device, int threads);

}  // namespace stencil
