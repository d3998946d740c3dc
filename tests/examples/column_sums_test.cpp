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
    return sums;
}

}  // namespace

TEMPLATE_TEST_CASE("Column sums on the CPU are right for any shape, stride and alignment",
                   "",
                   float,
                   double) {
    ThreadPool threads(GENERATE(1, 3));
    check_column_sums<TestType>([&](const ColumnSumsCase<TestType>& one, bool weighted) {
        return column_sums(threads, one, weighted);
    });
}

TEST_CASE("Column sums of ten thousand positive rows are accurate to a millionth in float32") {
    ThreadPool threads(2);
    check_long_column_sums(
        [&](const ColumnSumsCase<float>& one, bool weighted) { return column_sums(threads, one, weighted); });
}
