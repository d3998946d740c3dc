// Matrix products on the GPU.

#include "kernels/cuda/cuda_runtime.h"
#include "tests/support/examples/matmul_cases.h"
#include "tests/support/examples/on_device.h"
#include "tests/support/examples/request.h"
#include "tests/support/fields.h"

using namespace stencil::matmul;

namespace {

constexpr MatmulMethod kMethods[] = {
    MatmulMethod::naive, MatmulMethod::shared_tile, MatmulMethod::library, MatmulMethod::tf32};

template <class T>
struct Result {
    std::vector<T> c, sums;
};

template <class T>
std::vector<T> not_numbers(std::int64_t count) {
    return std::vector<T>(std::size_t(count), std::numeric_limits<T>::quiet_NaN());
}

template <class T>
Result<T> product(const CudaMatmul<T>& matmul, const MatmulCase<T>& one, CudaStream& stream) {
    const MatmulShape& s = one.shape;
    const OnDevice<T> a(stream, one.a), b(stream, one.b);
    const OnDevice<T> c(stream, not_numbers<T>(s.m * s.n));
    const OnDevice<T> sums(stream, not_numbers<T>(s.n));
    matmul({a.data(), b.data(), c.data(), sums.data(), s});
    stream.synchronize();
    return {c.values(), sums.values()};
}

template <class T>
double bound_of(MatmulMethod method) {
    if (sizeof(T) == sizeof(double)) return 1e-13;
    return method == MatmulMethod::tf32 ? 1e-3 : 5e-6;
}

}  // namespace

TEMPLATE_TEST_CASE("Every method multiplies right in every value, whatever the sizes", "", float, double) {
    for (const MatmulShape& shape : {MatmulShape{1, 1, 1},
                                     {1, 300, 5},
                                     {130, 64, 1},
                                     {65, 63, 129},
                                     {256, 1000, 260},
                                     {700, 20, 900},
                                     {1003, 517, 701},
                                     {2100, 64, 2000}}) {
        for (const double low : {0.0, -0.5}) {
            const MatmulCase<TestType> one(shape, low);
            for (const MatmulMethod method : kMethods) {
                if (!has_matmul<TestType>(method)) continue;
                CAPTURE(int(method), shape.m, shape.k, shape.n, low);
                CudaStream stream;
                const auto matmul = make_cuda_matmul<TestType>(method, shape, stream);
                const Result<TestType> once = product(matmul, one, stream);
                REQUIRE(error_of(once.c, one.values()) < bound_of<TestType>(method));
                // Sums of few terms of both signs may cancel.
                if (low == 0 || shape.n > 100)
                    REQUIRE(error_of(once.sums, one.sums) < bound_of<TestType>(method) * (low == 0 ? 1 : 2));
                const Result<TestType> again = product(matmul, one, stream);
                REQUIRE(once.c == again.c);
                REQUIRE(once.sums == again.sums);
            }
        }
    }
}

TEMPLATE_TEST_CASE("What is not a number stays in its row and its column", "", float, double) {
    MatmulCase<TestType> one({140, 90, 150}, 0);
    one.a[std::size_t(17 * 90 + 3)] = std::numeric_limits<TestType>::quiet_NaN();
    one.b[std::size_t(5 * 150 + 44)] = std::numeric_limits<TestType>::infinity();
    for (const MatmulMethod method : kMethods) {
        if (!has_matmul<TestType>(method)) continue;
        CAPTURE(int(method));
        CudaStream stream;
        const Result<TestType> result =
            product(make_cuda_matmul<TestType>(method, one.shape, stream), one, stream);
        for (std::int64_t i = 0; i < 140; ++i)
            for (std::int64_t j = 0; j < 150; ++j)
                if (std::isfinite(result.c[std::size_t(i * 150 + j)]) != (i != 17 && j != 44)) {
                    CAPTURE(i, j);
                    FAIL();
                }
        for (std::int64_t j = 0; j < 150; ++j) REQUIRE_FALSE(std::isfinite(result.sums[std::size_t(j)]));
    }
}

TEST_CASE(
    "The example matmul runs on the GPU, and a row that does not fit in its memory says what it needs") {
    const Machine machine = query_machine();
    for (const char* distribution : {"uniform", "centred"}) {
        for (const std::uint64_t limit :
             {std::uint64_t(1) << 33, std::uint64_t(24) << 20, std::uint64_t(10000)}) {
            ExampleRequest asked = request("matmul",
                                           {{"m", "1003"},
                                            {"k", "517"},
                                            {"n", "701"},
                                            {"repetitions", "2"},
                                            {"distribution", distribution}},
                                           "cuda");
            limit_memory(asked, limit);
            const Report report = run_example(asked, machine, {});
            REQUIRE(report.rows.size() == 7);
            // cuBLAS's workspace does not fit in 24 MB.
            REQUIRE(std::ranges::count_if(report.rows, &ReportRow::measured) == (limit > 1 << 30   ? 7
                                                                                 : limit > 1 << 20 ? 4
                                                                                                   : 0));
            for (const ReportRow& row : report.rows) {
                CAPTURE(row.name, name_of(row.dtype), limit, distribution, row.error);
                if (!row.measured()) {
                    REQUIRE(contains(row.why_not, "of GPU memory"));
                    continue;
                }
                REQUIRE_FALSE(row.failed);
                REQUIRE(row.error < (row.inexact ? 1e-3 : row.dtype == DType::float32 ? 5e-6 : 1e-13));
                REQUIRE(row.gpu_memory > 0);
                REQUIRE(row.gpu_memory <= double(limit));
            }
        }
    }
}
