// Products of lines with the matrix of general modes, with the same bits for any number of lines.
#pragma once

#include <vector>

namespace stencil {

/// The lines of a product, whose numbers fill a cache line.
template <class T>
inline constexpr int kLinesTogether = int(64 / sizeof(T));

/// The rows k of the result that are computed together.
inline constexpr int kRowsTogether = 4;

/// The matrix (i, k) of n x n factors, in the order in which a product reads it.
template <class T>
std::vector<T> packed_factors(const std::vector<T>& matrix, int n);

/// to(k, line) = sum of matrix(i, k) from(i, line) over i, in this order. Both are (n, kLinesTogether).
template <class T>
void multiply_lines(const std::vector<T>& packed, int n, const T* from, T* to);

}  // namespace stencil
