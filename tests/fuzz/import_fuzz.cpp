// Fuzzes the readers of links and of other programs' files: texts in links, compressed links, options of
// VisualPDE and patterns of Ready.
#include "sim/import/importers.h"
#include "sim/import/lz_string.h"
#include "sim/import/model_file.h"
#include "sim/model/text/statements.h"
#include "sim/model/text/tokens.h"
#include "tests/fuzz/fuzz.h"

using namespace stencil;

namespace stencil_fuzz {
namespace {

constexpr std::size_t kMost = 10'000;

// Notes become lines of comments, and must not end them.
void check(const import::Imported& from) {
    for (const std::string& note : from.notes)
        require(note.find('\n') == std::string::npos, "a note is one line", note);
    require(!from.text.empty(), "there is a text");
    equation::readable_statements(from.text);
}

void run_one(std::string_view input) {
    accepted([&] {
        const std::string text = decompress_lz_string(input, kMost);
        require(text.size() <= 3 * kMost, "the text is as long as was allowed at most");
    });
    accepted([&] {
        const std::string text = text_of_link(std::string(kTextLink) + std::string(input));
        require(text.size() <= equation::kMaxText, "a link's text is as long as a text may be");
        require(text_of_link(link_of_text(text)) == text, "a link carries any text");
    });
    accepted([&] {
        check(
            import::model_of_visualpde(import::Options::of_link("https://x/?options=" + std::string(input))));
    });
    accepted([&] { check(import::model_of_visualpde(import::Options::read(input))); });
    accepted([&] { check(import::model_of_ready(input)); });
}

std::vector<std::string> seeds() {
    return {
        "N4IgDghgFgNiBcBGAzAGhAJwPYFcMFN4AGAXyA",
        "eNpLKdVPKVGwVXDRykks0CjVtFZwAfIM9AwVMvMUog10gEyjWAC-5wlV",
        R"({"reactionStr_1": "u*v^2-ind(x<L_x/2)*u[x+dx,y-dy]", "kineticParams": "D=1 in [0,0.1,2];b=2*D", "numSpecies": "2",
            "boundaryConditions_1": "combo", "comboStr_1": "Left: Dirichlet = sin(t); Right: Neumann = 0; Top: Robin = u;",
            "crossDiffusion": true, "numAlgebraicSpecies": 1, "diffusionStr_1_2": "D;b", "views": [{"name": "a"}]})",
        "presets[\"a\"] = {domainIndicatorFun: 'x^2 > 3', domainViaIndicatorFun: true, dt: 0x1, minX: "
        "\"-L_x/2\",};",
        R"(<VTKFile type="ImageData"><RD><rule type="formula" name="n" wrap="0"><param name="k">0.1</param>
            <formula number_of_chemicals="2">float4 s = sobelN_a; a = clamp(a, 0.0f, 1.0f); delta_b = s*laplacian_a; b += a_ne;
            </formula></rule><initial_pattern_generator><overlay chemical="a"><add/><white_noise low="0" high="1"/><circle
            radius="0.2"><point3D x="0.5" y="0.5" z="0"/></circle></overlay></initial_pattern_generator></RD>
            <ImageData WholeExtent="0 63 0 63 0 0"/></VTKFile>)",
    };
}

const Target target("import", run_one, seeds);

}  // namespace
}  // namespace stencil_fuzz
