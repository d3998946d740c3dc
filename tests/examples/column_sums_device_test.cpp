// Column sums on the CPU and the GPU, compared with sums in long double.

#include "kernels/examples/arrays/column_sums.h"

#include "kernels/cpu/thread_pool.h"
#include "tests/support/catch.h"
#include "tests/support/device.h"
#include "tests/support/examples/on_device.h"

namespace {

/// A matrix within a larger array, weights of its rows, and the expected column sums.
template <class T>
struct ColumnSumsCase {
    MatrixShape shape;
    std::size_t offset;  ///< elements before the matrix
    std::vector<T> array, weights;

    ColumnSumsCase(Dice& random, const MatrixShape& matrix, std::size_t before, double lowest)
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
    MatrixShape shape;
    std::size_t offset;
};
const std::vector<OddMatrix> kOddMatrices = {{{1, 1, 1}, 0},
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

// Returns one element more than there are columns, which must stay NaN.
template <class T>
std::vector<T> column_sums(const ColumnSumsCase<T>& one, bool weighted, [[maybe_unused]] int threads) {
    std::vector<T> sums(std::size_t(one.shape.columns) + 1, T(NAN));
#ifdef STENCILSCOPE_TESTS_CUDA
    CudaStream stream;
    const OnDevice<T> array(stream, one.array), weights(stream, one.weights), to(stream, sums);
    const CudaMemory scratch(std::max<std::size_t>(cuda_column_sums_bytes<T>(one.shape), 1));
    const T* const by = weighted ? weights.data() : nullptr;
    cuda_column_sums(stream, array.data() + one.offset, one.shape, by, to.data(), scratch.data());
    return to.values();
#else
    ThreadPool pool(threads);
    const T* const by = weighted ? one.weights.data() : nullptr;
    cpu_column_sums(pool, one.array.data() + one.offset, one.shape, by, sums.data());
    return sums;
#endif
}

}  // namespace

TEMPLATE_TEST_CASE("Column sums are right for any shape, stride and alignment, with the same bits every time",
                   "",
                   float,
                   double) {
    Dice random;
    const double allowed = sizeof(TestType) == 4 ? 5e-7 : 1e-14;
    for (const auto& [shape, offset] : kOddMatrices)
        for (const int threads : {1, 3}) {
            CAPTURE(shape.rows, shape.columns, shape.stride, offset, threads);
            const ColumnSumsCase<TestType> one(random, shape, offset, -1);
            for (const bool weighted : {false, true}) {
                const auto got = column_sums(one, weighted, threads),
                           again = column_sums(one, weighted, threads);
                CHECK(std::isnan(got.back()));
                CHECK(one.error(got, weighted) <= allowed);
                CHECK(std::equal(got.begin(), got.end() - 1, again.begin()));
            }
        }
}

TEST_CASE("Column sums of ten thousand positive rows are accurate to a millionth in float32") {
    Dice random;
    const ColumnSumsCase<float> one(random, {10'000, 301, 301}, 0, 0);
    for (const bool weighted : {false, true})
        CHECK(one.error(column_sums(one, weighted, 2), weighted) <= 1e-6);
}
