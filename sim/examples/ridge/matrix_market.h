// Matrix Market files (.mtx): sparse and dense matrices as text.
#pragma once

#include <filesystem>
#include <vector>

#include "kernels/examples/ridge/sparse_matrix.h"

namespace stencil {

/// Reads a matrix: coordinate or array; real, integer or pattern (all 1); general, symmetric or
/// skew-symmetric (expanded to both halves). Duplicates are summed; explicit zeros are kept in coordinate
/// files and dropped from arrays. Throws InputError "PATH: line N: ..." for anything else, such as non-finite
/// values, wrong indices or counts, and complex or Hermitian matrices; MachineError if rows and columns
/// exceed memory.
SparseMatrix<double> read_matrix_market(const std::filesystem::path& path);

/// Reads a file of one column or one row as a dense vector.
std::vector<double> read_matrix_market_vector(const std::filesystem::path& path);

}  // namespace stencil
