// Small complex matrices.
#pragma once

#include <complex>
#include <vector>

namespace stencil::equation {

using Complex = std::complex<double>;

struct Matrix {
    int rows = 0, columns = 0;
    std::vector<Complex> entries;  ///< row-major

    Matrix() = default;
    Matrix(int rows_of, int columns_of)
        : rows(rows_of), columns(columns_of), entries(std::size_t(rows * columns)) {}

    Complex& operator()(int r, int c) { return entries[std::size_t(r * columns + c)]; }
    const Complex& operator()(int r, int c) const { return entries[std::size_t(r * columns + c)]; }
};

Matrix identity(int n);
Matrix product(const Matrix& a, const Matrix& b);
/// p a + q b
Matrix combined(double p, const Matrix& a, double q, const Matrix& b);
/// Entries are not finite if the matrix is singular.
Matrix inverse(const Matrix& matrix);
std::vector<Complex> eigenvalues(const Matrix& matrix);
/// The submatrix of the given rows and columns, in their order.
Matrix part_of(const Matrix& matrix, const std::vector<int>& rows, const std::vector<int>& columns);
/// The maximum absolute row sum, an upper bound of all eigenvalues' moduli.
double norm_of(const Matrix& matrix);

}  // namespace stencil::equation
