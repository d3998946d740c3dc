#include "tests/support/examples/ridge_problems.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>

namespace stencil_test {

std::vector<double> least_squares(const Eigen::MatrixXd& a, std::span<const double> d) {
    const Eigen::VectorXd right = Eigen::Map<const Eigen::VectorXd>(d.data(), Eigen::Index(d.size()));
    return values_of(a.completeOrthogonalDecomposition().solve(right));
}

std::vector<double> dense_solution(const Eigen::MatrixXd& a, std::span<const double> d, double c) {
    Eigen::MatrixXd stacked(a.rows() + a.cols(), a.cols());
    stacked << a, c * Eigen::MatrixXd::Identity(a.cols(), a.cols());
    std::vector<double> right(d.begin(), d.end());
    right.resize(std::size_t(stacked.rows()), 0.0);
    return least_squares(stacked, right);
}

std::vector<double> singular_values(const Eigen::MatrixXd& a) {
    // The eigenvalues of [0 A^T; A 0] are the singular values and their negatives; Eigen's SVD takes half a
    // minute to compile.
    Eigen::MatrixXd both = Eigen::MatrixXd::Zero(a.rows() + a.cols(), a.rows() + a.cols());
    both.bottomLeftCorner(a.rows(), a.cols()) = a;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(both, Eigen::EigenvaluesOnly);
    return values_of(solver.eigenvalues().tail(std::min(a.rows(), a.cols())).reverse());
}

}  // namespace stencil_test
