// Descriptions of generated code: the stages as text, and figures of kernels.

#include "kernels/equation/operations.h"
#include "sim/code/generated_code.h"
#include "sim/code/program_text.h"
#include "sim/text/names.h"
#include "tests/model/typed_run.h"
#include "tests/support/runs.h"

using namespace stencil::equation;

namespace {

constexpr const char* kGrayScott =
    "du/dt = Du*lap(u) - u*v^2 + F*(1 - u); dv/dt = Dv*lap(v) + u*v^2 - (F + K)*v;"
    "Du = 0.16; Dv = 0.08; F = 0.035; K = 0.065";

RunSpec spec_of(const std::string& text) {
    RunSpec spec = spec_of_text(text);
    spec.size = Size{2000, 1000};
    spec.dt = FixedStep{1};
    return spec;
}

// Extracts the indented lines of a printed program, which are valid model text.
std::string as_model(const std::string& printed) {
    std::istringstream lines(printed);
    std::string text;
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("  ")) text += line + "\n";
    return text;
}

}  // namespace

TEST_CASE("What is printed of a step is a text that steps alike") {
    const std::string parameters = "; c1 = 0.3; t2 = 0.7; dt = 0.05; dx = 1.5; boundary = periodic";
    for (const std::string text :
         {"du/dt = c1*lap(u) - u*v^2 + t2*(1 - u); dv/dt = 0.1*lap(v) + u*v^2 - c1*v",
          "du/dt = t2*div((1 + u)*grad(u)) - c1*u/(u + t2)",
          "du/dt = -grad2(u) + dxy(u) - up(u - t2)*dx(u) + abs(u - t2) - sqrt(u)",
          "u' = where(u > t2 or u < c1, min(u, 0.4), max(u[-1,+1], 0.35)) - floor(3*u)",
          "du/dt = -u*(v - w); dv/dt = -v*(w - u); dw/dt = -w*(u - v) - (u - (v - w))/u"}) {
        const Equations e = read_equations(text + parameters);
        const std::string printed = program_text(make_program(e, {}, true), names_of(e.parameters));
        const std::string again = as_model(printed) + parameters;
        INFO(printed);
        const stencil_test::TypedRun run{.steps = 4};
        CHECK(largest_difference(run_typed<double>(again, run), run_typed<double>(text + parameters, run)) <
              1e-13);
    }
}

TEST_CASE("Operations of a cell are counted without those that neighbours share") {
    const auto count = [](const char* text) {
        return operations_of_cell(make_program(read_equations(text), {}, false));
    };
    CHECK(count("du/dt = D*lap(u); D = 0.2") == 4);  // two for the sum, a product, a multiply-add
    CHECK(count(kGrayScott) == 14);
}

TEST_CASE("All code of an equation is there without the device that it is for") {
    const GeneratedCode cuda = generated_code(spec_of(kGrayScott), Device::cuda);
    REQUIRE(cuda.texts.size() > 1);
    CHECK(cuda.operations == 14);
    CHECK(cuda.bytes == 16);
    CHECK(cuda.why_single.empty());
    CHECK(contains(cuda.texts[0].text, "stage0"));
    for (const char* kernel : {"fused(", "resident("})
        CHECK(
            std::ranges::any_of(cuda.texts, [&](const CodeText& one) { return contains(one.text, kernel); }));
    const GeneratedCode cpu = generated_code(spec_of(kGrayScott), Device::cpu);
    REQUIRE(cpu.texts.size() == 1);
    CHECK(contains(cpu.texts[0].text, "stage0"));
    RunSpec solves = spec_of("du/dt = -lap2(u) - u^3; boundary = periodic");
    solves.integrator = equation::scheme_of("imex");
    CHECK(generated_code(solves, Device::cuda).texts.size() == 1);
    CHECK_FALSE(generated_code(solves, Device::cuda).why_single.empty());
    for (const CodeText& text : cuda.texts)
        if (const auto figures = compiler_figures(text, 90)) {
            CHECK(figures->registers > 16);
            REQUIRE(figures->occupancy);
            CHECK(figures->occupancy->blocks >= 1);
        }
}

TEST_CASE("What was measured of kernels stands beside their names, and nothing that was not") {
    const GeneratedCode cuda = generated_code(spec_of(kGrayScott), Device::cuda);
    ExecutionPath way;
    way.tried.push_back({cuda.texts[1].name, 168, 0, 2, 1311.4, true});
    way.tried.push_back({"another", 32, 8, 1, 0, false});
    const std::vector<CodeRow> rows = code_rows(cuda, way);
    REQUIRE(rows.size() == cuda.texts.size() + 1);
    CHECK_FALSE(rows[0].registers);
    CHECK(contains(figures_text(rows[0]), "not measured"));
    CHECK(rows[1].used);
    for (const char* token : {"168", "2 blocks", "1311"}) CHECK(contains(figures_text(rows[1]), token));
    way.tried[0].blocks = occupancy_of({168}, cuda.texts[1].launch, 90)->blocks;
    const CodeRow occupied = code_rows(cuda, way, 90)[1];
    REQUIRE(occupied.occupancy);
    CHECK(occupied.occupancy->warps == way.tried[0].blocks * cuda.texts[1].launch.block_x / 32);
    CHECK(contains(figures_text(occupied), "limited by " + occupied.occupancy->limited_by));
    CHECK(rows.back().name == "another");
    for (const char* token : {"8 bytes", "1 block ", "not fit"})
        CHECK(contains(figures_text(rows.back()), token));
}
