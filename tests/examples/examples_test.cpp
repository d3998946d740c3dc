// Properties that every example has, at sizes that take well below a second.

#include "sim/examples/context.h"
#include "tests/support/examples/request.h"
#include "tests/support/fields.h"

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
        {"elementwise", "size", "0x4", "size 0"},
        {"elementwise", "size", "3x4x5", "NXxNY"},
        {"elementwise", "seed", "-1", "seed -1"},
        {"add", "length", "0", "length 0"},
        {"add", "length", "many", "length many"},
        {"dot", "length", "0", "length 0"},
        {"reduce", "seed", "x", "seed x"}};
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
