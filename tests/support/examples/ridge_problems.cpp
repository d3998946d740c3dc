#include "tests/support/examples/ridge_problems.h"

#include <Eigen/QR>
#include <Eigen/SVD>

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
    return values_of(a.bdcSvd().singularValues());
}

}  // namespace stencil_test
