#include "sim/model/matrices.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace stencil::equation {
namespace {

using RowMajor = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor> view(const Matrix& m) {
    return {m.entries.data(), m.rows, m.columns};
}

Matrix taken(const RowMajor& result) {
    Matrix m(int(result.rows()), int(result.cols()));
    std::copy_n(result.data(), m.entries.size(), m.entries.data());
    return m;
}

}  // namespace

Matrix identity(int n) {
    Matrix m(n, n);
    for (int i = 0; i < n; ++i) m(i, i) = 1;
    return m;
}

Matrix product(const Matrix& a, const Matrix& b) {
    if (a.entries.size() != 1) return taken(view(a) * view(b));
    Matrix c = a;
    c(0, 0) *= b(0, 0);
    return c;
}

Matrix combined(double p, const Matrix& a, double q, const Matrix& b) {
    Matrix c = a;
    for (std::size_t i = 0; i < c.entries.size(); ++i) c.entries[i] = p * a.entries[i] + q * b.entries[i];
    return c;
}

Matrix inverse(const Matrix& matrix) {
    if (matrix.rows != 1) return taken(view(matrix).partialPivLu().inverse());
    Matrix m = matrix;
    m(0, 0) = 1.0 / m(0, 0);
    return m;
}

std::vector<Complex> eigenvalues(const Matrix& m) {
    if (m.rows == 1) return m.entries;
    if (m.rows == 2) {
        const Complex half_trace = 0.5 * (m(0, 0) + m(1, 1));
        const Complex root = std::sqrt(0.25 * (m(0, 0) - m(1, 1)) * (m(0, 0) - m(1, 1)) + m(0, 1) * m(1, 0));
        return {half_trace + root, half_trace - root};
    }
    for (const Complex& entry : m.entries)
        if (!std::isfinite(std::abs(entry))) return std::vector<Complex>(std::size_t(m.rows), entry);
    const Eigen::MatrixXcd a = view(m);
    const Eigen::VectorXcd values = Eigen::ComplexEigenSolver<Eigen::MatrixXcd>(a, false).eigenvalues();
    return {values.begin(), values.end()};
}

Matrix part_of(const Matrix& matrix, const std::vector<int>& rows, const std::vector<int>& columns) {
    Matrix part(int(rows.size()), int(columns.size()));
    for (int r = 0; r < part.rows; ++r)
        for (int c = 0; c < part.columns; ++c)
            part(r, c) = matrix(rows[std::size_t(r)], columns[std::size_t(c)]);
    return part;
}

double norm_of(const Matrix& matrix) {
    double norm = 0;
    for (int r = 0; r < matrix.rows; ++r) {
        double sum = 0;
        for (int c = 0; c < matrix.columns; ++c) sum += std::abs(matrix(r, c));
        norm = std::max(norm, sum);
    }
    return norm;
}

}  // namespace stencil::equation
