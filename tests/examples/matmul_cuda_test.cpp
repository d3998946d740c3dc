// Matrix products on the GPU, in memory and out of core.

#include <algorithm>
#include <limits>

#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/examples/matmul/cuda_matmul.h"
#include "kernels/examples/matmul/out_of_core.h"
#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/examples/matmul_cases.h"
#include "tests/support/examples/on_device.h"
#include "tests/support/examples/request.h"
#include "tests/support/fields.h"

using namespace stencil;
using namespace stencil::matmul;
using namespace stencil_test;

namespace {

constexpr std::size_t kWorkspace = std::size_t(8) << 20;
constexpr MatmulMethod kMethods[] = {MatmulMethod::naive,
                                     MatmulMethod::shared_tile,
                                     MatmulMethod::register_tile,
                                     MatmulMethod::library,
                                     MatmulMethod::tf32,
                                     MatmulMethod::half_split,
                                     MatmulMethod::half_library};

template <class T>
struct Result {
    std::vector<T> c, sums;
};

template <class T>
std::vector<T> not_numbers(std::int64_t count) {
    return std::vector<T>(std::size_t(count), std::numeric_limits<T>::quiet_NaN());
}

// Computes C = A B, or C = start + A B.
template <class T>
Result<T> product(CudaMatmul<T>& matmul,
                  const MatmulCase<T>& one,
                  CudaStream& stream,
                  const std::vector<T>& start = {}) {
    const MatmulShape& s = one.shape;
    const OnDevice<T> a(stream, one.a), b(stream, one.b);
    const OnDevice<T> c(stream, start.empty() ? not_numbers<T>(s.m * s.n) : start);
    const OnDevice<T> sums(stream, not_numbers<T>(s.n));
    matmul.run({a.data(), b.data(), c.data(), sums.data(), s, !start.empty()});
    stream.synchronize();
    return {c.values(), sums.values()};
}

template <class T>
double bound_of(MatmulMethod method) {
    if (sizeof(T) == sizeof(double)) return 1e-13;
    return method == MatmulMethod::tf32 ? 1e-3 : 5e-6;
}

template <class T>
std::unique_ptr<CudaMatmul<T>> make(MatmulMethod method, const MatmulShape& shape, CudaStream& stream) {
    return make_cuda_matmul<T>(method, {{shape}, kWorkspace}, stream);
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
                const auto matmul = make<TestType>(method, shape, stream);
                const Result<TestType> once = product(*matmul, one, stream);
                REQUIRE(error_of(once.c, one.values()) < bound_of<TestType>(method));
                // Sums of few terms of both signs may cancel.
                if (low == 0 || shape.n > 100)
                    REQUIRE(error_of(once.sums, one.sums) < bound_of<TestType>(method) * (low == 0 ? 1 : 2));
                const Result<TestType> again = product(*matmul, one, stream);
                REQUIRE(once.c == again.c);
                REQUIRE(once.sums == again.sums);
            }
        }
    }
}

TEMPLATE_TEST_CASE("The methods add to what is there", "", float, double) {
    const MatmulCase<TestType> one({203, 150, 141}, 0), start({203, 1, 141}, 0);
    const std::vector<TestType> first(start.c.data(), start.c.data() + start.c.size());
    std::vector<double> exact = one.values();
    std::vector<double> sums(141, 0.0);
    for (std::size_t i = 0; i < exact.size(); ++i) {
        exact[i] += double(first[i]);
        sums[i % 141] += exact[i];
    }
    for (const MatmulMethod method : kMethods) {
        if (!has_matmul<TestType>(method)) continue;
        CAPTURE(int(method));
        CudaStream stream;
        const auto matmul = make<TestType>(method, one.shape, stream);
        const Result<TestType> result = product(*matmul, one, stream, first);
        REQUIRE(error_of(result.c, exact) < bound_of<TestType>(method));
        REQUIRE(error_of(result.sums, sums) < bound_of<TestType>(method));
    }
}

TEST_CASE("Split halves are as exact as float32 by this program's kernel and by cuBLAS") {
    for (const double low : {0.0, -0.5}) {
        const MatmulCase<float> one({700, 1500, 300}, low);
        CudaStream stream;
        const bool hopper = query_cuda().devices.front().compute_major == 9;
        for (const MatmulMethod method : {MatmulMethod::half_split, MatmulMethod::half_library}) {
            CAPTURE(low, int(method), hopper);
            const Result<float> result = product(*make<float>(method, one.shape, stream), one, stream);
            const double bound = hopper && method == MatmulMethod::half_split ? 5e-7 : 2e-6;
            REQUIRE(error_of(result.c, one.values()) < bound);
            REQUIRE(error_of(result.sums, one.sums) < 2 * bound);
        }
    }
}

TEST_CASE("Split halves keep rows and columns of any magnitude apart") {
    MatmulCase<float> one({150, 200, 140}, 0.25);
    const auto exponent = [](std::int64_t i) { return int(i % 11 - 5) * 11; };  // up to 2^55 either way
    for (std::int64_t i = 0; i < 150; ++i)
        for (std::int64_t k = 0; k < 200; ++k) {
            float& value = one.a[std::size_t(i * 200 + k)];
            value = i == 77 ? 0 : std::ldexp(value, exponent(i));
        }
    for (std::int64_t k = 0; k < 200; ++k)
        for (std::int64_t j = 0; j < 140; ++j) {
            float& value = one.b[std::size_t(k * 140 + j)];
            value = j == 13 ? 0 : std::ldexp(value, exponent(j));
        }
    one.work_out();
    CudaStream stream;
    for (const MatmulMethod method : {MatmulMethod::half_split, MatmulMethod::half_library}) {
        const Result<float> result = product(*make<float>(method, one.shape, stream), one, stream);
        for (std::int64_t i = 0; i < 150; ++i)
            for (std::int64_t j = 0; j < 140; ++j) {
                const double exact = one.c(i, j), value = double(result.c[std::size_t(i * 140 + j)]);
                if (!(std::abs(value - exact) <= 2e-6 * std::abs(exact))) {
                    CAPTURE(i, j, exact, value);
                    FAIL();
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
        const Result<TestType> result = product(*make<TestType>(method, one.shape, stream), one, stream);
        for (std::int64_t i = 0; i < 140; ++i)
            for (std::int64_t j = 0; j < 150; ++j)
                if (std::isfinite(result.c[std::size_t(i * 150 + j)]) != (i != 17 && j != 44)) {
                    CAPTURE(i, j);
                    FAIL();
                }
        for (std::int64_t j = 0; j < 150; ++j) REQUIRE_FALSE(std::isfinite(result.sums[std::size_t(j)]));
    }
}

TEMPLATE_TEST_CASE("In pieces the product is the same within rounding, in the memory that was predicted",
                   "",
                   float,
                   double) {
    const MatmulCase<TestType> one({1003, 517, 701}, 0);
    const MatmulShape& s = one.shape;
    ThreadPool threads(4);
    for (const MatmulMethod method : kMethods) {
        if (!has_matmul<TestType>(method)) continue;
        std::int64_t most_tiles = 0;
        for (const std::size_t budget : {std::size_t(16) << 20, std::size_t(6) << 20, std::size_t(2) << 20}) {
            const std::size_t workspace = budget / 8;
            const auto plan = plan_out_of_core(s, budget, [&](const OutOfCorePlan& p) {
                return out_of_core_bytes<TestType>(method, p, workspace);
            });
            CAPTURE(int(method), budget);
            REQUIRE(plan);
            most_tiles = std::max(most_tiles, plan->tiles_down() * plan->tiles_across());
            CudaMemoryMeter meter(budget);
            const auto matmul = make_out_of_core_matmul<TestType>(method, *plan, workspace, threads);
            std::vector<TestType> c = not_numbers<TestType>(s.m * s.n), sums = not_numbers<TestType>(s.n);
            int pauses = 0;
            matmul({one.a.data(), one.b.data(), c.data(), sums.data()}, [&] { ++pauses; });
            REQUIRE(pauses == plan->tiles_down() * plan->tiles_across() * plan->panels());
            REQUIRE(error_of(c, one.values()) < bound_of<TestType>(method));
            REQUIRE(error_of(sums, one.sums) < bound_of<TestType>(method));
            REQUIRE(meter.peak_bytes() == plan->bytes);
            const std::vector<TestType> first = c;
            matmul({one.a.data(), one.b.data(), c.data(), sums.data()}, [] {});
            REQUIRE(c == first);
        }
        REQUIRE(most_tiles >= 4);
    }
}

TEST_CASE("The example matmul runs on the GPU with much and with little memory") {
    const Machine machine = query_machine();
    for (const char* distribution : {"uniform", "centred"}) {
        for (const std::uint64_t limit :
             {std::uint64_t(1) << 33, std::uint64_t(24) << 20, std::uint64_t(5) << 20}) {
            ExampleRequest asked = request("matmul",
                                           {{"m", "1003"},
                                            {"k", "517"},
                                            {"n", "701"},
                                            {"repetitions", "2"},
                                            {"distribution", distribution}},
                                           "cuda");
            limit_memory(asked, limit);
            const Report report = run_example(asked, machine, {});
            REQUIRE(report.rows.size() == 10);
            for (const ReportRow& row : report.rows) {
                CAPTURE(row.name, name_of(row.dtype), limit, distribution, row.error);
                REQUIRE(row.measured());
                REQUIRE_FALSE(row.failed);
                REQUIRE(row.error < (row.inexact ? 1e-3 : row.dtype == DType::float32 ? 5e-6 : 1e-13));
                REQUIRE(row.gpu_memory);
                REQUIRE(row.gpu_memory->actual <= double(limit));
                REQUIRE(row.gpu_memory->predicted >= row.gpu_memory->actual);
                REQUIRE(row.gpu_memory->predicted < 1.01 * row.gpu_memory->actual);
            }
        }
    }
    ExampleRequest asked = request("matmul", {{"m", "1003"}, {"k", "517"}}, "cuda");
    limit_memory(asked, 10000);
    REQUIRE(contains(message_of<MachineError>([&] { run_example(asked, machine, {}); }), "at least"));
}
