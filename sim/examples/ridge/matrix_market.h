// Matrix Market files (.mtx): sparse and dense matrices as text.
#pragma once

#include <filesystem>
#include <vector>

#include "kernels/examples/ridge/sparse_matrix.h"

namespace stencil {

/// Reads a matrix as scipy.io.mmread does, also from a .gz file: coordinate or array; real, integer or
/// pattern (all 1); general, symmetric, Hermitian or skew-symmetric. Of a half, entries on either side are
/// mirrored. Duplicates are summed; explicit zeros are kept in coordinate files and dropped from arrays.
/// Exponents may be Fortran's (1D+3). Throws InputError "PATH: line N: ..." for anything else, such as
/// non-finite values, wrong indices or counts, and complex matrices; MachineError if rows and columns exceed
/// memory.
SparseMatrix<double> read_matrix_market(const std::filesystem::path& path);

/// Reads a file of one column or one row as a dense vector.
std::vector<double> read_matrix_market_vector(const std::filesystem::path& path);

}  // namespace stencil
