#include "kernels/examples/arrays/column_sums.h"

#include "kernels/cpu/thread_pool.h"
#include "tests/support/examples/column_sums_checks.h"

using namespace stencil;
using namespace stencil_test;

namespace {

template <class T>
std::vector<T> column_sums(ThreadPool& threads, const ColumnSumsCase<T>& one, bool weighted) {
    std::vector<T> sums(std::size_t(one.shape.columns) + 1, T(NAN));
    cpu_column_sums(threads,
                    one.array.data() + one.offset,
                    one.shape,
                    weighted ? one.weights.data() : nullptr,
                    sums.data());
    CHECK(std::isnan(sums.back()));
    return sums;
}

}  // namespace

TEMPLATE_TEST_CASE("Column sums on the CPU are right for any shape, stride and alignment",
                   "",
                   float,
                   double) {
    Dice random;
    CAPTURE(random.seed);
    ThreadPool threads(GENERATE(1, 3));
    const double allowed = sizeof(TestType) == 4 ? 5e-7 : 1e-14;
    for (const auto& [shape, offset] : kOddMatrices) {
        CAPTURE(shape.rows, shape.columns, shape.stride, offset);
        const ColumnSumsCase<TestType> one(random, shape, offset, -1);
        const bool weighted = random.integer(0, 1) == 1;
        const auto sums = column_sums(threads, one, weighted);
        CHECK(one.error(sums, weighted) <= allowed);
        CHECK(one.error(column_sums(threads, one, !weighted), !weighted) <= allowed);
        const auto again = column_sums(threads, one, weighted);
        CHECK(std::equal(sums.begin(), sums.end() - 1, again.begin()));
    }
}

TEST_CASE("Column sums of ten thousand positive rows are accurate to a millionth in float32") {
    Dice random;
    CAPTURE(random.seed);
    ThreadPool threads(2);
    const ColumnSumsCase<float> one(random, {10'000, 301, 301}, 0, 0);
    CHECK(one.error(column_sums(threads, one, false), false) <= 1e-6);
    CHECK(one.error(column_sums(threads, one, true), true) <= 1e-6);
}
