// Sources of user kernels: launch configuration in comments, and compiler errors.

#include "sim/user_kernel/user_kernel.h"

#include "kernels/equation/cuda/nvrtc.h"
#include "sim/model/model.h"
#include "sim/text/embedded.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"

using namespace stencil::user_kernel;

namespace {

const std::string kHead = "extern \"C\" __global__ void step(From from, To to, Size size, Parameters p) {\n";

Compiled compiled(const std::string& text, const RunSpec& spec = RunSpec()) {
    return compile(entry_of(spec), read_launch_shape(text, "heat.cu"), text, "heat.cu", 90);
}

std::string mistake(const std::string& text) {
    const std::string what = message_of<InputError>([&] { compiled(text); });
    CHECK(what.find('\n') == std::string::npos);
    return what;
}

std::string shape_mistake(const std::string& text) {
    return message_of<InputError>([&] { read_launch_shape(text, "heat.cu"); });
}

}  // namespace

TEST_CASE("Comments say how a kernel is launched, and what they leave out is as usual") {
    const LaunchShape usual =
        read_launch_shape("// no word for us\nint x; // stencilscope: tile 1x1\n", "heat.cu");
    CHECK(usual.block_x == 32);
    CHECK(usual.tile_y == 8);
    CHECK(usual.entry() == "step");
    const LaunchShape all = read_launch_shape(
        "  // stencilscope: block 64x4, tile 64x16\r\nint x;\n//stencilscope:steps 4,shared 20480\n",
        "heat.cu");
    CHECK(all.block_x == 64);
    CHECK(all.block_y == 4);
    CHECK(all.tile_x == 64);
    CHECK(all.tile_y == 16);
    CHECK(all.steps == 4);
    CHECK(all.entry() == "steps");
    CHECK(all.shared_bytes == 20480);
}

TEST_CASE("A comment that cannot be understood is told with its line and what is allowed") {
    CHECK(contains(shape_mistake("\n// stencilscope: blok 8x8"), "line 2"));
    CHECK(contains(shape_mistake("// stencilscope: blok 8x8"), "'block'"));
    CHECK(contains(shape_mistake("// stencilscope: block 8"), "32x8"));
    CHECK(contains(shape_mistake("// stencilscope: block 64x64"), "1024"));
    CHECK(contains(shape_mistake("// stencilscope: block 0x8"), "block"));
    CHECK(contains(shape_mistake("// stencilscope: steps many"), "steps"));
    CHECK(contains(shape_mistake("// stencilscope:"), "allowed"));
}

TEST_CASE("The kernels to start from compile in both precisions under every boundary") {
    if (!equation::why_no_nvrtc().empty()) skip_without_gpu(equation::why_no_nvrtc());
    REQUIRE(embedded_kernels().size() >= 3);
    for (const EmbeddedFile& file : embedded_kernels())
        for (const BoundaryRow& row : kBoundaries)
            for (const DType dtype : {DType::float32, DType::float64}) {
                INFO(file.name);
                RunSpec spec;
                spec.boundary = row.boundary;
                spec.dtype = dtype;
                const Compiled made = compiled(std::string(file.text), spec);
                CHECK(made.cubin.size() > 100);
                CHECK(made.usage.registers > 5);
                CHECK(made.usage.spill_bytes == 0);
            }
}

TEST_CASE("Mistakes are told with the line as it is counted in the file") {
    if (!equation::why_no_nvrtc().empty()) skip_without_gpu(equation::why_no_nvrtc());
    const std::string unknown = mistake("// one\n" + kHead + "    to.u[0] = p.cc;\n}");
    CHECK(contains(unknown, "heat.cu, line 3"));
    CHECK(contains(unknown, "\"cc\""));
    CHECK(contains(unknown, "to.u[0] = p.cc;"));
    CHECK(contains(unknown, "(struct Parameters { real c; })"));
    CHECK(contains(mistake("#include <stdio.h>\n" + kHead + "}"), "leave this #include out"));
    CHECK(contains(mistake(kHead + "real a = b; real c = d;\n}"), "2 mistakes"));
}

TEST_CASE("Names that C++ takes for its own, and letters that it does not know, have others in a kernel") {
    RunSpec spec;
    spec.use_model(model_of_text(
        "dγ/dt = λ*lap(γ) + default*Ω - typedef*é + χ_1; λ = 1; default = 1; Ω = 1; typedef = 1; "
        "é = 1; χ_1 = 1; dt = 0.1; dx = 1",
        "named"));
    const Entry entry = entry_of(spec);
    CHECK(entry.components == std::vector<std::string>{"gamma"});
    CHECK(entry.parameters ==
          std::vector<std::string>{"lambda", "default_", "Omega", "typedef_", "u00e9", "chi_1", "dt", "dx"});
    spec.use_model(model_of_text("du/dt = λ*lap(u) + lambda; λ = 1; lambda = 2; dt = 0.1; dx = 1", "twice"));
    CHECK(contains(message_of<InputError>([&] { entry_of(spec); }), "lambda"));
}

TEST_CASE("All that C++ reserves is compiled as the name of a parameter") {
    if (!equation::why_no_nvrtc().empty()) skip_without_gpu(equation::why_no_nvrtc());
    std::string text = "dγ/dt = lap(γ)";
    std::string values, sum = "0";
    for (const std::string& name :
         words("alignas bitand constexpr continue decltype default dynamic_cast mutable "
               "noexcept nullptr static_assert thread_local typedef volatile é")) {
        text += " + " + name;
        values += "; " + name + " = 1";
        if (name != "é") sum += " + p." + name + "_";
    }
    RunSpec spec;
    spec.use_model(model_of_text(text + values + "; dt = 0.1; dx = 1", "reserved"));
    CHECK(compiled(kHead + "to.gamma[0] = from.gamma[0] + p.u00e9 + " + sum + ";\n}", spec).usage.registers >
          0);
    const std::string what =
        message_of<InputError>([&] { compiled("// one\n" + kHead + "to.gamma[0] = p.volatile;\n}", spec); });
    CHECK(contains(what, "heat.cu, line 3"));
}

TEST_CASE("An entry that is missing, hidden or different is told with the right one") {
    if (!equation::why_no_nvrtc().empty()) skip_without_gpu(equation::why_no_nvrtc());
    for (const std::string text :
         {"",
          "extern \"C\" __global__ void heat(From from, To to, Size size, Parameters p) {}",
          "extern \"C\" __global__ void step(float* u, To to, Size size, Parameters p) {}",
          "__global__ void step(From from, To to, Size size, Parameters p) {}"}) {
        INFO(text);
        CHECK(contains(mistake(text), "void step(From from, To to, Size size, Parameters p)"));
    }
    CHECK(contains(mistake("// stencilscope: steps 4\n" + kHead + "}"), "Parameters p, int n)"));
}

TEST_CASE("What is too large for a GPU is told before it is launched") {
    if (!equation::why_no_nvrtc().empty()) skip_without_gpu(equation::why_no_nvrtc());
    CHECK(contains(mistake(kHead + "__shared__ real t[100000]; t[threadIdx.x] = p.c; __syncthreads();\n"
                                   "to.u[0] = t[blockDim.x - threadIdx.x];\n}"),
                   "shared"));
    std::string many = "// stencilscope: block 32x32\n" + kHead + "real a[100];\n#pragma unroll\n";
    many += "for (int i = 0; i < 100; ++i) a[i] = from.u[i * size.nx];\n__syncthreads();\n#pragma unroll\n";
    many += "for (int i = 0; i < 100; ++i) to.u[i] = a[99 - i];\n}";
    CHECK(contains(mistake(many), "__launch_bounds__"));
}
