#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/context.h"
#include "sim/examples/einsum/gpu_einsum.h"
#include "sim/examples/einsum/operands.h"
#include "sim/text/error.h"
#include "tests/support/examples/einsum_checks.h"
#include "tests/support/examples/request.h"

using namespace stencil;
using namespace stencil::einsum;
using namespace stencil_test;

namespace {

template <class T>
std::vector<T> run_on_gpu(const Slicing& slicing, const std::vector<std::vector<T>>& operands, int times) {
    static ThreadPool threads(2);
    CudaStream stream;
    const auto pointers = pointers_to(operands);
    CudaMemoryMeter meter;
    const auto einsum = make_gpu_einsum<T>({slicing, pointers, stream, threads, [] {}});
    CHECK(double(meter.peak_bytes()) == std::max(slicing.bytes(), 1.0));
    einsum->upload();
    einsum->run(times);
    std::vector<T> result(std::size_t(product_of(slicing.contraction().output_shape())), T(NAN));
    einsum->fetch(result.data());
    return result;
}

}  // namespace

TEMPLATE_TEST_CASE("Einsum on the GPU is what NumPy's rules say", "", float, double) {
    Dice random;
    CAPTURE(random.seed);
    auto cases = kEinsumCases;
    cases.insert(cases.end(), kLargerEinsumCases.begin(), kLargerEinsumCases.end());
    for (const EinsumCase& one : cases) {
        CAPTURE(one.subscripts, one.shapes);
        const auto operands = random_operands<TestType>(random, one.shapes);
        const NaiveEinsum truth = naive_einsum(one, operands);
        const Slicing slicing(contraction_of(one), {}, sizeof(TestType), gpu_step_bytes<TestType>());
        const auto result = run_on_gpu(slicing, operands, 2);
        CHECK(einsum_error(truth, result) <= kEinsumTolerance<TestType>);
        CHECK(run_on_gpu(slicing, operands, 1) == result);
    }
}

TEST_CASE("Einsum in streamed pieces is the same within rounding at three limits of GPU memory") {
    check_pieces(gpu_step_bytes<float>(),
                 [](const Slicing& slicing, const std::vector<std::vector<float>>& operands) {
                     const auto result = run_on_gpu(slicing, operands, 2);
                     CHECK(run_on_gpu(slicing, operands, 1) == result);
                     return result;
                 });
}

TEST_CASE("The einsum example keeps to a limit of GPU memory and tells its peak") {
    ExampleRequest asked = request("einsum", {{"sizes", "i=1000,j=500,k=700"}}, "auto");
    asked.memory_limit = 2'000'000;
    const Machine machine = query_machine();
    const Report report = run_example(asked, machine, {});
    REQUIRE(report.rows.size() == 4);
    for (const ReportRow& row : report.rows) {
        CHECK_FALSE(row.failed);
        if (row.backend == Device::cpu) continue;
        REQUIRE(row.gpu_memory);
        CHECK(row.gpu_memory->actual <= 2e6);
        CHECK(row.gpu_memory->actual == row.gpu_memory->predicted);
        CHECK(row.check.find("streamed pieces") != std::string::npos);
    }
    asked.memory_limit = 1000;
    CHECK(message_of<MachineError>([&] { run_example(asked, machine, {}); }).find("smallest pieces") !=
          std::string::npos);
}
