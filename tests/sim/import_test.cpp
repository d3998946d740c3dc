// Files and links of VisualPDE and Ready as models. Every text here is written for its test.
#include <regex>

#include "sim/import/importers.h"
#include "sim/import/lz_string.h"
#include "sim/import/model_file.h"
#include "sim/model/equations.h"
#include "sim/problem/run_spec.h"
#include "sim/problem/settings/settings.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"
#include "tests/support/catch.h"
#include "tests/support/runs.h"

using namespace stencil::import;
using equation::read_equations;

namespace {

Imported visualpde(const std::string& options) {
    return model_of_visualpde(Options::read(options));
}

// One species u that only the given options describe.
std::string one(const std::string& options) {
    std::string all = options;
    for (const std::string option : {R"("numSpecies": 1)",
                                     R"("speciesNames": "u")",
                                     R"("reactionStr_1": "0")",
                                     R"("diffusionStr_1_1": "0")",
                                     R"("initCond_1": "0")"})
        if (options.find(option.substr(0, option.find(':'))) == std::string::npos) all += ", " + option;
    return visualpde("{" + all + "}").text;
}

bool has_line(const std::string& text, const std::string& line) {
    return ('\n' + text).find('\n' + line + '\n') != std::string::npos;
}

std::string ready(const std::string& rule,
                  const std::string& more = "",
                  const std::string& extent = "0 31 0 15 0 0") {
    return model_of_ready("<VTKFile type=\"ImageData\"><RD format_version=\"1\">" + rule + more +
                          "</RD><ImageData WholeExtent=\"" + extent + "\" Spacing=\"1 1 1\"/></VTKFile>")
        .text;
}

std::string formula(const std::string& code, int chemicals = 2) {
    const std::string escaped =
        std::regex_replace(std::regex_replace(code, std::regex("&"), "&amp;"), std::regex("<"), "&lt;");
    return ready(
        "<rule type=\"formula\" name=\"Trial\"><param name=\"k\"> 0.5 </param><param name=\"timestep\"> 0.25 "
        "</param><formula number_of_chemicals=\"" +
        std::to_string(chemicals) + "\">" + escaped + "</formula></rule>");
}

bool refuses(const std::function<void()>& read, std::string_view why) {
    return contains(message_of<InputError>(read), why);
}

// The options {"rU": "1-u", "dUU": "2", "n": 1, "dt": 0.01, "sq": true, "sn": "u"}.
const std::string kOptions = "N4IgTgqiBcIIwFoCuIA0IAmEqwExpADsY50MAXGABgDorSQBnARxnLCQFN1HjYUAvkA";

}  // namespace

TEST_CASE("Compressed text becomes what it was: repeats, wide characters and pairs of them") {
    CHECK(decompress_lz_string("IY18ZWUA", 1000) == std::string(43, 'a'));
    CHECK(decompress_lz_string("JeGoJLwbgAewBI3cBA", 1000) == "é€😀 λ");
    CHECK(decompress_lz_string(kOptions, 1000).starts_with("{\"rU\":\"1-u\",\"dUU\":\"2\""));
    CHECK_THROWS_AS(decompress_lz_string("IY18ZWUA", 42), InputError);
    CHECK_THROWS_AS(decompress_lz_string("IY18", 1000), InputError);
    CHECK_THROWS_AS(decompress_lz_string("IY1*", 1000), InputError);
    CHECK_THROWS_AS(decompress_lz_string("", 1000), InputError);
}

TEST_CASE("A link of VisualPDE has its options in it, with short names, and nothing is fetched") {
    const FoundModel found = open_model("https://visualpde.com/sim/?options=" + kOptions);
    CHECK(has_line(found.model->text, "du/dt = 2*lap(u) + 1-u"));
    CHECK(found.model->equations->dt == 0.01);
    CHECK(found.range == "0:1");
    const auto said = [](const std::string& link) {
        return message_of<InputError>([&] { open_model(link); });
    };
    CHECK(said("https://visualpde.com/sim/?preset=waves").find("nothing is fetched") != std::string::npos);
    CHECK(said("https://visualpde.com/sim/").find("no ?options=") != std::string::npos);
    CHECK(said("https://visualpde.com/sim/?options=!!").find("damaged") != std::string::npos);
}

TEST_CASE("Species of VisualPDE become equations: diffusion, cross diffusion, algebraic ones, time scales") {
    const std::string text =
        visualpde(
            R"({"numSpecies": "3", "speciesNames": "T, S w", "crossDiffusion": true, "numAlgebraicSpecies": 1,
        "diffusionStr_1_1": "D", "diffusionStr_1_2": "-2", "diffusionStr_2_2": "1 + S^2", "diffusionStr_3_3": "0",
        "reactionStr_1": "-T*w", "reactionStr_2": "0", "reactionStr_3": "T + S", "kineticParams": "D = 0.5;",
        "timescales": true, "timescale_2": "4"})")
            .text;
    CHECK(has_line(text, "dT/dt = D*lap(T) + (-2)*lap(S) + (-T*w)"));
    CHECK(has_line(text, "dS/dt = (div((1 + S^2)*grad(S)))/4"));
    CHECK(has_line(text, "w' = T + S"));
    CHECK(has_line(text, "D = 0.5"));
}

TEST_CASE("With stages, an algebraic species of VisualPDE is a definition, which has no lag") {
    const Imported from = visualpde(
        R"({"crossDiffusion": true, "numAlgebraicSpecies": 1, "diffusionStr_2_1": "1", "diffusionStr_2_2": "0",
            "reactionStr_2": "u", "timesteppingScheme": "RK4"})");
    CHECK(has_line(from.text, "v = 1*lap(u) + u"));
    CHECK(has_line(from.text, "integrator = rk4"));
}

TEST_CASE(
    "Parameters of VisualPDE keep their ranges and formulas, and take other names where theirs are taken") {
    const std::string text = one(
        R"("kineticParams": "a = 0.5 in [0,0.1,2]; b=2*a; step = 3; U_t = 7 in [8, 9]; b = a^2", "reactionStr_1": "b*step + U_t")");
    CHECK(has_line(text, "a = 0.5 in [0, 2]"));
    CHECK(has_line(text, "b = a^2"));
    CHECK(has_line(text, "p_step = 3"));
    CHECK(has_line(text, "p_U_t_p = 7 in [7, 9]"));
    CHECK(has_line(text, "du/dt = b*p_step + p_U_t_p"));
}

TEST_CASE("VisualPDE's y points up: places, derivatives and neighbours turn, and top stays top") {
    const std::string text =
        one(R"("reactionStr_1": "y*u_y + u_x + u_yf + u_yy + u[x+dx,y-2*dy]", "boundaryConditions_1": "combo",
        "comboStr_1": "Top: Dirichlet = y; Bottom: Neumann = 2; Left: Robin = 1 - u; Right: Dirichlet = sin(t);")");
    CHECK(has_line(text, "du/dt = y_up*(-dy(u)) + dx(u) + (-dyb(u)) + dyy(u) + u[+1,+2]"));
    CHECK(has_line(text, "y_up = Ly - y"));
    CHECK(has_line(text, "top: u = (Ly - y)"));
    CHECK(has_line(text, "bottom: flux(u) = 2"));
    CHECK(has_line(text, "left: flux(u) = 1 - u"));
    CHECK(has_line(text, "right: u = sin(t)"));
}

TEST_CASE("Words of VisualPDE are written as what they mean there") {
    const std::string text = one(
        R"("reactionStr_1": "ind(x/L) + ind(u > 0.5 && !(u < 1)) + float(L_min) + RAND + RANDN + WhiteNoise", "minX": "-L_x/2")");
    CHECK(has_line(text,
                   "du/dt = (x_at/max(Lx, Ly)) + ind(u > 0.5 and not (u < 1)) + (min(Lx, Ly)) + random + "
                   "normal + p_noise"));
    CHECK(has_line(text, "x_at = x + (-Lx/2)"));
    CHECK(has_line(text, "p_noise = normal/(sqrt(dt)*dx)"));
}

TEST_CASE("The domain of VisualPDE is where its function is positive, unless it is a condition") {
    CHECK(has_line(one(R"("domainViaIndicatorFun": true, "domainIndicatorFun": "9 - x^2")"),
                   "inside = 9 - x^2 > 0"));
    CHECK(has_line(one(R"("domainViaIndicatorFun": true, "domainIndicatorFun": "x > 3 || y < 2")"),
                   "inside = x > 3 or y_up < 2"));
    const Imported moving = visualpde(R"({"domainViaIndicatorFun": true, "domainIndicatorFun": "x < t"})");
    CHECK(has_line(moving.text, "inside = x < t"));
    REQUIRE(!moving.notes.empty());
    CHECK(moving.notes.front().find("the moving domain x < t") != std::string::npos);
    CHECK(has_line(one(R"("domainViaIndicatorFun": true, "domainIndicatorFun": "u < 0.5")"),
                   "inside = u < 0.5"));
    CHECK(has_line(one(R"("domainViaIndicatorFun": true, "domainIndicatorFun": "u_x < 0.5")"), "inside =") ==
          false);
}

TEST_CASE("What holds at the sides of VisualPDE's field holds at the edge of its domain") {
    const std::string text = one(
        R"("domainViaIndicatorFun": true, "domainIndicatorFun": "9 - x^2", "numSpecies": 3, "speciesNames": "u v w",
        "boundaryConditions_1": "dirichlet", "dirichletStr_1": "2*y", "boundaryConditions_2": "neumann", "neumannStr_2": "0.1*u",
        "boundaryConditions_3": "neumann", "neumannStr_3": "0")");
    CHECK(has_line(text, "edge: u = 2*(Ly - y)"));
    CHECK(has_line(text, "all: u = 2*(Ly - y)"));
    CHECK(has_line(text, "edge: flux(v) = 0.1*u"));
    CHECK(has_line(text, "all: flux(v) = 0.1*u"));
    CHECK(text.find("edge: flux(w)") == std::string::npos);
    CHECK_NOTHROW(read_equations(text));
    const Imported sides = visualpde(
        R"({"domainViaIndicatorFun": true, "domainIndicatorFun": "9 - x^2", "numSpecies": 2, "boundaryConditions_1": "combo",
        "comboStr_1": "Left: Dirichlet = 2; Right: Dirichlet = 2; Top: Dirichlet = 2; Bottom: Dirichlet = 2;",
        "boundaryConditions_2": "combo", "comboStr_2": "Left: Dirichlet = 1; Right: Dirichlet = 2;"})");
    CHECK(has_line(sides.text, "edge: u = 2"));
    CHECK(sides.text.find("edge: v") == std::string::npos);
    REQUIRE(sides.notes.size() == 1);
    CHECK(sides.notes[0].find("which differ by side") != std::string::npos);
    CHECK_NOTHROW(read_equations(sides.text));
}

TEST_CASE("Schemes and integrals of VisualPDE are those that mean the same here") {
    CHECK(has_line(one(R"("timesteppingScheme": "AB2")"), "integrator = ab2"));
    CHECK(has_line(one(R"("timesteppingScheme": "Mid")"), "integrator = midpoint"));
    CHECK(has_line(one(R"("reactionStr_1": "1 - GlobalInt", "globalIntegralFun": "u^2")"),
                   "du/dt = 1 - integral(u^2)"));
    CHECK(has_line(one(R"("reactionStr_1": "GlobalInt/L", "globalIntegralFun": "u", "dimension": 1)"),
                   "du/dt = integral(u)/max(Lx, Ly)"));
}

TEST_CASE("Pictures of VisualPDE keep their channels and places, and wait for a file") {
    const std::string text = one(R"("reactionStr_1": "I_SR*u + I_T(x+dx,y/2) - I_T", "minX": "-3")");
    CHECK(has_line(text, "du/dt = I_SR*u + I_T(x_at+dx - (-3), Ly - (y_up/2)) - I_T"));
    CHECK(has_line(text, "I_S = 0"));
    CHECK(has_line(text, "I_T = 0"));
    CHECK_NOTHROW(read_equations(text));
    std::string with = text;
    with.replace(with.rfind("I_T = 0"), 7, "I_T = image(\"f.png\", mean)");
    const auto e = read_equations(with);
    REQUIRE(e.data.size() == 2);
    CHECK(e.data[0].place.has_value() != e.data[1].place.has_value());
}

TEST_CASE("Settings of VisualPDE: size, spacing, step, scheme, title, what is shown and its range") {
    const Imported from =
        visualpde(R"({"domainScale": "10", "spatialStep": "L0/4", "kineticParams": "L0 = 2", "dt": "0.001",
        "timesteppingScheme": "RK4", "simTitle": "A \"title\"", "whatToPlot": "u + v", "colourmap": "greyscale",
        "minColourValue": "-1", "maxColourValue": "L0", "brushRadius": 3, "brushValue": "1", "emboss": true})");
    CHECK(has_line(from.text, "dx = 0.5;  dt = 0.001"));
    CHECK(has_line(from.text, "size = 20x20"));
    CHECK(has_line(from.text, "integrator = rk4"));
    CHECK(has_line(from.text, "title = \"A title\""));
    CHECK(has_line(from.text, "shown = u + v"));
    CHECK(has_line(from.text, "show = shown"));
    CHECK(has_line(from.text, "colormap = grey"));
    CHECK(from.range == "-1:2");
    CHECK(from.notes ==
          std::vector<std::string>{"not carried over: brush settings", "not carried over: lighting"});
    CHECK(has_line(one(R"("dimension": 1)"), "size = 200x1"));
}

TEST_CASE("A preset is read as JavaScript, with names as they were before, and its active view counts") {
    const Imported from = visualpde(
        "presets[\"Mine\"] = {\n  // a comment\n  numSpecies: 1, reactionStrU: 'u*(1-u)', clearValueU: "
        "\"RAND\",\n  backgroundColour: 0xffffff,\n  activeViewInd: 1, views: [{whatToPlot: 'u'}, "
        "{whatToPlot: 'u^2', maxColourValue: 5}],\n};\n");
    CHECK(has_line(from.text, "du/dt = 0.04*lap(u) + u*(1-u)"));
    CHECK(has_line(from.text, "u(0) = random"));
    CHECK(has_line(from.text, "shown = u^2"));
    CHECK(from.range == "0:5");
    CHECK(from.notes.empty());
}

TEST_CASE(
    "Further views of VisualPDE are definitions to switch to, with their colours, and its arrows are "
    "arrows") {
    const Imported from = visualpde(
        R"js({"numSpecies": 2, "vectorField": true, "arrowX": "v_y", "arrowY": "-v_x*y", "kineticParams": "k = 2",
        "views": [{"whatToPlot": "u", "name": "first", "colourmap": "viridis", "flippedColourmap": true,
        "minColourValue": "0", "maxColourValue": "3"}, {"whatToPlot": "u*v", "name": "A<br />product",
        "colourmap": "thermal", "flippedColourmap": true, "minColourValue": "-1", "maxColourValue": "k"}, {"whatToPlot": "v", "colourmap": "thermal", "autoSetColourRange": true},
        {"whatToPlot": "k*u + y", "name": "more", "colourmap": "lavaflow", "autoSetColourRange": true,
        "minColourValue": "0", "maxColourValue": "3"}, {"whatToPlot": "u*v"}]})js");
    CHECK(has_line(from.text, "view2 = u*v"));
    CHECK(has_line(from.text, "view3 = k*u + y_up"));
    CHECK(from.text.find("view4") == std::string::npos);
    CHECK(from.arrows == "(-dy(v)),-(-dx(v)*(Ly - y))");
    CHECK(from.notes == std::vector<std::string>{"not carried over: the colours lavaflow of the view more"});
    CHECK(has_line(from.text, "colormap = viridis_r"));
    CHECK(from.range == "0:3");
    CHECK(from.colors == std::vector<std::string>{"view2=thermal,-1:2", "v=thermal", "view3="});
    CHECK_NOTHROW(read_equations(from.text, {"(-dy(v))", "-(-dx(v)*(Ly - y))", "view3"}));
}

TEST_CASE(
    "A ghost cell of VisualPDE and the outermost cells have their meaning, and a condition may name another "
    "species") {
    const Imported from = visualpde(
        R"({"boundaryConditions_1": "combo", "comboStr_1": "Left: Ghost = 3; Right: Dirichlet = 2*exterior;",
        "boundaryConditions_2": "dirichlet", "dirichletStr_2": "u", "colourmap": "lavaflow", "domainViaIndicatorFun": true,
        "domainIndicatorFun": "I_S < 0.5"})");
    CHECK(has_line(from.text, "left: u + 0.5*dx*flux(u) = 3"));
    CHECK(has_line(from.text, "right: u = 2*1"));
    CHECK(has_line(from.text, "all: v = u"));
    CHECK(has_line(from.text, "I_S = 0"));
    REQUIRE(from.notes.size() == 4);
    CHECK(from.notes[1] ==
          "not carried over: the domain of a picture: add inside = I_S < 0.5; edge: v = u for it");
    CHECK(from.notes.back() == "not carried over: the colours lavaflow");
    CHECK_NOTHROW(read_equations(from.text));
}

TEST_CASE("Conditions of VisualPDE that name other species step as those of a text that is written by hand") {
    const Imported from = visualpde(
        R"({"numSpecies": 2, "speciesNames": "u v", "spatialStep": "0.5", "dt": "0.01", "diffusionStr_1_1": "1",
        "diffusionStr_2_2": "0.5", "reactionStr_1": "-u*v", "reactionStr_2": "u", "initCond_1": "1", "initCond_2": "x",
        "boundaryConditions_1": "neumann", "neumannStr_1": "-v^2", "boundaryConditions_2": "combo",
        "comboStr_2": "Left: Dirichlet = 2*u; Right: Neumann = 0; Top: Neumann = u*v; Bottom: Neumann = 0.1"})");
    CHECK(from.notes.empty());
    const auto cells = [](const std::string& text) {
        RunSpec spec = run_of_text(text);
        spec.size = Size{12, 9};
        spec.dtype = DType::float64;
        Simulation run = begun(spec);
        run.apply(Advance{20});
        std::vector<double> all;
        for (const Field& field : run.solver().state().components)
            for (const double cell : cells_of(field)) all.push_back(cell);
        return all;
    };
    const auto found = cells(from.text),
               expected = cells(
                   "du/dt = lap(u) - u*v; dv/dt = 0.5*lap(v) + u; u(0) = 1; v(0) = x; dx = 0.5; dt = 0.01; "
                   "all: flux(u) = -v^2; left: v = 2*u; right: flux(v) = 0; top: flux(v) = u*v; "
                   "bottom: flux(v) = 0.1");
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) REQUIRE(found[i] == Approx(expected[i]).epsilon(1e-12));
}

TEST_CASE("What VisualPDE only shows is left out where it cannot be said, and one dimension has two sides") {
    const Imported from = visualpde(
        R"js({"views": [{"whatToPlot": "u[x/2,y]"}, {"whatToPlot": "u[x/3,y]", "name": "far"}, {"whatToPlot": "u*v"}],
        "vectorField": true, "arrowX": "u[x/2,y]", "arrowY": "v"})js");
    CHECK(from.notes.size() == 3);
    CHECK(from.notes.at(0).find("what is shown, u[x/2,y]") != std::string::npos);
    CHECK(from.notes.at(1).find("the view far") != std::string::npos);
    CHECK(has_line(from.text, "view2 = u*v"));
    CHECK_NOTHROW(read_equations(from.text));
    CHECK(has_line(one(R"("dimension": 1, "boundaryConditions_1": "dirichlet", "dirichletStr_1": "t")"),
                   "x: u = t"));
}

TEST_CASE("What cannot be said is refused in one line") {
    CHECK(refuses([] { visualpde(R"({"parent": "waves"})"); }, "differs from the preset waves"));
    CHECK(refuses([] { visualpde(R"({"numSpecies": 9})"); }, "must be 1 to 4"));
    CHECK(refuses([] { visualpde(R"({"dt": "fast"})"); }, "dt is fast"));
    CHECK(refuses([] { visualpde("[1, 2"); }, "not an object"));
    CHECK(refuses([] { one(R"("reactionStr_1": "u[x/2,y]")"); }, "no counterpart"));
    CHECK(refuses([] { one(R"("reactionStr_1": "(u")"); }, "never closed"));
    CHECK(refuses(
        [] {
            read_equations(one(
                R"("kineticParams": "a = b; b = a", "boundaryConditions_1": "neumann", "neumannStr_1": "a")"));
        },
        "in a circle"));
}

TEST_CASE("A formula of Ready becomes equations, with its parameters and settings") {
    const std::string text =
        formula("delta_a = k*laplacian_a - a*b; // and\n delta_b = bilaplacian_b + y_gradient_a + a_ne;", 3);
    CHECK(has_line(text, "da/dt = k*lap(a) - a*b"));
    CHECK(has_line(text, "db/dt = bilaplacian_b + (-dy(a)) + a_ne"));
    CHECK(has_line(
        text,
        "bilaplacian_b = (b[-1,-2] + b[+0,-2] + b[+1,-2] + b[-2,-1] - 2*b[-1,-1] - 10*b[+0,-1] - "
        "2*b[+1,-1] + b[+2,-1] + b[-2,+0] - 10*b[-1,+0] + 36*b - 10*b[+1,+0] + b[+2,+0] + b[-2,+1] - "
        "2*b[-1,+1] - 10*b[+0,+1] - 2*b[+1,+1] + b[+2,+1] + b[-1,+2] + b[+0,+2] + b[+1,+2])/(3*dx^4)"));
    CHECK(has_line(text, "c' = c"));
    CHECK(has_line(text, "k = 0.5"));
    CHECK(has_line(text, "dx = 1;  dt = 0.25"));
    CHECK(has_line(text, "size = 32x16"));
    CHECK(has_line(text, "boundary = periodic"));
    CHECK(has_line(text, "laplacian = isotropic"));
    CHECK(has_line(text, "title = \"Trial\""));
}

TEST_CASE("Statements of Ready count in their order: what is written directly is the value from there on") {
    const std::string text = formula(
        "float4 s = a*2.0f; a = clamp(a, 0.0f, (float4)1); delta_a = s + laplacian_a*a; b += a*timestep; "
        "delta_b = delta_a;");
    CHECK(has_line(text, "s = a*2.0"));
    CHECK(has_line(text, "a_1 = clamp(a, 0.0, 1)"));
    CHECK(has_line(text, "rate_a = s + lap(a)*a_1"));
    CHECK(has_line(text, "a' = a_1 + dt*rate_a"));
    CHECK(has_line(text, "b_1 = b + a_1*dt"));
    CHECK(has_line(text, "b' = b_1 + dt*rate_b"));
}

TEST_CASE("Loops, arrays and branches of Ready are written out") {
    const std::string text = formula(
        "float g[2]; for (int i = 0; i < 2; ++i) g[i] = a*(i + 1); if (a > k) { delta_a = g[0]; b = 0; } "
        "else delta_a = a > 0.1f ? 1 : g[1];");
    CHECK(has_line(text, "g_at_0 = a*(0 + 1)"));
    CHECK(has_line(text, "branch = ind(a > k)"));
    CHECK(has_line(text, "rate_a = where(branch > 0, g_at_0, 0)"));
    CHECK(has_line(text, "da/dt = where(branch <= 0, where(a > 0.1, 1, g_at_1), rate_a)"));
    CHECK(has_line(text, "b' = where(branch > 0, 0, b)"));
    CHECK_NOTHROW(read_equations(text));
}

TEST_CASE("Blocks, whole numbers and conditions of Ready have the meaning that they have in C") {
    const std::string text = formula(
        "float s = a; int n = 3; n += 4; if (a && !(b)) { float s = 2; delta_a = s + 1/2; s = 3; } "
        "for (int i = 0; i < 4; i++) { float q = i/2*a; b += q; } delta_b = s*(n/2) + 7.0f/2 - a*1/2;");
    CHECK(has_line(text, "s = a"));
    CHECK(has_line(text, "branch = ind(a != 0 and not (b != 0))"));
    CHECK(has_line(text, "s_2 = where(branch > 0, 2, s)"));
    CHECK(has_line(text, "da/dt = where(branch > 0, s_2 + 0, 0)"));
    CHECK(has_line(text, "q = 0*a"));
    CHECK(has_line(text, "rate_b = s*(3) + 7.0/2 - a*1/2"));
    CHECK_NOTHROW(read_equations(text));
    CHECK(refuses([] { formula("int n = a; delta_a = n;"); }, "an int that is not a number"));
    CHECK(refuses([] { formula("delta_a = (int)a;"); }, "rounds by (int)"));
}

TEST_CASE("Names that are functions here are other names in what is imported") {
    CHECK(has_line(one(R"("reactionStr_1": "up*u", "kineticParams": "up = 2")"), "p_up = 2"));
    const std::string text = formula("float round = a; float mod = 2*round; delta_a = mod;");
    CHECK(has_line(text, "p_mod = 2*p_round"));
    CHECK_NOTHROW(read_equations(text));
}

TEST_CASE("Ready's places are corners of cells, with y upwards, and its sums keep their names") {
    const std::string text = formula("delta_a = x_pos + y_pos + sobelN_b; delta_b = fabs(gaussian_a);");
    CHECK(has_line(text, "da/dt = ((x - dx/2)/Lx) + ((Ly - y - dx/2)/Ly) + sobelN_b"));
    CHECK(has_line(text, "db/dt = abs(gaussian_a)"));
    CHECK_NOTHROW(read_equations(text));
}

TEST_CASE("Initial patterns of Ready are laid over each other in their order") {
    const std::string text = ready(
        "<rule type=\"formula\" wrap=\"0\"><formula number_of_chemicals=\"2\">delta_a = 0; delta_b = "
        "0;</formula></rule>",
        "<initial_pattern_generator><overlay chemical=\"b\"><overwrite/><white_noise low=\"-1\" "
        "high=\"3\"/><rectangle><point3D x=\"0\" y=\"0.5\" z=\"0\"/><point3D x=\"0.25\" y=\"1\" "
        "z=\"0\"/></rectangle></overlay><overlay chemical=\"a\"><subtract/><other_chemical "
        "chemical=\"b\"/><circle radius=\"0.1\"><point3D x=\"0.5\" y=\"0.5\" "
        "z=\"0\"/></circle></overlay></initial_pattern_generator><render_settings><active_chemical "
        "value=\"b\"/><low value=\"0\"/><high value=\"2\"/></render_settings>");
    CHECK(has_line(text, "boundary = insulated"));
    CHECK(has_line(text, "b(0) = start_b"));
    CHECK(has_line(
        text, "start_b = where(x_part >= 0 and x_part <= 0.25 and y_part >= 0.5 and y_part <= 1, noise, 0)"));
    CHECK(has_line(text, "noise = -1 + 4*random"));
    CHECK(has_line(text,
                   "a(0) = where(((x_part - 0.5)*nx)^2 + ((y_part - 0.5)*ny)^2 < (0.1*max(nx, ny))^2, (0 - "
                   "start_b), 0)"));
    CHECK(has_line(text, "y_part = (Ly - y - dx/2)/Ly"));
    CHECK(has_line(text, "show = b"));
}

TEST_CASE("Kernels, meshes, three dimensions and control flow of Ready are refused") {
    const std::string rule =
        "<rule type=\"formula\"><formula number_of_chemicals=\"1\">delta_a = 0;</formula></rule>";
    CHECK(refuses([&] { ready("<rule type=\"kernel\"/>"); }, "kernel in OpenCL"));
    CHECK(refuses([&] { ready(rule, "", "0 7 0 7 0 7"); }, "three dimensions"));
    CHECK(refuses([&] { formula("while (a > 0) { delta_a = 1; }"); }, "control flow"));
    CHECK(refuses([&] { formula("for (int i = 0; i < a; i++) { delta_a = i; }"); }, "from a number"));
    CHECK(refuses([&] { formula("for (int i = 0; i < 900; i++) { delta_a = i; }"); }, "statements"));
    CHECK(refuses([&] { formula("float g[5]; delta_a = g[a];"); }, "whose index is not a number"));
    CHECK(refuses([&] { formula("delta_a = a ? b;"); }, "has no `:`"));
    CHECK(refuses([&] { formula("if (a > 1)"); }, "ends before"));
    CHECK(refuses([&] { model_of_ready("<VTKFile/>"); }, "no <RD>"));
    CHECK(refuses([&] { model_of_ready("<!DOCTYPE a [<!ENTITY b \"c\">]><RD>&b;</RD>"); }, "document type"));
    CHECK(refuses([&] { model_of_ready("{}"); }, "not XML"));
}

TEST_CASE("In one dimension Ready tests the x of a shape alone, and hills and gradients count y and z, too") {
    const auto start = [](const std::string& shape,
                          const std::string& extent,
                          const std::string& fill = "<constant value=\"2\"/>") {
        return ready(
            "<rule type=\"formula\"><formula number_of_chemicals=\"1\">delta_a = 0;</formula></rule>",
            "<initial_pattern_generator><overlay chemical=\"a\"><overwrite/>" + fill + shape +
                "</overlay></initial_pattern_generator>",
            extent);
    };
    const std::string rectangle =
                          "<rectangle><point3D x=\"0.25\" y=\"0.4\" z=\"0\"/><point3D x=\"0.5\" y=\"0.6\" "
                          "z=\"0\"/></rectangle>",
                      circle = "<circle radius=\"0.1\"><point3D x=\"0.5\" y=\"0.5\" z=\"0\"/></circle>",
                      pixel = "<pixel x=\"3\" y=\"4\" z=\"0\"/>";
    for (const std::string line : {"0 31 0 0 0 0", "0 0 0 31 0 0"}) {
        CHECK(has_line(start(rectangle, line), "a(0) = where(x_part >= 0.25 and x_part <= 0.5, 2, 0)"));
        CHECK(
            has_line(start(circle, line), "a(0) = where(((x_part - 0.5)*nx)^2 < (0.1*max(nx, ny))^2, 2, 0)"));
        CHECK(has_line(start(pixel, line), "a(0) = where(floor(x/dx) == 3, 2, 0)"));
    }
    CHECK(has_line(start(pixel, "0 31 0 15 0 0"),
                   "a(0) = where(floor(x/dx) == 3 and floor((Ly - y)/dx) == 4, 2, 0)"));
    const auto filled = [&](const std::string& fill) { return start("<everywhere/>", "0 31 0 0 0 0", fill); };
    CHECK(has_line(
        filled("<gaussian height=\"1\" sigma=\"0.1\"><point3D x=\"0.5\" y=\"0.5\" z=\"0.5\"/></gaussian>"),
        "a(0) = 1*exp(-(((x_part - 0.5)*nx)^2 + ((y_part - 0.5)*ny)^2 + 0.25)/(2*(0.1*max(nx, ny))^2))"));
    CHECK(has_line(filled("<linear_gradient val1=\"1\" val2=\"3\"><point3D x=\"0\" y=\"0\" "
                          "z=\"0.5\"/><point3D x=\"1\" y=\"0\" "
                          "z=\"1.5\"/></linear_gradient>"),
                   "a(0) = (1 + 2*((x_part - 0)*0.5 + (y_part - 0)*0 - 0.25))"));
}

TEST_CASE(
    "Names of Ready's parameters are names, and what comes of its formulas has nothing of other statements") {
    const auto named = [](const std::string& name) {
        return ready(
            "<rule type=\"formula\"><param name=\"" + name +
            "\">1</param><formula number_of_chemicals=\"1\">delta_a = laplacian_a;</formula></rule>");
    };
    for (const std::string& name :
         items("k = 1; P = image(&quot;/home/me/private.png&quot;); u2 | k; m | k# | k m | k&#10;m |  | "
               "1k | k(0) | a-b | &quot;k&quot; | k[1] | a×b")) {
        INFO(name);
        CHECK(refuses([&] { named(name); }, "is no name"));
    }
    for (const std::string name : {"k", "k_1", "λ"}) CHECK(has_line(named(name), name + " = 1"));
    CHECK(refuses([] { formula("delta_a = (1; P);"); }, "no meaning"));
}

TEST_CASE("Importers read what a text could hold, and refuse more at once") {
    const auto many = [](const std::string& part, int times) {
        std::string all;
        for (int i = 0; i < times; ++i) all += part;
        return all;
    };
    CHECK(refuses([&] { formula("delta_a = a;" + many(";", 70'000)); }, "more than 65536 bytes"));
    CHECK(
        refuses([&] { formula("for (int i = 0; i < 399; i++) { " + many(";", 60'000) + " } delta_a = a;"); },
                "loops that are too long"));
    CHECK(formula("delta_a = " + many("1*", 10'000) + "a" + many("/a*1", 8'000) + ";").size() < 100'000);
    CHECK(has_line(formula("delta_a = " + many("1*", 100) + "7" + many("/1*1", 8'000) + "/2*b;"),
                   "da/dt = 3*b"));
    const auto started = [](const std::string& overlays) {
        return ready(
            "<rule type=\"formula\"><formula number_of_chemicals=\"1\">delta_a = 0;</formula></rule>",
            "<initial_pattern_generator>" + overlays + "</initial_pattern_generator>");
    };
    CHECK(refuses(
        [&] {
            started("<overlay chemical=\"a\"><add/><constant value=\"1\"/>" +
                    many("<pixel x=\"1\" y=\"1\"/>", 40) + "</overlay>");
        },
        "initial pattern is too long"));
    CHECK(started(
              many("<overlay chemical=\"a\"><add/><white_noise low=\"0\" high=\"1\"/><everywhere/></overlay>",
                   900))
              .find("noise900 = ") != std::string::npos);
    CHECK(refuses([&] { started(many("<overlay/>", 5000)); }, "too many elements"));
    for (const auto& [options, why] : std::vector<std::pair<std::string, std::string>>{
             {R"("reactionStr_1": ")" + many("u+", 33'000) + "u\"", "at most 65536"},
             {R"("kineticParams": ")" + many("a=1;", 17'000) + '"', "at most 65536"},
             {R"("kineticParams": "a=)" + many("1+", 30'000) + R"(1", "reactionStr_1": ")" +
                  many("u[x+a,y]+", 6'000) + "u\"",
              "no neighbour"},
             {R"("views": [)" + many("{},", 60) + "{}]", "more than 50 views"},
             {R"("z": [)" + many("{},", 300'000) + "{}]", "objects and lists"},
             {R"("reactionStr_1": "GlobalInt", "globalIntegralFun": ")" + many("GlobalInt+", 5'000) + "u\"",
              "in a circle"}}) {
        INFO(options.substr(0, 60));
        CHECK(refuses([&] { one(options); }, why));
    }
    std::string names;
    for (int i = 0; i < 8'000; ++i) names += "a" + std::to_string(i) + "=1;";
    CHECK(refuses([&] { one("\"kineticParams\": \"" + names.substr(0, 65'000) + '"'); },
                  "longer than the 65536 bytes"));
}

TEST_CASE(
    "Keys that are given twice and numbers out of range are refused, and counts are taken in their range") {
    CHECK(refuses([] { visualpde(R"({"dt": 0.1, "reactionStr_1": "u", "dt": 0.2})"); }, "names 'dt' twice"));
    CHECK(refuses([] { visualpde(R"({"reactionStr_1": "u", "views": [{}, {"name": "a", "name": "b"}]})"); },
                  "'name' twice"));
    CHECK_NOTHROW(visualpde(R"({"reactionStr_1": "u", "views": [{"name": "a"}, {"name": "b"}]})"));
    CHECK(refuses([] { one(R"("reactionStr_1": 1e999)"); }, "1e999 in it is out of range"));
    CHECK(refuses([] { one(R"("kineticParams": "a = 1e999")"); }, "out of range"));
    CHECK(refuses([] { one(R"("dt": 1e999)"); }, "dt is 1e999"));
    CHECK(visualpde(R"({"maxColourValue": 1e999})").notes ==
          std::vector<std::string>{"not carried over: the range of colours from 0.0 to 1e999"});
    CHECK(refuses([] { formula("delta_a = 1e999;"); }, "out of range"));
    for (const char* number : {"5e49", "-5e49", "3", "1.5", "1e999", "\"many\""}) {
        INFO(number);
        const std::string text =
            visualpde(R"({"crossDiffusion": true, "numAlgebraicSpecies": )" + std::string(number) + "}").text;
        CHECK(has_line(text, "v' = 0.02*lap(v) + u*v^2 - (0.037+0.06)*v") ==
              (number[0] != '-' && number[0] != '"' && text.find("v' =") != text.npos));
        CHECK_NOTHROW(read_equations(text));
    }
    for (const auto& [index, shown] :
         pairs("0 => u^2 | 1 => u^3 | 2 => u^4 | 3 => u^4 | 5e49 => u^4 | -1 => u^2 | \"\" => u^2")) {
        INFO(index);
        CHECK(has_line(
            one(R"("views": [{"whatToPlot": "u^2"}, {"whatToPlot": "u^3"}, {"whatToPlot": "u^4"}], "activeViewInd": )" +
                index),
            "shown = " + shown));
    }
}

TEST_CASE(
    "Sides of VisualPDE are read in any case of letters, and a line tells of each condition that is "
    "dropped") {
    const auto combination = [](const std::string& typed) {
        return visualpde(
            R"({"numSpecies": 1, "speciesNames": "u", "reactionStr_1": "-u", "boundaryConditions_1": "combo", "comboStr_1": ")" +
            typed + "\"}");
    };
    const Imported any =
        combination("left: dirichlet = 1; RIGHT: NEUMANN = 2; tOp:Periodic; bottom : periodic = 0");
    CHECK(has_line(any.text, "left: u = 1"));
    CHECK(has_line(any.text, "right: flux(u) = 2"));
    CHECK(any.notes.empty());
    for (const auto& [typed, line, dropped] : std::vector<std::array<std::string, 3>>{
             {"Left: Neumann = 2; Left: Dirichlet = t", "left: u = t", "neumann = 2, beside dirichlet = t"},
             {"Left: Dirichlet = t; Left: Neumann = 2", "left: u = t", "neumann = 2, beside dirichlet = t"},
             {"Left: Robin = 1 - u; Left: Ghost = 3",
              "left: flux(u) = 1 - u",
              "ghost = 3, beside robin = 1 - u"},
             {"Left: Ghost = 3; Left: Neumann = 2",
              "left: u + 0.5*dx*flux(u) = 3",
              "neumann = 2, beside ghost = 3"},
             {"Left: Neumann = 1; Left: Neumann = 2", "left: flux(u) = 2", "neumann = 1, beside neumann = 2"},
             {"Left: Neumann = 1; Middle: Neumann = 2", "left: flux(u) = 1", "'Middle: Neumann = 2' of u"},
             {"Left: Neumann = 1; Right: Sponge = 2", "left: flux(u) = 1", "'Right: Sponge = 2' of u"},
             {"Left: Neumann = 1; Right: Dirichlet", "left: flux(u) = 1", "'Right: Dirichlet' of u"},
             {"Left: Neumann = 1; Right = 2", "left: flux(u) = 1", "'Right = 2' of u"}}) {
        INFO(typed);
        const Imported from = combination(typed);
        CHECK(has_line(from.text, line));
        REQUIRE(!from.notes.empty());
        CHECK(from.notes.front().find(dropped) != std::string::npos);
        CHECK_NOTHROW(read_equations(from.text));
    }
}

TEST_CASE(
    "Where VisualPDE holds the cells at a side and has a condition beyond them, both are carried over") {
    const std::string text =
        visualpde(
            R"({"numSpecies": 2, "crossDiffusion": true, "numAlgebraicSpecies": 1, "reactionStr_1": "-u", "reactionStr_2": "u", "initCond_1": "1",
        "diffusionStr_1_1": "1", "diffusionStr_2_2": "0", "boundaryConditions_1": "combo", "boundaryConditions_2": "combo",
        "comboStr_1": "Left: Dirichlet = 0; Left: Neumann = 0.2*sin(2*t); Right: Neumann = 0; Right: Dirichlet = 3*y",
        "comboStr_2": "Bottom: Dirichlet = t; Bottom: Neumann = 1"})")
            .text;
    CHECK(has_line(text, "du/dt = where(x > Lx - dx, 0, where(x < dx, 0, 1*lap(u) + (-u)))"));
    CHECK(has_line(text, "u(0) = where(x > Lx - dx, 3*(Ly - y), where(x < dx, 0, 1))"));
    CHECK(has_line(text, "left: flux(u) = 0.2*sin(2*t)"));
    CHECK(has_line(text, "right: flux(u) = 0"));
    CHECK(has_line(text, "v' = where(y > Ly - dx, t, u)"));
    CHECK(has_line(text, "v(0) = where(y > Ly - dx, t, 0)"));
    CHECK(has_line(text, "bottom: flux(v) = 1"));
    CHECK_NOTHROW(read_equations(text));
}

TEST_CASE("At the edge of VisualPDE's domain the interior is that of the cell, and at sides there is none") {
    const std::string domain =
        R"("domainViaIndicatorFun": true, "domainIndicatorFun": "x - 9", "boundaryConditions_1": "dirichlet", )";
    const std::string text = one(domain + R"("dirichletStr_1": "1*exterior + 0*interior")");
    const std::string inner = "x > 1.25*dx and x < Lx - 1.25*dx and y > 1.25*dx and y < Ly - 1.25*dx";
    CHECK(has_line(text, "edge: u = 1*ind(not (" + inner + ")) + 0*ind(" + inner + ')'));
    CHECK(has_line(text, "all: u = 1*1 + 0*0"));
    CHECK_NOTHROW(read_equations(text));
    CHECK(has_line(one(R"("reactionStr_1": "interior")"), "du/dt = ind(" + inner + ')'));
    CHECK(has_line(one(R"("initCond_1": "interior")"), "u(0) = ind(" + inner + ')'));
}

TEST_CASE("The line about a picture's domain has its conditions, too") {
    const Imported from = visualpde(
        R"({"domainViaIndicatorFun": true, "domainIndicatorFun": "0.5 - I_S", "boundaryConditions_1": "neumann", "neumannStr_1": "0.1*v",
        "boundaryConditions_2": "dirichlet", "dirichletStr_2": "0.6 + x"})");
    CHECK(stencil::contains(
        from.notes,
        std::string("not carried over: the domain of a picture: add inside = 0.5 - I_S > 0; edge: "
                    "flux(u) = 0.1*v; edge: v = "
                    "0.6 + x for it")));
    CHECK(from.text.find("\nedge:") == std::string::npos);
    std::string with = from.text;
    with.replace(with.rfind("I_S = 0"), 7, "I_S = image(\"f.png\", mean)");
    CHECK_NOTHROW(read_equations(with + "inside = 0.5 - I_S > 0; edge: flux(u) = 0.1*v; edge: v = 0.6 + x"));
}

TEST_CASE("Hills of VisualPDE stand where its axes have them, and in one dimension a Bump has no y") {
    for (const auto& [options, formula] : std::vector<std::pair<std::string, std::string>>{
             {R"js("reactionStr_1": "Bump(3, 2) + Gauss(3, 2)")js", "Bump(3, 2) + Gauss(3, 2)"},
             {R"js("minY": "-L_y/2", "reactionStr_1": "Bump(3, 2) + Gauss(3, 2)")js",
              "Bump(3, Ly/2 + (-Ly/2), 2) + Gauss(3, Ly/2 + (-Ly/2), 2)"},
             {R"js("minY": "-L_y/2", "reactionStr_1": "Bump(3, 1, 2)")js", "Bump(3, Ly - (1) + (-Ly/2), 2)"},
             {R"js("dimension": 1, "minY": "5", "reactionStr_1": "Bump(3, 2)")js", "Bump(3, 2)"},
             {R"js("dimension": 1, "reactionStr_1": "Bump(3, 1, 2)")js", "Bump(3, 2)"}}) {
        INFO(options);
        CHECK(has_line(one(options), "du/dt = " + formula));
    }
}

TEST_CASE(
    "Lines tell of what is on alone, and presets and exports with nothing else than a name "
    "are read") {
    const std::string off =
        R"("emboss": false, "embossPhi": 1.5, "contours": false, "contourNum": 5, "overlay": false, "overlayExpr": "1", "probing": false,
        "probeFun": "u", "autoPause": false, "autoPauseAt": 10, "initialState": "", "blendImage": false, "blendImagePath": "a.webp",
        "captureWebcam": false, "captureWebcamDelay": 100, "integrate": false, "plotType": "plane", "cameraPhi": 30, "surfaceFun": "0",
        "customSurface": false, "brushRadius": 5, "brushEnabled": )";
    const auto notes = [](const std::string& options) {
        return visualpde("{\"reactionStr_1\": \"-u\", " + options + '}').notes;
    };
    CHECK(notes(off + "false").empty());
    CHECK(notes(off + "true").size() == 1);
    for (const char* on : {R"("emboss": true)",
                           R"("contours": true)",
                           R"("overlay": true)",
                           R"("probing": 1)",
                           R"("autoPause": true)",
                           R"("initialState": "a.zip")",
                           R"("blendImage": true)",
                           R"("captureWebcam": true)",
                           R"("integrate": true)",
                           R"("plotType": "surface")",
                           R"("plotType": "surface", "threeD": true)",
                           R"("views": [{}, {"contours": true}])"}) {
        INFO(on);
        CHECK(notes(on).size() == 1);
    }
    const ScratchFolder folder;
    for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
             {"a.js", "presets[\"PRESETNAME\"] = {\n\t\"preset\": \"PRESETNAME\",\n};\n"},
             {"b.js", "{preset: 'x',\n simTitle: 'y'}"},
             {"c.json", R"({"simTitle": "y"})"},
             {"d.json", R"({"preset": "default"})"},
             {"e.js", "presets[\"a\"] = {};"}}) {
        INFO(name);
        const std::string file = (folder / name).string();
        std::ofstream(file) << text;
        CHECK(is_model_file(file));
        CHECK(has_line(open_model(file).model->text, "du/dt = 0.04*lap(u) + (-u*v^2 + 0.037*(1.0 - u))"));
    }
}

TEST_CASE(
    "A formula that the equations do without is left out if it cannot be read, and a line "
    "says so and why") {
    for (const auto& [options, dropped] : std::vector<std::pair<std::string, std::string>>{
             {R"("boundaryConditions_1": "dirichlet", "dirichletStr_1": "nothing")",
              "u at all: dirichlet = nothing; nothing flows there: `nothing`"},
             {R"("boundaryConditions_1": "dirichlet", "dirichletStr_1": "1 +")",
              "u at all: dirichlet = 1 +;"},
             {R"("boundaryConditions_1": "dirichlet", "dirichletStr_1": "(1")", "never closed"},
             {R"js("initCond_1": "nothing(x)")js", "the start of u, nothing(x)"},
             {R"("domainViaIndicatorFun": true, "domainIndicatorFun": "nothing < x")",
              "the domain nothing < x: all of the rectangle"},
             {R"("whatToPlot": "nothing + u")", "what is shown, nothing + u"},
             {R"("views": [{"whatToPlot": "u"}, {"whatToPlot": "nothing + u", "name": "far"}])",
              "the view far"},
             {R"("vectorField": true, "arrowX": "nothing", "arrowY": "1")", "arrows"}}) {
        INFO(options);
        const Imported from =
            visualpde(R"({"numSpecies": 1, "speciesNames": "u", "reactionStr_1": "-u", )" + options + '}');
        REQUIRE(!from.notes.empty());
        CHECK(from.notes.front().find("not carried over: ") == 0);
        CHECK(from.notes.front().find(dropped) != std::string::npos);
        CHECK(from.arrows.empty());
        CHECK(from.colors.empty());
        CHECK_NOTHROW(read_equations(from.text));
    }
    CHECK_THROWS_AS(read_equations(one(R"("reactionStr_1": "nothing")")), InputError);
}

TEST_CASE(
    "An algebraic species of VisualPDE without others in it has sides and "
    "derivatives, too") {
    for (const char* formula : {"5", "k", "x*k", "sin(t)", "GlobalInt"}) {
        INFO(formula);
        const std::string text =
            visualpde(
                R"({"crossDiffusion": true, "numAlgebraicSpecies": 1, "diffusionStr_2_2": "0", "reactionStr_1": "v_x", "kineticParams": "k = 2",
            "boundaryConditions_2": "dirichlet", "dirichletStr_2": "1", "timesteppingScheme": "RK4", "globalIntegralFun": "u", "reactionStr_2": ")" +
                std::string(formula) + "\"}")
                .text;
        CHECK(has_line(text, "all: v = 1"));
        CHECK(has_line(text, "integrator = rk4"));
        CHECK_NOTHROW(read_equations(text));
    }
}

TEST_CASE(
    "The option --model takes such files, tells what they leave out, and sets the "
    "colours' range") {
    const ScratchFolder folder;
    std::ofstream(folder / "waves.json")
        << R"({"reactionStr_1": "-u", "maxColourValue": "3", "brushValue": "1"})";
    std::ofstream(folder / "spec.json") << R"({"steps": 3})";
    RunSpec spec;
    find_setting("model").set(spec, (folder / "waves.json").string());
    CHECK(spec.model->name == "waves");
    CHECK(spec.model->equations->notes.front() == "not carried over: brush settings");
    CHECK(to_string(spec.range) == "0:3");
    CHECK(is_model_file((folder / "waves.json").string()));
    CHECK_FALSE(is_model_file((folder / "spec.json").string()));
    CHECK(refuses([&] { open_model((folder / "spec.json").string()); }, "--spec"));
    CHECK(message_of<InputError>([&] { open_model((folder / "none.txt").string()); }).starts_with("model "));
}

TEST_CASE("Titles and names of other programs' files lose control and invisible characters") {
    const ScratchFolder folder;
    const std::filesystem::path file = folder / "a\x1b[2J.json";
    write_bytes(file,
                R"({"simTitle": "A\u001b]0;owned\u0007 \u009b31m \u202eb\u200bc", "reactionStr_1": "-u", )"
                R"("scenes\u001b[2J": "x", "comboStr_1": "\u009b\u202e"})");
    const FoundModel found = open_model(file.string());
    CHECK(first_control(found.model->text).empty());
    CHECK(first_control(found.model->name).empty());
    for (const std::string& note : found.model->equations->notes) CHECK(printable(note) == note);
    CHECK(contains(found.model->text, "owned"));
}
