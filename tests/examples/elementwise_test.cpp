#include "kernels/examples/arrays/elementwise.h"

#include "kernels/cpu/thread_pool.h"
#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/examples/arrays.h"
#include "tests/support/fields.h"

using namespace stencil;
using namespace stencil_test;

namespace {

template <class T>
std::vector<T> by_passes(ThreadPool& threads, const Expression& row, std::vector<T> x) {
    const T none = std::numeric_limits<T>::quiet_NaN();
    std::vector<T> out(x.size(), none), first(x.size(), none), second(x.size(), none);
    T* const arrays[] = {x.data(), out.data(), first.data(), second.data()};
    for (const auto& [map, a, b, to] : row.passes)
        cpu_map<T>(threads, map, arrays[a], arrays[b], arrays[to], std::int64_t(x.size()));
    return out;
}

template <class T>
void check_passes() {
    Dice dice;
    CAPTURE(dice.seed);
    ThreadPool one(1), three(3);
    for (const Expression& row : kExpressions) {
        CAPTURE(row.name);
        const std::vector<T> x = any_numbers<T>(dice, 2017);
        std::vector<T> fused(x.size()), with_three(x.size());
        cpu_map<T>(one, row.map, x.data(), nullptr, fused.data(), std::int64_t(x.size()));
        cpu_map<T>(three, row.map, x.data(), nullptr, with_three.data(), std::int64_t(x.size()));
        const std::vector<T> passes = by_passes(three, row, x);
        for (std::size_t i = 0; i < x.size(); ++i) {
            CAPTURE(i, x[i], fused[i], passes[i]);
            REQUIRE((fused[i] == with_three[i] || (std::isnan(fused[i]) && std::isnan(with_three[i]))));
            // Outside the vector functions' range a pass may use libm where the fused chain does not.
            REQUIRE(agrees(passes[i], fused[i], std::abs(x[i]) < 1000 ? 0 : 4));
        }
    }
}

}  // namespace

TEMPLATE_TEST_CASE("Expressions hold for every number, at any length and address, and write nothing else",
                   "",
                   float,
                   double) {
    using T = TestType;
    ThreadPool threads(2);
    check_expressions<T>([&](Map map, std::vector<T> x, std::size_t offset) {
        const auto n = std::int64_t(x.size());
        x.insert(x.begin(), offset, kUntouched<T>);
        std::vector<T> y(std::size_t(n) + kBeyond, kUntouched<T>);
        cpu_map<T>(threads, map, x.data() + offset, nullptr, y.data(), n);
        return y;
    });
}

TEST_CASE("One pass gives what the separate passes give, with any number of threads") {
    check_passes<float>();
    check_passes<double>();
}

TEMPLATE_TEST_CASE("Each pass does what its name says, for every number", "", float, double) {
    using T = TestType;
    ThreadPool threads(2);
    check_single_passes<T>([&](Map map, const std::vector<T>& a, const std::vector<T>& b) {
        std::vector<T> to(a.size(), kUntouched<T>);
        cpu_map<T>(threads, map, a.data(), b.data(), to.data(), std::int64_t(a.size()));
        return to;
    });
}

TEST_CASE(
    "elementwise has a row for each variant, on the CPU with its error and for the GPU with why there is "
    "none") {
    const Report report = run_on_cpu("elementwise", {{"size", "61x43"}, {"work", "chain,square"}});
    REQUIRE(report.rows.size() == 12);  // (2 + 1 variants) x 2 sides x 2 precisions
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
        REQUIRE(curve.series.size() == 3);  // two variants, and the memory's limit
        for (const ReportSeries& series : curve.series) {
            REQUIRE(series.points.size() == (series.markers ? 4 : 2));
            REQUIRE(series.points.back().x == 1e6);
            REQUIRE(series.points.back().y > series.points.front().y);
        }
    }
}
