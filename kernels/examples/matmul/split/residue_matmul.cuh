// The float64-accurate product on 8-bit tensor cores (residues.h). On Hopper only.
#pragma once

#include <memory>

#include "kernels/examples/matmul/cuda_matmul.h"

namespace stencil::matmul {

bool has_residue_matmul();
std::size_t residue_matmul_bytes(const MatmulNeeds& needs);
/// Throws CudaError, also for sums of more than kMaxResidueTerms products.
std::unique_ptr<CudaMatmul<double>> make_residue_matmul(const MatmulNeeds& needs, CudaStream& stream);

}  // namespace stencil::matmul
