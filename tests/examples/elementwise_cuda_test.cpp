#include "kernels/examples/arrays/elementwise.h"

#include "tests/support/catch.h"
#include "tests/support/examples/arrays.h"
#include "tests/support/examples/on_device.h"
#include "tests/support/fields.h"

using namespace stencil;
using namespace stencil_test;

TEMPLATE_TEST_CASE(
    "CUDA expressions hold for every number, at any length and address, and write nothing else",
    "",
    float,
    double) {
    using T = TestType;
    CudaStream stream;
    check_expressions<T>([&](Map map, const std::vector<T>& x, std::size_t offset) {
        const OnDevice<T> from(stream, x, offset);
        const OnDevice<T> to(stream, std::vector<T>(x.size() + kBeyond, kUntouched<T>));
        cuda_map<T>(stream, map, from.data(), nullptr, to.data(), std::int64_t(x.size()));
        return to.values();
    });
}

TEMPLATE_TEST_CASE("Each CUDA pass does what its name says, for every number", "", float, double) {
    using T = TestType;
    CudaStream stream;
    for (const std::size_t offset : {0, 1})
        check_single_passes<T>([&](Map map, const std::vector<T>& a, const std::vector<T>& b) {
            const OnDevice<T> from_a(stream, a), from_b(stream, b, offset);
            const OnDevice<T> to(stream, std::vector<T>(a.size(), kUntouched<T>));
            cuda_map<T>(stream, map, from_a.data(), from_b.data(), to.data(), std::int64_t(a.size()));
            return to.values();
        });
}

TEST_CASE("elementwise and add predict their GPU memory, and refuse a limit below it before they begin") {
    const Machine machine = query_machine();
    const std::vector<std::pair<std::string, Options>> examples = {{"elementwise", {{"size", "1003x517"}}},
                                                                   {"add", {{"length", "518551"}}}};
    for (const auto& [name, options] : examples) {
        ExampleRequest asked = request(name, options, "cuda");
        limit_memory(asked, 100'000'000);
        const Report report = run_example(asked, machine, {});
        REQUIRE_FALSE(report.rows.empty());
        for (const ReportRow& row : report.rows) {
            CAPTURE(row.work, row.name, row.check, row.error);
            REQUIRE(row.measured());
            REQUIRE_FALSE(row.failed);
            REQUIRE(row.gpu_memory->actual <= row.gpu_memory->predicted);
            REQUIRE(row.gpu_memory->actual > 0.9 * row.gpu_memory->predicted);
        }
        require_refused_below(asked, machine, 400'000);
    }
}
