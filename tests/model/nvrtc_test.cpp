#include "kernels/equation/cuda/nvrtc.h"

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/equation/text/cuda_text.h"
#include "sim/machine/kernel_cache.h"
#include "sim/model/step/stages.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil::equation;
using namespace stencil_test;

TEST_CASE("Texts are compiled and kept where there is a run-time compiler, and where not one line says so") {
    const OwnCache scratch;
    const Equations e = read_equations("du/dt = lap(u); left: u = 1; right: flux(u) = 0; y: insulated");
    const std::string text = cuda_text(make_program(e, scheme_of("euler"), false), false);
    if (!why_no_nvrtc().empty()) {
        const std::string why = message_of<CudaError>([&] { compiled_kernels(text, 90); });
        CHECK(why == why_no_nvrtc());
        CHECK(why.find('\n') == std::string::npos);
        CHECK(scratch.entries() == 0);
        return;
    }
    const std::string cubin = compiled_kernels(text, 90);
    CHECK(
        cubin.starts_with("\x7f"
                          "ELF"));
    CHECK(compiled_kernels(text, 90) == cubin);
    CHECK(compiled_kernels(text, 80) != cubin);
    const auto folder = scratch / "stencilscope/kernels";
    CHECK(std::distance(std::filesystem::directory_iterator(folder), {}) == 2);
    CHECK(message_of<CudaError>([&] { compile_cuda(text, 10); }).find("rchitecture") != std::string::npos);
    // For a GPU newer than the compiler, PTX is made, which the driver compiles.
    CHECK(contains(compile_cuda(text, 9990).cubin, ".entry stage0"));
    CHECK(message_of<CudaError>([&] { compile_cuda("__global__ void f() { g(); }", 90); }).find("\"g\"") !=
          std::string::npos);
}
