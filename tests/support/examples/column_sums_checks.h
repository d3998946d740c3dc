// Compares column sums with sums in long double, for the CPU and the GPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/examples/arrays/column_sums.h"
#include "tests/support/catch.h"
#include "tests/support/scratch.h"

namespace stencil_test {

/// A matrix within a larger array, weights of its rows, and the expected column sums.
template <class T>
struct ColumnSumsCase {
    stencil::MatrixShape shape;
    std::size_t offset;  ///< elements before the matrix
    std::vector<T> array, weights;

    ColumnSumsCase(Dice& random, const stencil::MatrixShape& matrix, std::size_t before, double lowest)
        : shape(matrix), offset(before), array(before + std::size_t(matrix.rows * matrix.stride)) {
        for (T& value : array) value = T(random.uniform(lowest, 1));
        weights.resize(std::size_t(matrix.rows));
        for (T& value : weights) value = T(random.uniform(lowest, 1));
        // Elements beyond the columns must not count.
        for (std::int64_t i = 0; i < shape.rows; ++i)
            for (std::int64_t k = shape.columns; k < shape.stride; ++k)
                array[offset + std::size_t(i * shape.stride + k)] = T(NAN);
    }

    /// Returns the largest error of a column, relative to the sum of its magnitudes.
    double error(const std::vector<T>& sums, bool weighted) const {
        double worst = 0;
        for (std::int64_t k = 0; k < shape.columns; ++k) {
            long double sum = 0, magnitudes = 0;
            for (std::int64_t i = 0; i < shape.rows; ++i) {
                const long double term = (weighted ? weights[std::size_t(i)] : 1.0L) *
                                         array[offset + std::size_t(i * shape.stride + k)];
                sum += term;
                magnitudes += std::abs(term);
            }
            const double off = double(std::abs((long double)(sums[std::size_t(k)]) - sum));
            worst = std::max(worst, magnitudes > 0 ? off / double(magnitudes) : off);
            if (std::isnan(off)) return off;
        }
        return worst;
    }
};

/// Shapes with odd sizes, strides and offsets: rows aligned to 16, 8 and 4 bytes, one row, one column.
struct OddMatrix {
    stencil::MatrixShape shape;
    std::size_t offset;
};
inline const std::vector<OddMatrix> kOddMatrices = {{{1, 1, 1}, 0},
                                                    {{1, 517, 517}, 1},
                                                    {{1003, 1, 1}, 0},
                                                    {{1003, 1, 7}, 3},
                                                    {{517, 701, 701}, 0},
                                                    {{517, 701, 704}, 0},
                                                    {{517, 700, 702}, 2},
                                                    {{7, 5003, 5003}, 0},
                                                    {{9, 4096, 4096}, 1},
                                                    {{1025, 33, 36}, 4},
                                                    {{20011, 3, 3}, 0},
                                                    {{0, 37, 37}, 0},
                                                    {{3001, 64, 64}, 0},
                                                    {{129, 2049, 2052}, 0},
                                                    {{15, 3, 5}, 2}};

/// Checks correctness for any shape, stride and alignment, and reproducible bits. sums(case, weighted)
/// returns one element more than there are columns, which must stay NaN.
template <class T>
void check_column_sums(const auto& sums) {
    Dice random;
    CAPTURE(random.seed);
    const double allowed = sizeof(T) == 4 ? 5e-7 : 1e-14;
    for (const auto& [shape, offset] : kOddMatrices) {
        CAPTURE(shape.rows, shape.columns, shape.stride, offset);
        const ColumnSumsCase<T> one(random, shape, offset, -1);
        for (const bool weighted : {false, true}) {
            const std::vector<T> got = sums(one, weighted), again = sums(one, weighted);
            CHECK(std::isnan(got.back()));
            CHECK(one.error(got, weighted) <= allowed);
            CHECK(std::equal(got.begin(), got.end() - 1, again.begin()));
        }
    }
}

/// Requires errors of at most a millionth in float32 for ten thousand positive rows.
inline void check_long_column_sums(const auto& sums) {
    Dice random;
    CAPTURE(random.seed);
    const ColumnSumsCase<float> one(random, {10'000, 301, 301}, 0, 0);
    for (const bool weighted : {false, true}) CHECK(one.error(sums(one, weighted), weighted) <= 1e-6);
}

}  // namespace stencil_test
