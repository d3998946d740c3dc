#include "kernels/cuda/cuda_runtime.h"
#include "tests/support/examples/column_sums_checks.h"
#include "tests/support/examples/on_device.h"

using namespace stencil;
using namespace stencil_test;

namespace {

template <class T>
std::vector<T> column_sums(const ColumnSumsCase<T>& one, bool weighted) {
    CudaStream stream;
    const OnDevice<T> array(stream, one.array), weights(stream, one.weights);
    const OnDevice<T> sums(stream, std::vector<T>(std::size_t(one.shape.columns) + 1, T(NAN)));
    const CudaMemory scratch(std::max<std::size_t>(cuda_column_sums_bytes<T>(one.shape), 1));
    cuda_column_sums(stream,
                     array.data() + one.offset,
                     one.shape,
                     weighted ? weights.data() : nullptr,
                     sums.data(),
                     scratch.data());
    return sums.values();
}

}  // namespace

TEMPLATE_TEST_CASE("Column sums on the GPU are right for any shape, stride and alignment",
                   "",
                   float,
                   double) {
    check_column_sums<TestType>(column_sums<TestType>);
}

TEST_CASE("Column sums of ten thousand positive rows on the GPU are accurate to a millionth in float32") {
    check_long_column_sums(column_sums<float>);
}
