// The float32-accurate product on the tensor cores: each factor is split into two halves (half_split.cuh),
// and three products of halves make one of float32 numbers. On Hopper by a kernel of this program, elsewhere
// by cuBLAS.
#pragma once

#include <memory>

#include "kernels/examples/matmul/cuda_matmul.h"

namespace stencil::matmul {

std::size_t half_matmul_bytes(const MatmulNeeds& needs);
std::unique_ptr<CudaMatmul<float>> make_half_matmul(const MatmulNeeds& needs, CudaStream& stream);

/// By cuBLAS, also where there is the kernel.
std::size_t half_library_bytes(const MatmulNeeds& needs);
std::unique_ptr<CudaMatmul<float>> make_half_library(const MatmulNeeds& needs, CudaStream& stream);

}  // namespace stencil::matmul
