#include "kernels/cuda/cuda_runtime.h"
#include "tests/support/examples/column_sums_checks.h"

using namespace stencil;
using namespace stencil_test;

namespace {

template <class T>
class OnDevice {
  public:
    OnDevice(CudaStream& stream, const std::vector<T>& values) : memory_((values.size() + 1) * sizeof(T)) {
        const std::size_t bytes = values.size() * sizeof(T);
        if (bytes > 0) copy_to_device({memory_.data(), bytes, values.data(), bytes, bytes, 1}, stream);
    }
    T* data() { return static_cast<T*>(memory_.data()); }

  private:
    CudaMemory memory_;
};

template <class T>
std::vector<T> column_sums(const ColumnSumsCase<T>& one, bool weighted) {
    CudaStream stream;
    OnDevice<T> array(stream, one.array), weights(stream, one.weights);
    std::vector<T> sums(std::size_t(one.shape.columns) + 1, T(NAN));
    OnDevice<T> target(stream, sums);
    CudaMemory scratch(std::max<std::size_t>(cuda_column_sums_bytes<T>(one.shape), 1));
    cuda_column_sums(stream,
                     array.data() + one.offset,
                     one.shape,
                     weighted ? weights.data() : nullptr,
                     target.data(),
                     scratch.data());
    const std::size_t bytes = sums.size() * sizeof(T);
    copy_to_host({sums.data(), bytes, target.data(), bytes, bytes, 1}, stream);
    CHECK(std::isnan(sums.back()));
    return sums;
}

}  // namespace

TEMPLATE_TEST_CASE("Column sums on the GPU are right for any shape, stride and alignment",
                   "",
                   float,
                   double) {
    Dice random;
    CAPTURE(random.seed);
    const double allowed = sizeof(TestType) == 4 ? 5e-7 : 1e-14;
    for (const auto& [shape, offset] : kOddMatrices) {
        CAPTURE(shape.rows, shape.columns, shape.stride, offset);
        const ColumnSumsCase<TestType> one(random, shape, offset, -1);
        for (const bool weighted : {false, true}) {
            const auto sums = column_sums(one, weighted);
            CHECK(one.error(sums, weighted) <= allowed);
            const auto again = column_sums(one, weighted);
            CHECK(std::equal(sums.begin(), sums.end() - 1, again.begin()));
        }
    }
}

TEST_CASE("Column sums of ten thousand positive rows on the GPU are accurate to a millionth in float32") {
    Dice random;
    CAPTURE(random.seed);
    const ColumnSumsCase<float> one(random, {10'000, 301, 301}, 0, 0);
    CHECK(one.error(column_sums(one, false), false) <= 1e-6);
    CHECK(one.error(column_sums(one, true), true) <= 1e-6);
}
