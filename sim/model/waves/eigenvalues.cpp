#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "sim/model/waves/linearisation.h"

namespace stencil::equation {
namespace {

using RowMajor = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

std::vector<Complex> inverse(const std::vector<Complex>& matrix, int n) {
    if (n == 1) return {1.0 / matrix[0]};
    const RowMajor result = Eigen::Map<const RowMajor>(matrix.data(), n, n).partialPivLu().inverse();
    return {result.data(), result.data() + result.size()};
}

std::vector<Complex> eigenvalues(std::vector<Complex> matrix, int n) {
    if (n == 1) return matrix;
    if (n == 2) {
        const Complex half_trace = 0.5 * (matrix[0] + matrix[3]);
        const Complex root =
            std::sqrt(0.25 * (matrix[0] - matrix[3]) * (matrix[0] - matrix[3]) + matrix[1] * matrix[2]);
        return {half_trace + root, half_trace - root};
    }
    for (const Complex& entry : matrix)
        if (!std::isfinite(std::abs(entry))) return std::vector<Complex>(std::size_t(n), entry);
    const Eigen::MatrixXcd a = Eigen::Map<const RowMajor>(matrix.data(), n, n);
    const Eigen::VectorXcd values = Eigen::ComplexEigenSolver<Eigen::MatrixXcd>(a, false).eigenvalues();
    return {values.begin(), values.end()};
}

}  // namespace stencil::equation
