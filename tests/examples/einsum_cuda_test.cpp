#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/context.h"
#include "sim/examples/einsum/einsum.h"
#include "sim/examples/einsum/gpu_einsum.h"
#include "sim/examples/einsum/operands.h"
#include "sim/text/error.h"
#include "tests/support/examples/einsum_checks.h"

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
    std::size_t count = 1;
    for (const std::int64_t n : slicing.contraction().output_shape()) count *= std::size_t(n);
    std::vector<T> result(count, T(NAN));
    einsum->fetch(result.data());
    return result;
}

const std::vector<EinsumCase> kLargerCases = {{"ij,jk->...k", {{203, 157}, {157, 301}}},
                                              {"ij,jk->ik", {{203, 157}, {157, 301}}},
                                              {"ij->i", {{3, 200'003}}},
                                              {"ij,j->i", {{2001, 1003}, {1003}}},
                                              {"ij->", {{1003, 517}}},
                                              {"ijk->ik", {{3, 301, 203}}},
                                              {"ijk,j->ik", {{70, 31, 43}, {31}}},
                                              {"ij->ji", {{1003, 517}}},
                                              {"bij,bjk->bki", {{300, 5, 6}, {300, 6, 7}}},
                                              {"i,i->", {{300'001}, {300'001}}},
                                              {"iij,j->i", {{101, 101, 57}, {57}}},
                                              {"ij,ii->j", {{1003, 517}, {1003, 1003}}},
                                              {"ijk->kij", {{40, 50, 60}}},
                                              {"bij,bi->bj", {{70, 50, 60}, {70, 50}}},
                                              {"bij,ib->bj", {{3, 500, 600}, {500, 3}}},
                                              {"bi,bi->b", {{70, 5001}, {70, 5001}}},
                                              {"ij,kj->ikj", {{40, 50}, {60, 50}}}};

}  // namespace

TEMPLATE_TEST_CASE("Einsum on the GPU is what NumPy's rules say", "", float, double) {
    Dice random;
    CAPTURE(random.seed);
    auto cases = kEinsumCases;
    cases.insert(cases.end(), kLargerCases.begin(), kLargerCases.end());
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
    Dice random;
    CAPTURE(random.seed);
    const EinsumCase one = GENERATE(as<EinsumCase>(),
                                    EinsumCase{"ij,jk->...k", {{203, 157}, {157, 301}}},
                                    EinsumCase{"ij,jk->ik", {{103, 517}, {517, 101}}},
                                    EinsumCase{"bij,bjk->ikb", {{7, 113, 117}, {7, 117, 111}}},
                                    EinsumCase{"i,j->ij", {{1001}, {703}}},
                                    EinsumCase{"ij->", {{1001, 1203}}});
    CAPTURE(one.subscripts);
    const Contraction contraction = contraction_of(one);
    const auto operands = random_operands<float>(random, one.shapes);
    const NaiveEinsum truth = naive_einsum(one, operands);
    const Slicing whole(contraction, {}, 4, gpu_step_bytes<float>());
    double data = 0;
    for (const auto& operand : operands) data += double(operand.size() * 4);
    data += double(truth.values.size() * 4);
    for (const double share : {0.75, 0.5, 0.3}) {
        CAPTURE(share);
        const double budget = whole.bytes() - (1 - share) * data;
        const Slicing slicing = choose_slicing(contraction, 4, budget, gpu_step_bytes<float>());
        CHECK(slicing.is_sliced());
        CHECK(slicing.bytes() <= budget);
        const auto result = run_on_gpu(slicing, operands, 2);
        CHECK(einsum_error(truth, result) <= kEinsumTolerance<float>);
        CHECK(run_on_gpu(slicing, operands, 1) == result);
    }
}

TEST_CASE("The einsum example keeps to a limit of GPU memory and tells its peak") {
    ExampleRequest request = request_for(kEinsumExample);
    request.options.set("sizes", "i=1000,j=500,k=700");
    request.repeats = 1;
    request.memory_limit = 2'000'000;
    const Machine machine = query_machine();
    const Report report = run_example(request, machine, {});
    REQUIRE(report.rows.size() == 4);
    for (const ReportRow& row : report.rows) {
        CHECK_FALSE(row.failed);
        if (row.backend == Device::cpu) continue;
        REQUIRE(row.gpu_memory);
        CHECK(row.gpu_memory->actual <= 2e6);
        CHECK(row.gpu_memory->actual == row.gpu_memory->predicted);
        CHECK(row.check.find("streamed pieces") != std::string::npos);
    }
    request.memory_limit = 1000;
    CHECK(message_of<MachineError>([&] { run_example(request, machine, {}); }).find("smallest pieces") !=
          std::string::npos);
}
