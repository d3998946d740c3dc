// The example matmul on the CPU, and its parts.

#include "sim/examples/matmul/matmul.h"
#include "tests/support/examples/matmul_cases.h"
#include "tests/support/examples/request.h"
#include "tests/support/fields.h"

using namespace stencil::matmul;

namespace {

template <class T>
MatmulFactors<T> operands_of(const MatmulCase<T>& one) {
    MatmulFactors<T> operands;
    for (const std::vector<T>& factor : {one.a, one.b})
        std::ranges::copy(factor, operands.emplace_back(factor.size()).begin());
    return operands;
}

template <class T>
std::vector<T> rounded(const std::vector<double>& values) {
    return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("The factors are those that NumPy draws from the same seed") {
    const Machine machine = query_machine();
    const ExampleRequest asked = request("matmul", {{"m", "3"}, {"k", "5"}, {"n", "4"}});
    ExampleContext context(asked, machine, {});
    const MatmulFactors<float> single = make_factors<float>(matmul_problem(asked.options), context);
    REQUIRE(single[0].data()[0] == 0x1.a023bcp-1f);
    REQUIRE(single[0].data()[14] == 0x1.ae7ff8p-3f);
    REQUIRE(single[1].data()[0] == 0x1.a07370p-4f);
    REQUIRE(single[1].data()[19] == 0x1.c3cb8ep-1f);
    const MatmulFactors<double> wide = make_factors<double>(matmul_problem(asked.options), context);
    REQUIRE(wide[0].data()[0] == 0x1.236e04ff40476p-2);
    REQUIRE(wide[1].data()[19] == 0x1.44fd8dcdbf754p-1);
    MatmulProblem centred = matmul_problem(asked.options);
    centred.centred = true;
    REQUIRE(make_factors<float>(centred, context)[1].data()[19] == 0x1.c3cb8ep-1f - 0.5f);
}

TEMPLATE_TEST_CASE("The reference agrees with a product in float64", "", float, double) {
    const Machine machine = query_machine();
    const ExampleRequest asked = request("matmul", {});
    for (const double low : {0.0, -0.5}) {
        const MatmulCase<TestType> one({203, 119, 67}, low);
        ExampleContext context(asked, machine, {});
        const MatmulReference reference = make_reference(operands_of(one), one.shape, context);
        REQUIRE(error_of(reference.sums, one.sums) < 1e-12);
        REQUIRE(reference.rows.front() == 0);
        REQUIRE(reference.rows.back() == 202);
        for (std::size_t i = 0; i < reference.rows.size(); ++i)
            for (std::int64_t j = 0; j < 67; ++j) {
                const double exact = one.c(reference.rows[i], j);
                const std::size_t at = i * 67 + std::size_t(j);
                REQUIRE(std::abs(reference.c[at] - exact) < 1e-14 * reference.c_of_size[at]);
                REQUIRE(reference.c_of_size[at] >= std::abs(exact) * (1 - 1e-14));
            }
    }
}

TEMPLATE_TEST_CASE("A wrong result is told from a right one", "", float, double) {
    const Machine machine = query_machine();
    const ExampleRequest asked = request("matmul", {});
    const MatmulCase<TestType> one({70, 90, 33}, -0.5);
    ExampleContext context(asked, machine, {});
    const MatmulReference reference = make_reference(operands_of(one), one.shape, context);
    const MatmulResult<TestType> right{
        rounded<TestType>(reference.sums), rounded<TestType>(reference.c), rounded<TestType>(reference.sums)};
    const MatmulLimits limits{sizeof(TestType) == 4 ? 5e-6 : 1e-13, true};
    const auto failed = [&](const MatmulResult<TestType>& result) {
        ReportRow row;
        compare(result, reference, limits, row);
        return row.failed;
    };
    REQUIRE_FALSE(failed(right));
    constexpr auto nan = std::numeric_limits<TestType>::quiet_NaN();
    for (auto part :
         {&MatmulResult<TestType>::sums, &MatmulResult<TestType>::rows, &MatmulResult<TestType>::stored_sums})
        for (const auto value : {nan, TestType(123456)}) {
            MatmulResult<TestType> wrong = right;
            (wrong.*part)[matmul_random()() % (wrong.*part).size()] = value;
            REQUIRE(failed(wrong));
        }
    // An error in one element, beyond rounding but too small to change the norm.
    MatmulResult<TestType> wrong = right;
    const std::size_t at = matmul_random()() % wrong.rows.size();
    wrong.rows[at] +=
        TestType(4 * 90 * double(std::numeric_limits<TestType>::epsilon()) * reference.c_of_size[at]);
    REQUIRE(failed(wrong));
}

TEST_CASE("The example matmul runs without a GPU, and says what is wrong with its options") {
    using Sizes = std::array<const char*, 3>;
    for (const auto& [m, k, n] : {Sizes{"1", "1", "1"},
                                  {"1", "700", "3"},
                                  {"203", "1", "77"},
                                  {"1003", "517", "701"},
                                  {"2600", "2000", "200"}}) {
        const char* const distribution = std::string_view(m) == "1003" ? "centred" : "uniform";
        const Report report = run_on_cpu(
            "matmul", {{"m", m}, {"k", k}, {"n", n}, {"repetitions", "2"}, {"distribution", distribution}});
        REQUIRE(report.rows.size() == 9);
        for (const ReportRow& row : report.rows) {
            CAPTURE(m, k, n, row.name);
            REQUIRE_FALSE(row.failed);
            REQUIRE(row.measured() == (row.backend == Device::cpu));
            if (!row.measured()) continue;
            REQUIRE(row.error < (row.dtype == DType::float32 ? 2e-6 : 1e-13));
            REQUIRE(row.seconds > 0);
        }
    }
    const auto refused = [&](const std::string& rows) {
        return input_error([&] { run_on_cpu("matmul", {{"rows", rows}}); });
    };
    REQUIRE(contains(refused("openblas,cubla"), "did you mean 'cublas'"));
    REQUIRE(contains(refused(""), "rows:"));
    ExampleRequest asked = request("matmul", {{"rows", "tf32"}});
    asked.options.set("dtype", "float64");
    REQUIRE(contains(input_error([&] { run_example(asked, query_machine(), {}); }),
                     "none of them works in float64 alone"));
    REQUIRE(contains(input_error([&] { asked.options.set("k", "0"); }), "k 0"));
}
