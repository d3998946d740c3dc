// Properties that every example has, at sizes that take well below a second.

#include "sim/examples/estimate.h"

#include <string>
#include <tuple>

#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/examples/request.h"
#include "tests/support/fields.h"

using namespace stencil;
using namespace stencil_test;

namespace {

struct SmallRun {
    const char* name;
    Options options;
    int measured;             ///< rows on the CPU
    double float32, float64;  ///< largest errors
};

const SmallRun kSmallRuns[] = {
    {"elementwise", {{"size", "61x43"}, {"work", "chain,square"}}, 6, 2e-7, 4e-16},
    {"add", {{"length", "1003"}}, 2, 6e-8, 1.2e-16},
    {"dot", {{"length", "10007"}}, 4, 1e-4, 1e-12},
    {"reduce", {{"length", "10007"}}, 6, 1e-4, 1e-12},
    {"matmul", {{"m", "50"}, {"k", "50"}, {"n", "50"}}, 2, 2e-6, 1e-13},
    {"einsum", {{"sizes", "i=60,j=50,k=40"}}, 2, 5e-6, 1e-13},
    {"ridge", {{"rows", "120"}, {"columns", "120"}}, 2, 1e-6, 1e-6},
};

}  // namespace

TEST_CASE("Every example measures on the CPU, says why there is no GPU, and how far each part is") {
    REQUIRE(std::size(kSmallRuns) == examples().size());
    for (const SmallRun& run : kSmallRuns) {
        CAPTURE(run.name);
        std::vector<std::string> parts;
        double last = 1;
        ExampleWatch watch;
        watch.progress = [&](double share, const std::string& doing) {
            if (parts.empty() || parts.back() != doing) {
                parts.push_back(doing);
                last = 0;
            }
            REQUIRE(share >= last);
            REQUIRE(share <= 1);
            last = share;
        };
        const Report report = run_example(request(run.name, run.options), query_machine(), watch);
        CHECK(parts.size() >= 3);
        int measured = 0;
        for (const ReportRow& row : report.rows) {
            CAPTURE(row.work, row.name, row.error);
            CHECK_FALSE(row.failed);
            CHECK(row.measured() == (row.backend == Device::cpu));
            if (!row.measured()) continue;
            ++measured;
            CHECK(row.seconds > 0);
            CHECK(row.error > 0);
            CHECK(row.error < (row.dtype == DType::float32 ? run.float32 : run.float64));
            CHECK_FALSE(row.check.empty());
        }
        CHECK(measured == run.measured);
    }
}

TEST_CASE("Every example ends where it is told to") {
    for (const SmallRun& run : kSmallRuns) {
        CAPTURE(run.name);
        int asked = 0;
        ExampleWatch watch;
        watch.cancelled = [&] { return ++asked > 3; };
        const Report report = run_example(request(run.name, run.options), query_machine(), watch);
        CHECK(report.interrupted);
        CHECK(report.rows.empty());
    }
}

TEST_CASE("Examples on arrays refuse what no machine can do in one line") {
    const std::tuple<const char*, const char*, const char*, const char*> refusals[] = {
        {"elementwise", "work", "chian", "did you mean 'chain'"},
        {"elementwise", "work", "", "allowed: sin2x1"},
        {"elementwise", "size", "0x4", "--size 0"},
        {"elementwise", "size", "3x4x5", "NXxNY"},
        {"elementwise", "seed", "-1", "--seed -1"},
        {"add", "length", "0", "--length 0"},
        {"add", "length", "many", "--length many"},
        {"dot", "length", "0", "--length 0"},
        {"reduce", "seed", "x", "--seed x"}};
    for (const auto& [name, option, value, said] : refusals) {
        CAPTURE(name, option, value);
        CHECK(contains(input_error([&, name = name] { run_on_cpu(name, {{option, value}}); }), said));
    }
    for (const char* name : {"add", "dot", "reduce"})
        CHECK(contains(message_of<MachineError>([&] {
                           run_on_cpu(name, {{"length", "1000000000000"}});
                       }),
                       "elements fit"));
}

TEST_CASE("Curves over lengths have a point for each power of ten, and the memory's limit") {
    const auto check = [](const char* name, const Options& options, std::size_t curves, std::size_t series) {
        const Report report = run_on_cpu(name, options);
        REQUIRE(report.curves.size() == curves);
        for (const ReportCurve& curve : report.curves) {
            CHECK((series == 0 || curve.series.size() == series));
            for (const ReportSeries& one : curve.series) {
                CAPTURE(curve.id, one.name);
                CHECK(one.points.size() == (one.markers ? 3 : 2));
                CHECK(one.points.back().x == 100000);
                for (const ReportPoint& point : one.points) CHECK((std::isfinite(point.y) && point.y > 0));
                if (series > 0) CHECK(one.points.back().y > one.points.front().y);
            }
        }
    };
    const std::pair<std::string, std::string> sweep{"sweep", "true"}, longest{"longest", "100000"};
    check("elementwise", {{"size", "61x43"}, {"work", "sin2x1"}, sweep, longest}, 2, 3);
    check("reduce", {{"length", "1003"}, sweep, longest}, 4, 0);
}

TEST_CASE(
    "The time of an example is estimated from what it computes, and sizes that take some seconds from that") {
    const CpuRates rates{2e10, {2e11, 1e11}};
    const ExampleRequest matmul = request("matmul", {{"repeats", "1"}});
    CHECK(may_be_long(matmul));
    // 2 x 10000 x 5000 x 7000 operations ten times, once in each precision.
    const double seconds = estimated_seconds(matmul, rates);
    CHECK(seconds >= 7.0e12 / 2e11 + 7.0e12 / 1e11);
    CHECK(seconds < 1.01 * (7.0e12 / 2e11 + 7.0e12 / 1e11));
    for (const SmallRun& run : kSmallRuns) {
        CAPTURE(run.name);
        CHECK_FALSE(may_be_long(request(run.name, run.options)));
    }
    const std::pair<const char*, Options> large[] = {{"matmul", {}},
                                                     {"einsum", {{"subscripts", "ij,jk->ik"}}},
                                                     {"ridge", {{"rows", "1e5"}, {"columns", "1e5"}}},
                                                     {"elementwise", {{"size", "60000x50000"}}},
                                                     {"add", {{"length", "1e11"}}},
                                                     {"dot", {{"length", "1e11"}}},
                                                     {"reduce", {{"length", "1e11"}}}};
    for (const auto& [name, options] : large) {
        const ExampleRequest asked = request(name, options);
        CAPTURE(command_text(asked));
        REQUIRE(estimated_seconds(asked, rates) > kLongSeconds);
        const ExampleRequest smaller = sized_for(asked, rates);
        CAPTURE(command_text(smaller));
        CHECK(estimated_seconds(smaller, rates) < kLongSeconds);
        CHECK(estimated_seconds(smaller, rates) > 0.5);
        smaller.example->check(smaller);
    }
    // On the slowest machine there may be no smaller sizes; that is no error.
    const CpuRates slowest{1e3, {1e3, 1e3}};
    for (const Example& example : examples()) {
        const ExampleRequest asked = request_for(example);
        CHECK(estimated_seconds(sized_for(asked, slowest), rates) <= estimated_seconds(asked, rates));
    }
    CHECK(
        command_text(sized_for(request("einsum", {{"subscripts", "ij,jk->ik"}}), rates)).find("--sizes i=") !=
        std::string::npos);
    // Without rows on the CPU, or of files, it is not known.
    CHECK(estimated_seconds(request("matmul", {{"backend", "cuda"}}), rates) == 0);
    CHECK(estimated_seconds(request("matmul", {{"rows", "cublas"}}), rates) == 0);
    CHECK(estimated_seconds(request("ridge", {{"matrix", "a.mtx"}}), rates) == 0);
    CHECK_FALSE(may_be_long(request("einsum", {{"operand", "a.npy"}})));
}

TEST_CASE("The steps of a random ridge problem are estimated as they were measured") {
    // Rows, columns and steps, float32, by default coefficients.
    for (const auto& [rows, columns, steps] :
         {std::tuple{15000, 15000, 3910}, {3000, 3000, 1618}, {6000, 1500, 40}}) {
        CAPTURE(rows, columns);
        const ExampleRequest asked = request("ridge",
                                             {{"rows", std::to_string(rows)},
                                              {"columns", std::to_string(columns)},
                                              {"methods", "lsmr"},
                                              {"repeats", "1"}});
        const double bytes_per_step = 2 * 0.1 * rows * columns * 8;
        const double estimated = estimated_seconds(asked, {1, {1, 1}}) / bytes_per_step;
        CHECK(estimated > 0.8 * steps);
        CHECK(estimated < 1.25 * steps);
    }
}

TEST_CASE("What is drawn and compared with counts once in an estimate, however often a row is repeated") {
    const CpuRates rates{1e15, {1e15, 1e15}};
    const auto seconds = [&](const char* repeats, const char* dtype) {
        const Options options{{"size", "10000x10000"}, {"repeats", repeats}, {"dtype", dtype}};
        return estimated_seconds(request("elementwise", options), rates);
    };
    CHECK(seconds("1", "float32") > 1);
    CHECK(seconds("100", "float32") < 1.01 * seconds("1", "float32"));
    // Sines of long double take longer.
    CHECK(seconds("1", "float64") > 3 * seconds("1", "float32"));
}

TEST_CASE("An estimate has two digits at most, and says that it is one") {
    CHECK(estimate_text(12.3) == "about 12 s on this CPU");
    CHECK(estimate_text(89) == "about 89 s on this CPU");
    CHECK(estimate_text(543) == "about 9 min on this CPU");
    CHECK(estimate_text(5000) == "about 83 min on this CPU");
    CHECK(estimate_text(3600 * 123.0) == "about 120 h on this CPU");
}
