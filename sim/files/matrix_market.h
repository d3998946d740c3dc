// Matrix Market files (.mtx): sparse and dense matrices as text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "kernels/examples/ridge/sparse_matrix.h"

namespace stencil {

/// Reads a matrix: coordinate or array; real, integer or pattern (all 1); general, symmetric or
/// skew-symmetric (the half that a file leaves out is filled in). Entries of one place are summed; zeros are
/// kept as they are in a coordinate file and left out of an array. Throws InputError, one line "PATH: line N:
/// ...", for anything else: what is not finite, indices beyond the size, too few or too many entries, complex
/// and Hermitian matrices; MachineError where so many rows and columns do not fit the memory.
SparseMatrix<double> read_matrix_market(const std::filesystem::path& path);

/// Reads a file of one column (or of one row) as a vector with all its zeros.
std::vector<double> read_matrix_market_vector(const std::filesystem::path& path);

}  // namespace stencil
