#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_runtime.h"
#include "tests/support/examples/request.h"
#include "tests/support/examples/ridge_problems.h"
#include "tests/support/fields.h"

namespace {

/// The objects to run ridge on the GPU.
template <class T>
struct GpuRidge {
    explicit GpuRidge(const SparseMatrix<T>& a, std::size_t budget = std::size_t(1) << 30)
        : columns(std::size_t(a.columns)),
          meter(budget),
          vectors(make_cuda_lsmr(a, transposed(a), kTenCoefficients.size(), stream)) {}
    PathSolution solve(std::span<const double> d, const RidgeRule& rule = {}) {
        return solve_path(*vectors, d, kTenCoefficients, rule, columns);
    }

    std::size_t columns;
    CudaMemoryMeter meter;
    CudaStream stream;
    std::unique_ptr<LsmrVectors> vectors;
};

void require_same(const PathSolution& path, const PathSolution& right, double tolerance) {
    REQUIRE(path.x.size() == right.x.size());
    for (std::size_t i = 0; i < right.x.size(); ++i) {
        CAPTURE(i, path.points[i].iterations, right.points[i].iterations);
        REQUIRE(distance(path.x[i], right.x[i]) <= tolerance * norm(right.x[i]) + 1e-300);
    }
}

ExampleRequest ridge_request(std::uint64_t memory_limit) {
    ExampleRequest asked = request("ridge", {{"rows", "1003"}, {"columns", "701"}}, "auto");
    limit_memory(asked, memory_limit);
    return asked;
}

}  // namespace

TEMPLATE_TEST_CASE("LSMR on the GPU solves as on the CPU at odd sizes, and with the same bits every time",
                   "",
                   float,
                   double) {
    Dice random;
    // In order: as in the example, wide, tall, column indices beyond 16 bits, tiny ones.
    struct Shape {
        int rows, columns;
        double density;
    };
    for (const Shape shape : {Shape{1003, 517, 0.1},
                              {1201, 9001, 0.1},
                              {9001, 61, 0.1},
                              {7, 70'001, 0.01},
                              {1, 40, 0.5},
                              {40, 1, 0.5},
                              {1, 1, 1}}) {
        CAPTURE(shape.rows, shape.columns);
        const auto a = random_sparse<TestType>(random, shape.rows, shape.columns, shape.density);
        const std::vector<double> d = random_vector(random, shape.rows, 3);
        RidgeRule rule;
        rule.tolerance = 1e-9;
        ThreadPool threads(2);
        const SparseMatrix<TestType> back = transposed(a);
        const auto vectors = make_cpu_lsmr(a, back, kTenCoefficients.size(), threads);
        const PathSolution right =
            solve_path(*vectors, d, kTenCoefficients, rule, std::size_t(shape.columns));
        GpuRidge<TestType> gpu(a);
        const PathSolution path = gpu.solve(d, rule);
        require_same(path, right, 2e-9);
        const PathSolution again = gpu.solve(d, rule);
        REQUIRE(again.x == path.x);
        REQUIRE(again.bidiagonal.alpha == path.bidiagonal.alpha);
    }
}

TEST_CASE("Empty rows and columns, no data and no matrix are no trouble for LSMR on the GPU") {
    Dice random;
    const auto a = random_sparse<float>(random, 203, 301, 0.003, -1);
    const std::vector<double> d = random_vector(random, 203, 3), zero(203, 0.0);
    GpuRidge<float> gpu(a);
    const PathSolution path = gpu.solve(d);
    const Eigen::MatrixXd matrix = dense(a);
    for (std::size_t i = 0; i < path.x.size(); ++i) {
        const std::vector<double> truth = dense_solution(matrix, d, kTenCoefficients[i]);
        REQUIRE(distance(path.x[i], truth) <= 1e-6 * norm(truth));
    }
    const auto nothing = sparse<float>(Eigen::MatrixXd::Zero(203, 30));
    GpuRidge<float> empty(nothing);
    for (const PathSolution& none : {gpu.solve(zero), empty.solve(d)})
        for (const std::vector<double>& x : none.x) REQUIRE(norm(x) == 0);
}

TEST_CASE("LSMR refuses a matrix that does not fit in GPU memory") {
    Dice random;
    const auto a = random_sparse<float>(random, 701, 503, 0.1);
    const std::size_t needed = GpuRidge<float>(a).meter.bytes();
    REQUIRE(GpuRidge<float>(a, needed).meter.peak_bytes() == needed);
    for (const std::size_t less : {needed - 1, needed / 4})
        CHECK(contains(message_of<CudaError>([&] { GpuRidge<float>(a, less); }), "GPU memory"));
}

TEST_CASE(
    "example ridge measures CPU, GPU, LSMR and Cholesky, and says in a row where memory does not suffice") {
    const Machine machine = query_machine();
    for (const std::uint64_t limit : {std::uint64_t(1) << 30, std::uint64_t(700'000)}) {
        CAPTURE(limit);
        const bool fits = limit > 1'000'000;
        const Report report = run_example(ridge_request(limit), machine, {});
        int solvers = 0;
        for (const ReportRow& row : report.rows) {
            CAPTURE(row.work, row.name, row.why_not, row.check);
            CHECK_FALSE(row.failed);
            if (row.backend == Device::cpu) {
                CHECK(row.measured());
                continue;
            }
            CHECK(row.measured() == fits);
            if (!row.measured()) {
                CHECK_FALSE(row.why_not.empty());
                continue;
            }
            solvers += row.name.starts_with("LSMR") ? 1 : 0;
            CHECK(row.gpu_memory > 0);
            CHECK(row.gpu_memory <= double(limit));
            if (!row.inexact) CHECK(row.error <= 1e-6);
        }
        CHECK(solvers == (fits ? 1 : 0));
    }
}
