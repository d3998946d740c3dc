#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/context.h"
#include "sim/examples/einsum/gpu_einsum.h"
#include "sim/text/error.h"
#include "tests/support/examples/einsum_checks.h"
#include "tests/support/examples/request.h"

using namespace stencil;
using namespace stencil::einsum;
using namespace stencil_test;

namespace {

template <class T>
std::vector<T> run_on_gpu(const Plan& plan, const std::vector<std::vector<T>>& operands, int times) {
    CudaStream stream;
    CudaMemoryMeter meter;
    GpuEinsum<T> einsum(plan, stream, [] {});
    CHECK(meter.peak_bytes() == std::max<std::size_t>(arena_bytes<GpuParts<T>>(plan), 1));
    einsum.upload(pointers_to(operands));
    einsum.run(times);
    std::vector<T> result(std::size_t(plan.tensors.back().values), T(NAN));
    einsum.fetch(result.data());
    return result;
}

}  // namespace

TEMPLATE_TEST_CASE("Einsum on the GPU is what NumPy's rules say", "", float, double) {
    Dice random;
    CAPTURE(random.seed);
    for (const auto& cases : {kEinsumCases, kLargerEinsumCases})
        for (const EinsumCase& one : cases) {
            CAPTURE(one.subscripts, one.shapes);
            const auto operands = random_operands<TestType>(random, one.shapes);
            const NaiveEinsum truth = naive_einsum(one, operands);
            const Plan plan = make_plan(contraction_of(one));
            const auto result = run_on_gpu(plan, operands, 2);
            CHECK(einsum_error(truth, result) <= kEinsumTolerance<TestType>);
            CHECK(run_on_gpu(plan, operands, 1) == result);
        }
}

TEST_CASE("The einsum example tells its peak of GPU memory, and refuses less than it takes") {
    ExampleRequest asked = request("einsum", {{"sizes", "i=1000,j=500,k=700"}}, "auto");
    limit_memory(asked, 30'000'000);
    const Machine machine = query_machine();
    const Report report = run_example(asked, machine, {});
    REQUIRE(report.rows.size() == 4);
    for (const ReportRow& row : report.rows) {
        CHECK_FALSE(row.failed);
        if (row.backend == Device::cpu) continue;
        REQUIRE(row.gpu_memory);
        CHECK(row.gpu_memory->actual <= 3e7);
        CHECK(row.gpu_memory->actual == row.gpu_memory->predicted);
    }
    limit_memory(asked, 2'000'000);
    CHECK(message_of<MachineError>([&] { run_example(asked, machine, {}); }).find("of GPU memory") !=
          std::string::npos);
}
