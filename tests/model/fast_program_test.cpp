// Method `fast`: its programs, its text for CUDA and the compiler's options.
#include <map>

#include "kernels/equation/cuda/nvrtc.h"
#include "kernels/equation/fused/fused_shape.h"
#include "kernels/equation/operations.h"
#include "kernels/equation/rows/scalar_machine.h"
#include "kernels/equation/text/cuda_text.h"
#include "kernels/equation/text/fused_program.h"
#include "sim/machine/kernel_cache.h"
#include "tests/model/generated_text.h"
#include "tests/model/typed_run.h"
#include "tests/support/scratch.h"

using namespace stencil::equation;

namespace {

Program fast_of(const std::string& text, bool float64 = false) {
    const Equations e = read_equations(text);
    return make_program(e, e.integrator, float64, e.dt.value_or(0.1), false, true);
}

// The value of a program's only stage at u, as the GPU's exp2 and log2 give it. Uniforms are 0.
double fast_value(const Stage& stage, float u) {
    std::vector<float> values;
    for (const Operation& o : stage.operations) {
        std::array<float, 4> a{};
        for (std::size_t k = 0; k < a.size(); ++k)
            if (o.args[k] >= 0) a[k] = values[std::size_t(o.args[k])];
        if (o.code == Code::load)
            values.push_back(u);
        else if (o.code == Code::constant)
            values.push_back(float(o.number));
        else if (o.code == Code::uniform)
            values.push_back(0);
        else if (o.code == Code::scale)
            values.push_back(a[0] * std::exp2(a[1]));
        else if (o.code == Code::exponent)
            values.push_back(std::log2(a[0]));
        else
            values.push_back(row_of(o.code)->scalar.value.of(a[0], a[1], a[2], a[3]));
    }
    return values[std::size_t(stage.outputs.front().value)];
}

}  // namespace

TEST_CASE("A fast program takes exponentials, logarithms and powers from the hardware's exp2 and log2") {
    struct Case {
        const char* text;
        double (*exact)(double);
    };
    for (const auto& [text, exact] : {Case{"u' = exp(u)", [](double u) { return std::exp(u); }},
                                      Case{"u' = log(u)", [](double u) { return std::log(u); }},
                                      Case{"u' = u^1.7", [](double u) { return std::pow(u, 1.7); }},
                                      Case{"u' = tanh(u)", [](double u) { return std::tanh(u); }},
                                      Case{"u' = erf(u)", [](double u) { return std::erf(u); }}}) {
        INFO(text);
        const Stage fast = fast_of(text).stages.front();
        for (const Code code : {Code::floor, Code::significand})
            CHECK(std::ranges::find(fast.operations, code, &Operation::code) == fast.operations.end());
        for (const float u : {0.01F, 0.3F, 0.9F, 1.5F, 7.0F})
            CHECK(fast_value(fast, u) == Approx(exact(u)).epsilon(3e-6).margin(1e-7));
    }
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const float u : {0.0F, 0.3F, kInfinity})
        CHECK(fast_value(fast_of("u' = u^p; p = 0").stages.front(), u) == 1);
    CHECK(fast_value(fast_of("u' = u^1.7").stages.front(), 0) == 0);
    CHECK(fast_value(fast_of("u' = u^(-1.7)").stages.front(), 0) == kInfinity);
    CHECK(std::isnan(fast_value(fast_of("u' = u^1.7").stages.front(), -2)));
}

TEST_CASE("Each function that the hardware has is one instruction of a fast program") {
    using Counts = std::map<Code, int>;
    const Counts exp{{Code::scale, 1}}, log{{Code::exponent, 1}};
    const Counts power{{Code::exponent, 1}, {Code::scale, 1}};
    for (const auto& [formula, of_hardware, most] : {std::tuple{"exp(u)", exp, 2},
                                                     std::tuple{"log(u)", log, 2},
                                                     std::tuple{"u^1.7", power, 9},
                                                     std::tuple{"sqrt(u)", Counts{{Code::sqrt, 1}}, 1},
                                                     std::tuple{"1/u", Counts{{Code::divide, 1}}, 1}}) {
        INFO(formula);
        const Stage stage = fast_of(std::string("u' = ") + formula).stages.front();
        CHECK(operations_of_cell(stage) <= most);
        Counts counts;
        for (const Operation& o : stage.operations)
            for (const Code code : {Code::scale, Code::exponent, Code::sqrt, Code::divide})
                if (o.code == code) ++counts[code];
        CHECK(counts == of_hardware);
    }
}

TEST_CASE("A fast program keeps what is no such function, and all operations of float64") {
    for (const char* formula : {"exp(u) - log(1 + u^2)*abs(u)^1.7", "tanh(u)*erf(u)"}) {
        INFO(formula);
        const std::string text = std::string("u' = ") + formula;
        CHECK(fast_of(text, true).fast);
        CHECK(operations_of_cell(fast_of(text, true)) ==
              operations_of_cell(program_of<double>(read_equations(text))));
    }
    const std::string plain = "u' = lap(u) - floor(3*u + 1)/(2 + u)*sin(u)*atan2(u, 3)";
    CHECK(fast_of(plain).stages == program_of<float>(read_equations(plain)).stages);
}

TEST_CASE("Only the text of a fast program uses the hardware's functions") {
    const std::string equations = "du/dt = lap(u) + exp(-u^2)/(1 + u); dt = 0.1; boundary = insulated";
    const Program program = program_of<float>(read_equations(equations)), fast = fast_of(equations);
    const FusedProgram fused(program), fast_fused(fast);
    const FieldCells size{2000, 2000};
    const auto shapes = kernel_shapes(fused, false, size, {}).all;
    REQUIRE_FALSE(shapes.empty());
    std::vector<std::pair<std::string, std::string>> texts{
        {cuda_text(program, false), cuda_text(fast, false)}};
    for (const KernelShape& shape : shapes)
        texts.emplace_back(text_of(fused, false, size, shape), text_of(fast_fused, false, size, shape));
    for (const auto& [exact, contracted] : texts)
        for (const char* name : {"__fdividef", "exp2f", "sqrtf\n"}) {
            CHECK_FALSE(contains(exact, name));
            CHECK(contains(contracted, name));
        }
    if (!why_no_nvrtc().empty()) return;
    const CodeTarget target{90}, fast_target{.capability = 90, .fast = true};
    CHECK(contains(nvrtc_options(target), "--fmad=false --ftz=true"));
    CHECK(contains(nvrtc_options(fast_target), "--use_fast_math"));
    CHECK_FALSE(contains(nvrtc_options(fast_target), "--fmad"));
    // The same text for both is two entries of the cache.
    const OwnCache scratch;
    CHECK(compiled_kernels(texts.front().first, target) !=
          compiled_kernels(texts.front().first, fast_target));
    CHECK(std::distance(std::filesystem::directory_iterator(scratch / "stencilscope/kernels"), {}) == 2);
    CHECK(compile_cuda(texts.front().second, fast_target).cubin.starts_with("\177ELF"));
}

TEST_CASE(
    "A fast program takes fewer operations where a component has its own Laplacian, and keeps a flat field "
    "flat") {
    for (const char* text :
         {"du/dt = 0.16*lap(u) - u*v^2 + 0.05*(1 - u); dv/dt = 0.08*lap(v) + u*v^2 - 0.1*v; dt = 1",
          "du/dt = lap(u); dt = 0.15; laplacian = isotropic",
          "du/dt = 0.7*lap(u); dt = 0.3"}) {
        INFO(text);
        const Equations e = read_equations(std::string(text) + "; boundary = insulated");
        const double dt = *e.dt;
        const Program exact = make_program(e, e.integrator, false, dt);
        const Program fast = make_program(e, e.integrator, false, dt, false, true);
        const double fewer = operations_of_cell(exact) - operations_of_cell(fast);
        CHECK(fewer >= (contains(text, "0.05") ? 3 : 0));
        // What is left of the program on a CPU, which rounds as the GPU does but for contraction.
        TypedRun run;
        ThreadPool pool(1);
        EquationStepper<float> stepper(fast, setup_of(e, run), pool);
        constexpr float kFlat = 0.7F;
        for (int c = 0; c < fast.components; ++c)
            for (int y = 0; y < run.ny; ++y)
                for (int x = 0; x < run.nx; ++x) stepper.array(c).at(x, y) = c == 0 ? kFlat : 0;
        stepper.advance(2000);
        // Insulated and without v, the sum of u follows from its own rate alone: 1 - u decays by 1 - dt F a
        // step.
        const double rest =
            contains(text, "0.05") ? 1 - (1 - double(kFlat)) * std::pow(0.95, 2000) : double(kFlat);
        CHECK(stepper.array(0).at(5, 7) == Approx(rest).epsilon(3e-5));
    }
}
