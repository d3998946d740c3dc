#include "sim/model/stability/matrices.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace stencil::equation {
namespace {

using RowMajor = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor> view(const Matrix& matrix, int n) {
    return {matrix.data(), n, n};
}

Matrix taken(const RowMajor& result) {
    return {result.data(), result.data() + result.size()};
}

}  // namespace

Matrix identity(int n) {
    Matrix m(std::size_t(n * n), 0.0);
    for (int i = 0; i < n; ++i) m[std::size_t(i * n + i)] = 1;
    return m;
}

Matrix product(const Matrix& a, const Matrix& b, int n) {
    if (n == 1) return {a[0] * b[0]};
    return taken(view(a, n) * view(b, n));
}

Matrix combined(double p, const Matrix& a, double q, const Matrix& b) {
    Matrix c(a.size());
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = p * a[i] + q * b[i];
    return c;
}

Matrix inverse(const Matrix& matrix, int n) {
    if (n == 1) return {1.0 / matrix[0]};
    return taken(view(matrix, n).partialPivLu().inverse());
}

std::vector<Complex> eigenvalues(Matrix matrix, int n) {
    if (n == 1) return matrix;
    if (n == 2) {
        const Complex half_trace = 0.5 * (matrix[0] + matrix[3]);
        const Complex root =
            std::sqrt(0.25 * (matrix[0] - matrix[3]) * (matrix[0] - matrix[3]) + matrix[1] * matrix[2]);
        return {half_trace + root, half_trace - root};
    }
    for (const Complex& entry : matrix)
        if (!std::isfinite(std::abs(entry))) return std::vector<Complex>(std::size_t(n), entry);
    const Eigen::MatrixXcd a = view(matrix, n);
    const Eigen::VectorXcd values = Eigen::ComplexEigenSolver<Eigen::MatrixXcd>(a, false).eigenvalues();
    return {values.begin(), values.end()};
}

Matrix part_of(const Matrix& matrix, int n, const std::vector<int>& rows, const std::vector<int>& columns) {
    Matrix part;
    for (const int r : rows)
        for (const int c : columns) part.push_back(matrix[std::size_t(r * n + c)]);
    return part;
}

double norm_of(const Matrix& matrix, int n) {
    double norm = 0;
    for (int r = 0; r < n; ++r) {
        double sum = 0;
        for (int c = 0; c < n; ++c) sum += std::abs(matrix[std::size_t(r * n + c)]);
        norm = std::max(norm, sum);
    }
    return norm;
}

}  // namespace stencil::equation
