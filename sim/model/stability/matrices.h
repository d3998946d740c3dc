// Small complex matrices, row-major, n x n.
#pragma once

#include <complex>
#include <vector>

namespace stencil::equation {

using Complex = std::complex<double>;
using Matrix = std::vector<Complex>;

Matrix identity(int n);
Matrix product(const Matrix& a, const Matrix& b, int n);
/// p a + q b
Matrix combined(double p, const Matrix& a, double q, const Matrix& b);
/// Entries are not finite if the matrix is singular.
Matrix inverse(const Matrix& matrix, int n);
std::vector<Complex> eigenvalues(Matrix matrix, int n);
/// The submatrix of the given rows and columns, in their order.
Matrix part_of(const Matrix& matrix, int n, const std::vector<int>& rows, const std::vector<int>& columns);
/// The maximum absolute row sum, an upper bound of all eigenvalues' moduli.
double norm_of(const Matrix& matrix, int n);

}  // namespace stencil::equation
