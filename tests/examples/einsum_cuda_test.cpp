#include "kernels/cuda/cuda_runtime.h"
#include "sim/text/error.h"
#include "tests/support/examples/einsum_checks.h"
#include "tests/support/examples/on_device.h"
#include "tests/support/examples/request.h"

using namespace stencil::einsum;

namespace {

template <class T>
std::vector<T> run_on_gpu(const Plan& plan, const std::vector<std::vector<T>>& operands) {
    CudaStream stream;
    std::vector<OnDevice<T>> arrays;
    std::vector<const T*> pointers;
    for (const auto& operand : operands) pointers.push_back(arrays.emplace_back(stream, operand).data());
    const OnDevice<T> result(stream, std::vector<T>(std::size_t(plan.tensors.back().values), T(NAN)));
    const OnDevice<T> scratch(stream, std::vector<T>(std::size_t(plan.scratch_values), T(NAN)));
    const auto arithmetic = cuda_einsum_arithmetic<T>(stream);
    execute_plan<T>(plan, *arithmetic, pointers, scratch.data(), result.data());
    stream.synchronize();
    return result.values();
}

}  // namespace

TEMPLATE_TEST_CASE("Einsum on the GPU is what NumPy's rules say", "", float, double) {
    Dice random;
    for (const auto& cases : {kEinsumCases, kOddEinsumCases, kLargerEinsumCases})
        for (const EinsumCase& one : cases) {
            CAPTURE(one.subscripts, one.shapes);
            const auto operands = random_operands<TestType>(random, one.shapes);
            const NaiveEinsum truth = naive_einsum(one, operands);
            const Plan plan = make_plan(contraction_of(one));
            const auto result = run_on_gpu(plan, operands);
            CHECK(einsum_error(truth, result) <= kEinsumTolerance<TestType>);
            CHECK(run_on_gpu(plan, operands) == result);
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
        CHECK(row.gpu_memory > 0);
        CHECK(row.gpu_memory <= 3e7);
    }
    limit_memory(asked, 2'000'000);
    CHECK(message_of<MachineError>([&] { run_example(asked, machine, {}); }).find("of GPU memory") !=
          std::string::npos);
}
