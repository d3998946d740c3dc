#include "kernels/examples/arrays/elementwise.h"

#include <cstring>

#include "kernels/cpu/thread_pool.h"
#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/examples/arrays.h"
#include "tests/support/fields.h"

using namespace stencil;
using namespace stencil_test;

namespace {

constexpr std::size_t kBeyond = 5;  // elements behind the output that must stay as they are

template <class T>
constexpr T kUntouched = T(-123.25);

template <class T>
void check_expressions() {
    Dice dice;
    CAPTURE(dice.seed);
    ThreadPool threads(2);
    for (const ExpressionRow& row : expressions())
        for (const std::size_t n : {1, 2, 3, 7, 16, 17, 1003, 4099})
            for (const std::size_t offset : {0, 1}) {
                const std::vector<T> x = any_numbers<T>(dice, n + offset);
                std::vector<T> y(n + kBeyond, kUntouched<T>);
                cpu_elementwise(threads, row.expression, x.data() + offset, y.data(), std::int64_t(n));
                for (std::size_t i = 0; i < n; ++i) {
                    CAPTURE(row.name, n, offset, i, x[i + offset], y[i]);
                    REQUIRE(agrees(y[i], expected(row.expression, x[i + offset]), 5));
                }
                for (std::size_t i = n; i < y.size(); ++i) REQUIRE(y[i] == kUntouched<T>);
            }
}

template <class T>
std::vector<T> by_passes(ThreadPool& threads, const ExpressionRow& row, std::vector<T> x) {
    const T none = std::numeric_limits<T>::quiet_NaN();
    std::vector<T> out(x.size(), none), first(x.size(), none), second(x.size(), none);
    T* const places[] = {nullptr, x.data(), out.data(), first.data(), second.data()};
    for (const PassUse& use : row.passes)
        cpu_pass<T>(threads,
                    use.pass,
                    places[int(use.a)],
                    places[int(use.b)],
                    places[int(use.to)],
                    std::int64_t(x.size()));
    return out;
}

template <class T>
void check_passes() {
    Dice dice;
    CAPTURE(dice.seed);
    ThreadPool one(1), three(3);
    for (const ExpressionRow& row : expressions()) {
        CAPTURE(row.name);
        const std::vector<T> x = any_numbers<T>(dice, 2017);
        std::vector<T> fused(x.size()), with_three(x.size());
        cpu_elementwise(one, row.expression, x.data(), fused.data(), std::int64_t(x.size()));
        cpu_elementwise(three, row.expression, x.data(), with_three.data(), std::int64_t(x.size()));
        const std::vector<T> passes = by_passes(three, row, x);
        for (std::size_t i = 0; i < x.size(); ++i) {
            CAPTURE(i, x[i], fused[i], passes[i]);
            REQUIRE((fused[i] == with_three[i] || (std::isnan(fused[i]) && std::isnan(with_three[i]))));
            // Beyond the vectors' range a pass of the chain may be the standard library's where the whole is
            // not.
            REQUIRE(agrees(passes[i], fused[i], std::abs(x[i]) < 1000 ? 0 : 4));
        }
    }
}

template <class T>
void check_single_passes() {
    Dice dice;
    CAPTURE(dice.seed);
    ThreadPool threads(2);
    const std::vector<T> a = any_numbers<T>(dice, 777), b = any_numbers<T>(dice, 777);
    std::vector<T> to(a.size());
    const auto check = [&](Pass pass, double units, const auto& want) {
        std::fill(to.begin(), to.end(), kUntouched<T>);
        cpu_pass<T>(threads, pass, a.data(), b.data(), to.data(), std::int64_t(a.size()));
        for (std::size_t i = 0; i < a.size(); ++i) {
            CAPTURE(int(pass), i, a[i], b[i], to[i]);
            REQUIRE(agrees(to[i], want(a[i], b[i]), units));
        }
    };
    check(Pass::twice, 0, [](T x, T) { return T(2 * x); });
    check(Pass::plus_one, 0, [](T x, T) { return T(x + 1); });
    check(Pass::cosine, 4, [](T x, T) { return std::cos((long double)(x)); });
    check(Pass::exponential, 4, [](T x, T) {
        const long double y = std::exp((long double)(x));
        return y > std::numeric_limits<T>::max() ? std::numeric_limits<long double>::infinity() : y;
    });
    check(Pass::choose, 0, [](T x, T) { return x > T(0.5) ? T(2 * x) : T(x / 2); });
    check(Pass::product, 0, [](T x, T y) { return T(x * y); });
    check(Pass::sum, 0, [](T x, T y) { return T(x + y); });
}

Report run_on_cpu(const std::string& name, const std::vector<std::pair<std::string, std::string>>& options) {
    return run_example(request(name, options, "cpu"), query_machine(), {});
}

}  // namespace

TEST_CASE("Expressions hold for every number, at any length and address, and write nothing else") {
    check_expressions<float>();
    check_expressions<double>();
}

TEST_CASE("One pass gives what the separate passes give, with any number of threads") {
    check_passes<float>();
    check_passes<double>();
}

TEST_CASE("Each pass does what its name says, for every number") {
    check_single_passes<float>();
    check_single_passes<double>();
}

TEST_CASE(
    "elementwise has a row for each way, on the CPU with its error and for the GPU with why there is none") {
    const Report report = run_on_cpu("elementwise", {{"size", "61x43"}, {"work", "chain,square"}});
    REQUIRE(report.rows.size() == 12);  // (2 + 1 ways) x 2 sides x 2 precisions
    for (const ReportRow& row : report.rows) {
        CAPTURE(row.work, row.name);
        REQUIRE(contains(row.work, "61x43"));
        REQUIRE_FALSE(row.failed);
        REQUIRE(row.measured() == (row.backend == Device::cpu));
        if (!row.measured()) continue;
        REQUIRE(row.seconds > 0);
        REQUIRE(row.error > 0);
        REQUIRE(row.error < (row.dtype == DType::float32 ? 2e-7 : 4e-16));
    }
}

TEST_CASE("add compares every element") {
    const Report report = run_on_cpu("add", {{"length", "1003"}});
    REQUIRE(report.rows.size() == 4);
    for (const ReportRow& row : report.rows) REQUIRE_FALSE(row.failed);
    REQUIRE(report.rows[0].error > 1e-9);
    REQUIRE(report.rows[0].error < 6e-8);
}

TEST_CASE("elementwise and add refuse what no machine can do in one line") {
    const auto refusal = [](const std::string& name, const std::string& option, const std::string& value) {
        return input_error([&] { run_on_cpu(name, {{option, value}}); });
    };
    REQUIRE(contains(refusal("elementwise", "work", "chian"), "did you mean 'chain'"));
    REQUIRE(contains(refusal("elementwise", "work", ""), "allowed: sin2x1"));
    REQUIRE(contains(refusal("elementwise", "size", "0x4"), "--size 0"));
    REQUIRE(contains(refusal("elementwise", "size", "3x4x5"), "NXxNY"));
    REQUIRE(contains(refusal("elementwise", "seed", "-1"), "--seed -1"));
    REQUIRE(contains(refusal("add", "length", "0"), "--length 0"));
    REQUIRE(contains(refusal("add", "length", "many"), "--length many"));
    REQUIRE(contains(message_of<MachineError>([] {
                         run_on_cpu("add", {{"length", "1000000000000"}});
                     }),
                     "elements fit"));
}

TEST_CASE("The curves of elementwise rise with the length") {
    const Report report = run_on_cpu(
        "elementwise", {{"size", "61x43"}, {"work", "sin2x1"}, {"sweep", "true"}, {"longest", "1000000"}});
    REQUIRE(report.curves.size() == 2);
    for (const ReportCurve& curve : report.curves) {
        REQUIRE(curve.series.size() == 3);  // two ways, and the memory's limit
        for (const ReportSeries& series : curve.series) {
            REQUIRE(series.points.size() == (series.markers ? 4 : 2));
            REQUIRE(series.points.back().x == 1e6);
            REQUIRE(series.points.back().y > series.points.front().y);
        }
    }
}
