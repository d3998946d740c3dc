#include "sim/model/equations.h"
#include "tests/support/catch.h"

using namespace stencil::equation;

namespace {

// The sentence, and the piece of the text that it is about.
struct Refusal {
    std::string sentence, about;
};

Refusal refusal(const std::string& text) {
    try {
        read_equations(text);
    } catch (const TextError& error) {
        return {error.sentence(), text.substr(error.place().begin, error.place().end - error.place().begin)};
    }
    FAIL("taken: " << text);
    return {};
}

}  // namespace

TEST_CASE("A model's text is read whole") {
    const Equations e = read_equations(R"(# Gray-Scott: two chemicals, one eats the other
        du/dt = Du*lap(u) - u*v^2 + F*(1 - u)
        dv/dt = Dv*lap(v) + u*v^2 - (F + K)*v
        Du = 0.16 in [0, 1];  Dv = 8e-2 in [0, 0.01, 1];  F = 0.035 [1/s];  K = 0.065 in [0, 0.1] [1/s]
        dx = 1/2;  dt = 0.5;  boundary = insulated;  size = 512x256;  stepper = rk4;  source = "Pearson 1993"
        u(0) = 1 - 0.5*box;  v(0) = 0.25*box
        box = ind(abs(x - Lx/2) < Lx/10 and
                  abs(y - Ly/2) < Ly/10)
        left: u = 1;  top, bottom: v + 2*flux(v) = sin(x)
        rate = u*v^2)");
    REQUIRE(e.components.size() == 2);
    CHECK(e.components[0].name == "u");
    CHECK(e.components[1].rate);
    CHECK((e.components[0].initial && e.components[1].initial));
    REQUIRE(e.parameters.size() == 4);
    CHECK(e.parameters[1].name == "Dv");
    CHECK(e.parameters[1].value == 0.08);
    CHECK((e.parameters[1].low == 0 && e.parameters[1].high == 1));
    CHECK(e.parameters[2].unit == "1/s");
    CHECK((e.parameters[2].low == 0 && e.parameters[2].high == 0.07));
    CHECK(e.parameters[3].unit == "1/s");
    CHECK(e.spacing == 0.5);
    CHECK(e.dt == 0.5);
    CHECK(e.size == "512x256");
    CHECK(e.stepper == "rk4");
    CHECK(e.source == "Pearson 1993");
    REQUIRE(e.definitions.size() == 1);
    CHECK(e.definitions[0].name == "rate");
}

TEST_CASE("What stands twice in a model's text is one expression") {
    const Equations e = read_equations("du/dt = u*v^2 + lap(v); dv/dt = lap(v) + v^2*u");
    CHECK(e.components[0].formula == e.components[1].formula);
}

TEST_CASE("Other programs' spellings mean the same") {
    const auto same = [](const std::string& a, const std::string& b) {
        // One graph for both: the formulas are one expression where they mean the same.
        const Equations e = read_equations("du/dt = " + a + "; dv/dt = " + b + "; D = 2");
        INFO(a << " and " << b);
        CHECK(e.components[0].formula == e.components[1].formula);
    };
    same("lap(u)", "∇²u");
    same("lap(u)", "laplace(u)");
    same("lap(u)", "laplacian_u");
    same("lap2(v)", "bilaplacian_v");
    same("dx(u)", "u_x");
    same("dyy(v)", "v_yy");
    same("u[+1,0]", "u[x+dx,y]");
    same("u[0,-2]", "u[x,y-2*dx]");
    same("(u[+1,0] - u)/dx", "u_xf");
    same("u^3 - 1.0*v", "u³ − 1.0f×v");
    same("u**2", "u*u");
    same("grad2(u)", "dot(grad(u), grad(u))");
    same("D*lap(u)", "div(D*grad(u))");
    same("ind(u > 1 and v <= 2)", "ind(u > 1 && v ≤ 2)");
    const Equations ready = read_equations("delta_a = laplacian_a - a*b*b + 2*(1.0f-a);\ndelta_b = a_x;");
    CHECK((ready.components.size() == 2 && ready.components[1].rate));
    CHECK(read_equations("∂u/∂t = u_xx").components[0].name == "u");
}

TEST_CASE("A mistake in a model's text is shown with a mend") {
    struct Case {
        std::string text, about, word;
    };
    const auto c = GENERATE(values<Case>({
        {"du/dt = k*lap(u); K = 1", "k", "did you mean `K`"},
        {"du/dt = q*lap(u)", "q", "q = 1 in [0, 2]"},
        {"du/dt = 2u*(1 - u)", "2u", "write `2*u`"},
        {"du/dt = (1 - u)(u - 2)", ")(", "write `)*(`"},
        {"du/dt = u*v^2 - uv; dv/dt = u", "uv", "write `u*v`"},
        {"du/dt = u(1 - u)", "u(1 - u)", "write `u*(...)`"},
        {"du/dt = lap(3)", "3", "takes a field"},
        {"du/dt = lap(u, u)", "lap(u, u)", "takes 1 argument"},
        {"du/dt = lap*u", "lap", "is a function"},
        {"du/dt = sqr(u)", "sqr", "did you mean `sqrt`"},
        {"du/dt = a; a = b + u; b = c; c = a", "a", "`a` needs `b` needs `c` needs `a`"},
        {"du/dt = u; du/dt = 1", "du", "two equations"},
        {"v(0) = 1; du/dt = u", "v", "has no equation"},
        {"u = 2; du/dt = u", "u", "u(0)"},
        {"a = 2; a = 3; du/dt = u", "a", "twice"},
        {"lap = 2; du/dt = u", "lap", "another name"},
        {"du/dt = lap(u", "(", "never closed"},
        {"du/dt = u)", ")", "closes nothing"},
        {"du/dt = u +", "", "is missing"},
        {"du/dt = 1 < u < 2", "<", "a < b and b < c"},
        {"du/dt = u = 2", "=", "'=='"},
        {"du/dt = grad(u)", "grad(u)", "vector"},
        {"du/dt = up(2)*u", "up(2)*u", "up(a)*dx(u)"},
        {"du/dt = u^5000", "5000", "1024"},
        {"du/dt = u[9,0]", "9", "-8 to 8"},
        {"du/dt = image(f)", "f", "quotes"},
        {"du/dt = u $ 2", "$", "no meaning"},
        {"du/dt = u; D = 2 in [3, 4]", "D", "outside its range"},
        {"du/dt = u; D = 5 in [4, 3]", "[", "below its end"},
        {"du/dt = u; left: u*u = 1", "u*u", "linear"},
        {"du/dt = u; left: 1 = 2", "1 = 2", "names a component"},
        {"du/dt = u; middle: u = 1", "middle", "left, right"},
        {"du/dt = u; boundary = insulated; left: periodic", "left", "both"},
        {"du/dt = u; stepper = rk5", "rk5", "symplectic"},
        {"du/dt = u; dx = -1", "-", "above 0"},
        {"D = 1", "D = 1", "nothing evolves"},
        {"hello", "hello", "du/dt"},
    }));
    INFO(c.text);
    const Refusal r = refusal(c.text);
    INFO(r.sentence);
    CHECK(r.about == c.about);
    CHECK(r.sentence.find(c.word) != std::string::npos);
}

TEST_CASE("The report of a mistake has its line and a caret below") {
    try {
        read_equations("# first\ndu/dt = lap(u)\n∂v/∂t = µ*v\n");
        FAIL("taken");
    } catch (const TextError& error) {
        CHECK(error.line() == 3);
        CHECK(error.column() == 9);
        CHECK(std::string(error.what()).find("\n  ∂v/∂t = µ*v\n          ^") != std::string::npos);
    }
}

TEST_CASE("Hostile model texts are refused, and soon") {
    const auto repeated = [](const std::string& piece, int times) {
        std::string text;
        for (int i = 0; i < times; ++i) text += piece;
        return text;
    };
    CHECK(refusal("du/dt = " + repeated("(", 20000)).sentence.find("deep") != std::string::npos);
    CHECK(refusal("du/dt = " + repeated("-", 20000) + "u").sentence.find("signs") != std::string::npos);
    CHECK(refusal("du/dt = u" + repeated("^u", 20000)).sentence.find("powers") != std::string::npos);
    CHECK(refusal("du/dt = u" + repeated("+u", 20000)).sentence.find("deep") != std::string::npos);
    CHECK(refusal("du/dt = " + repeated("sin(", 10000)).sentence.find("deep") != std::string::npos);
    CHECK_THROWS_AS(read_equations(repeated("u", 1 << 20)), TextError);
    CHECK_THROWS_AS(read_equations("du/dt = \xff"), TextError);
    // Definitions that need each other all the way down, and such that would be 2^60 terms written out.
    std::string chain = "du/dt = a3000\n", doubled = "du/dt = lap(a60*u)\na0 = u + x\n";
    for (int i = 1; i <= 3000; ++i)
        chain += "a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " + u\n";
    for (int i = 1; i <= 60; ++i)
        doubled +=
            "a" + std::to_string(i) + " = a" + std::to_string(i - 1) + "*a" + std::to_string(i - 1) + "\n";
    CHECK_THROWS_AS(read_equations(chain), TextError);
    CHECK(read_equations(doubled).graph.size() < 1000);
}
