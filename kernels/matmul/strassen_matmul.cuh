// A matrix product with an eighth fewer multiplications: one step of Strassen's method in Winograd's form,
// with cuBLAS's products of the quarters (Higham, Accuracy and Stability of Numerical Algorithms,
// section 23.1). The errors are small beside |A| |B|'s largest values rather than beside each value, a few
// times as large as usual.
#pragma once

#include <memory>

#include "kernels/matmul/cuda_matmul.h"

namespace stencil {

std::size_t strassen_matmul_bytes(const MatmulNeeds& needs);

/// For one shape, and calls that do not accumulate. Throws CudaError.
std::unique_ptr<CudaMatmul<double>> make_strassen_matmul(const MatmulNeeds& needs, CudaStream& stream);

}  // namespace stencil
