// Small complex matrices, row-major.
#pragma once

#include <complex>
#include <vector>

namespace stencil::equation {

using Complex = std::complex<double>;
using Matrix = std::vector<Complex>;

Matrix identity(int n);
Matrix product(const Matrix& a, const Matrix& b, int n);
/// p a + q b.
Matrix combined(double p, const Matrix& a, double q, const Matrix& b);
/// Not finite where there is none.
Matrix inverse(const Matrix& matrix, int n);
std::vector<Complex> eigenvalues(Matrix matrix, int n);
/// The rows and columns named, in their order.
Matrix part_of(const Matrix& matrix, int n, const std::vector<int>& rows, const std::vector<int>& columns);
/// The largest sum of a row's absolute values, which no eigenvalue exceeds.
double norm_of(const Matrix& matrix, int n);

}  // namespace stencil::equation
