// Ridge problems for tests, and their solutions by Eigen's dense solvers.
#pragma once

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "kernels/examples/ridge/lsmr.h"
#include "tests/support/scratch.h"

namespace stencil_test {

inline double norm(std::span<const double> a) {
    double sum = 0;
    for (const double value : a) sum += value * value;
    return std::sqrt(sum);
}

inline double distance(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
}

inline std::vector<double> random_vector(Dice& random, std::int64_t size, double mean = 0) {
    std::vector<double> vector(static_cast<std::size_t>(size));
    for (double& value : vector) value = mean + random.uniform(-1, 1);
    return vector;
}

/// Makes a matrix in which each entry is present with this probability, uniform on [low, 1).
template <class T>
stencil::SparseMatrix<T> random_sparse(
    Dice& random, std::int64_t rows, std::int64_t columns, double density, double low = 0) {
    stencil::SparseMatrix<T> a{rows, columns, {0}, {}, {}};
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
            if (random.uniform(0, 1) >= density) continue;
            a.column.push_back(std::uint32_t(j));
            a.value.push_back(T(random.uniform(low, 1)));
        }
        a.start.push_back(a.nonzeros());
    }
    return a;
}

template <class T>
Eigen::MatrixXd dense(const stencil::SparseMatrix<T>& a) {
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(a.rows, a.columns);
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (auto k = std::size_t(a.start[std::size_t(i)]); k < std::size_t(a.start[std::size_t(i) + 1]); ++k)
            matrix(i, a.column[k]) = double(a.value[k]);
    return matrix;
}

/// Keeps the entries that are not 0.
template <class T = double>
stencil::SparseMatrix<T> sparse(const Eigen::MatrixXd& matrix) {
    stencil::SparseMatrix<T> a{matrix.rows(), matrix.cols(), {0}, {}, {}};
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
        for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
            if (matrix(i, j) == 0) continue;
            a.column.push_back(std::uint32_t(j));
            a.value.push_back(T(matrix(i, j)));
        }
        a.start.push_back(a.nonzeros());
    }
    return a;
}

/// Writes the matrix as a Matrix Market file with every bit; returns the path.
inline std::filesystem::path write_matrix_market(const std::filesystem::path& path,
                                                 const stencil::SparseMatrix<double>& a) {
    std::string text = "%%MatrixMarket matrix coordinate real general\n";
    text += fmt::format("{} {} {}\n", a.rows, a.columns, a.nonzeros());
    for (std::size_t i = 0; i < std::size_t(a.rows); ++i)
        for (auto k = std::size_t(a.start[i]); k < std::size_t(a.start[i + 1]); ++k)
            text += fmt::format("{} {} {:.17g}\n", i + 1, a.column[k] + 1, a.value[k]);
    return write_bytes(path, text);
}

inline std::vector<double> values_of(const Eigen::VectorXd& vector) {
    return {vector.data(), vector.data() + vector.size()};
}

// These use Eigen, in a separate file because it takes long to compile.

/// Returns the minimum-norm x among those that minimise |A x - d|.
std::vector<double> least_squares(const Eigen::MatrixXd& a, std::span<const double> d);
/// Solves the stacked problem with matrix [A; c I].
std::vector<double> dense_solution(const Eigen::MatrixXd& a, std::span<const double> d, double c);
/// Returns them in descending order.
std::vector<double> singular_values(const Eigen::MatrixXd& a);

struct PathSolution {
    std::vector<stencil::RidgePoint> points;
    std::vector<std::vector<double>> x;
    stencil::Bidiagonal bidiagonal;
};

inline PathSolution solve_path(stencil::LsmrVectors& vectors,
                               std::span<const double> d,
                               std::span<const double> coefficients,
                               stencil::RidgeRule rule,
                               std::size_t columns) {
    if (rule.most_steps == 0) rule.most_steps = 5 * std::int64_t(std::min(d.size(), columns));
    const stencil::RidgePath path = stencil::solve_ridge_path(vectors, d, coefficients, rule, [](double) {});
    PathSolution solution{path.points, {}, path.bidiagonal};
    for (std::size_t i = 0; i < path.points.size(); ++i)
        solution.x.emplace_back(path.x.begin() + std::ptrdiff_t(i * columns),
                                path.x.begin() + std::ptrdiff_t((i + 1) * columns));
    return solution;
}

inline const std::vector<double> kTenCoefficients = [] {
    std::vector<double> c;
    for (int i = 0; i < 10; ++i) c.push_back(0.1 * std::pow(5e4, i / 9.0));
    return c;
}();

}  // namespace stencil_test
