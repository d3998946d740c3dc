// Matrix products for tests.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/examples/matmul/cuda_matmul.h"

#include "tests/support/seed.h"

namespace stencil_test {

inline std::mt19937_64& matmul_random() {
    static std::mt19937_64 generator{next_seed()};
    return generator;
}

/// Random factors, and their product in float64.
template <class T>
struct MatmulCase {
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

    stencil::matmul::MatmulShape shape;
    std::vector<T> a, b;
    Matrix c;                  ///< exact up to float64 rounding
    std::vector<double> sums;  ///< column sums

    /// Factors are uniform on [low, low + 1).
    MatmulCase(const stencil::matmul::MatmulShape& s, double low)
        : shape(s), a(std::size_t(s.m * s.k)), b(std::size_t(s.k * s.n)) {
        std::uniform_real_distribution<double> uniform(low, low + 1);
        for (T& value : a) value = T(uniform(matmul_random()));
        for (T& value : b) value = T(uniform(matmul_random()));
        work_out();
    }

    /// Call it after the factors were changed.
    void work_out() {
        const auto wide = [](const std::vector<T>& values, std::int64_t rows, std::int64_t columns) {
            Matrix matrix(rows, columns);
            std::copy(values.begin(), values.end(), matrix.data());
            return matrix;
        };
        c = wide(a, shape.m, shape.k) * wide(b, shape.k, shape.n);
        const Eigen::RowVectorXd total = c.colwise().sum();
        sums.assign(total.data(), total.data() + total.size());
    }

    std::vector<double> values() const { return {c.data(), c.data() + c.size()}; }
};

/// Returns ||a - b|| / ||b||; NaN if a contains one.
template <class T>
double error_of(const std::vector<T>& a, const std::vector<double>& b) {
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        difference += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
        size += b[i] * b[i];
    }
    return std::sqrt(difference / size);
}

}  // namespace stencil_test
