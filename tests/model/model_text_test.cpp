#include "sim/model/equations.h"

#include <fmt/format.h>

#include "kernels/equation/operations.h"
#include "sim/model/text/typed_number.h"
#include "sim/view/colormap.h"
#include "tests/model/typed_run.h"

using namespace stencil::equation;

namespace {

std::string repeated(int count, const std::function<std::string(int)>& line) {
    std::string text;
    for (int i = 0; i < count; ++i) text += line(i);
    return text;
}

std::string repeated(int count, const char* piece) {
    return repeated(count, [&](int) { return piece; });
}

struct Answer {
    std::string refused;  ///< empty: it was stepped
    double operations = 0;
};

// Compiles a text as before a first step, and makes two steps.
Answer answer(const std::string& text) {
    Answer result;
    try {
        const Equations e = read_equations(text);
        stable_step(e, e.integrator, {uniform_state(e, std::vector<double>(e.components.size(), 0.3))});
        result.operations = operations_of_cell(make_program(e, e.integrator, false));
        TypedRun run{.steps = 2};
        run_typed<float>(text, run);
    } catch (const TextError& error) {
        result.refused = error.sentence();
    }
    return result;
}

}  // namespace

TEST_CASE("A model's text is read whole") {
    const Equations e = read_equations(R"(# Gray-Scott: two chemicals, one eats the other
        du/dt = Du*lap(u) - u*v^2 + F*(1 - u)
        dv/dt = Dv*lap(v) + u*v^2 - (F + K)*v
        Du = 0.16 in [0, 1];  Dv = 8e-2 in [0, 0.01, 1] m^2/s;  F = 0.035 [1/s];  K = 0.065 in [0, 0.1] [1/s]
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
    CHECK(e.parameters[1].unit == "m^2/s");
    CHECK(e.parameters[2].unit == "1/s");
    CHECK((e.parameters[2].low == 0 && e.parameters[2].high == 0.07));
    CHECK(e.parameters[3].unit == "1/s");
    CHECK(e.spacing == 0.5);
    CHECK(e.dt == 0.5);
    CHECK(e.statements->value("size") == "512x256");
    CHECK(e.integrator == scheme_of("rk4"));
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
        // In one graph, equal formulas become one node.
        const Equations e = read_equations("du/dt = " + a + "; dv/dt = " + b + "; D = 2");
        INFO(a << " and " << b);
        CHECK(e.components[0].formula == e.components[1].formula);
    };
    same("lap(u)", "∇²u");
    same("lap(u)", "laplace(u)");
    same("lap(u)", "laplacian_u");
    same("lap(u)", "Δu");
    same("lap(u)", "Delta u");
    same("lap(u) + lap(v)", "Delta(u) + ∆(v)");
    same("lap(u)", "\\nabla^2 u");
    same("D*lap(u)", "\\Delta u \\cdot D");
    same("lap2(u)", "lap^2(u)");
    same("lap2(u) + lap(u)^2", "lap^2 u + (lap(u))^2");
    same("div(D*grad(u))", "∇·(D*∇u)");
    same("where(sum8(u) == 3 and v != 1, u, v)", "where(sum8(u) = 3 and v != 1, u, v)");
    same("ind(u == 1 or (v == 2))", "ind(u = 1 or (v = 2))");
    same("-dy(u)", "y_gradient_u");
    same("-dy(dyy(v))", "y_deriv3_v");
    same("advect(u, 2, v)", "-up(2)*dx(u) - up(v)*dy(u)");
    same("lap2(v)", "bilaplacian_v");
    same("lap2(v) + 1e-3", "∇⁴(v) + 1e-3f");
    same("lap(lap2(v))", "trilaplacian_v");
    same("u[0,-1] + u[+1,-1] + u[-2,0]", "u_n + u_ne + u_w2");
    same("grad2(v)", "gradient_mag_squared_v");
    same("x/Lx", "x_pos");
    same("max(nx, ny)*dx - min(nx, ny)*dx + Lx + Ly", "L - L_min + L_x + L_y");
    same("lap2(u)", "∇⁴u");
    same("dx(dyy(u)) + dy(dxx(v))", "u_xyy + v_xxy");
    same("(4*u[1,0] - 3*u - u[2,0])/(2*dx)", "u_xf2");
    same("u[-1,-1] + 2*u[0,-1] + u[1,-1] - u[-1,1] - 2*u[0,1] - u[1,1]", "sobelN_u");
    same("u*v", "(float4)u*(float)(v)");
    same("where(u > 0, v, u)", "select(u, v, isgreater(u, 0.0f))");
    same("dy*u_x", "dx*u_x");
    same("atan2(v, u)", "atan(v, u)");
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
    CHECK(read_equations("du/dt = Delta*u; Delta = 2").parameters.size() == 1);
    CHECK(read_equations("du/dt = u; dx = 0.5; dy = 0.5").spacing == 0.5);
    CHECK(read_equations("du/dt = erf*u; erf = 2").parameters.size() == 1);
    const Equations ready = read_equations("delta_a = laplacian_a - a*b*b + 2*(1.0f-a);\ndelta_b = a_x;");
    CHECK((ready.components.size() == 2 && ready.components[1].rate));
    CHECK(read_equations("∂u/∂t = u_xx").components[0].name == "u");
    CHECK(read_equations("du/dt = u; stepper = RK4; boundary = Periodic").integrator == scheme_of("rk4"));
    CHECK(read_equations("du/dt = u; size = 100").statements->value("size") == "100x1");
    CHECK(read_equations("const float4 q = a*a;\ndelta_a = (float4)q - 1e-18f;").definitions.size() == 1);
    // A statement continues if an operator ends or begins a line.
    CHECK(read_equations("du/dt = u +\n  v\n  - 2*u\ndv/dt = u\n  *v").components[0].terms.size() == 3);
    same("u + (v > 1 and u < 3)", "u  # a comment\n  # and another\n\n + (v > 1\n and u < 3)");
    same("u > 1 and not v == 2", "u > 1\n ∧ not\n v\n == 2");
    same("u > 1 or u != 2", "u > 1 or\n u !=\n 2");
    CHECK(read_equations("du/dt = psi\n-lap(psi) + psi = u").elliptic.size() == 1);
    same("(1 - u) + 2*(not v)", "(1 - u) + 2*!v");
    same("(not u) > v", "!u > v");
}

TEST_CASE("A formula's text is read as that formula") {
    const auto* text = GENERATE(
        "(u < 3) < 2", "u < (3 < 2)", "(not a) == b", "not (a == b)", "2*(not a) + 1", "a - (b - c)");
    CHECK(to_text(read_formula(text)) == text);
}

TEST_CASE("What is upwind, a condition or a narrower side is taken") {
    const auto* text = GENERATE("du/dt = -up(V)*dx(u) - 2*up(u)*dy(u)/dt + advect(u, V, u); V = -1",
                                "du/dt = c*up(1)*dx(u); c = 1 in [-1, 1]",
                                "du/dt = up(1)*dx(v); dv/dt = -dt*up(u)*dx(v)",
                                "du/dt = lap(u); inside = image(\"f.png\")",
                                "du/dt = ind(u > 1)*ind((x < 2) + (y < 3)) + ind(1 - ind(u < 0))",
                                "du/dt = lap(u); all: u = 0; x: flux(u) = 0; left: u = 2",
                                "du/dt = lap(u); dv/dt = u; all: insulated; left: u = 1; left: v = 2");
    INFO(text);
    CHECK_NOTHROW(read_equations(text));
}

TEST_CASE("Texts of VisualPDE and Ready paste") {
    const auto* text = GENERATE(
        // VisualPDE: formulas after `du/dt =`, with its parameters unchanged.
        "du/dt = lap(u) + u^2*v - (a+b)*u\ndv/dt = 2*lap(v) - u^2*v + a*(1 - v)\na = 0.037 in [0, 0.001, "
        "0.1];b = 0.06;",
        "du/dt = lap(u) + u-u^3/3-v; dv/dt = epsilon^2*lap(v) + epsilon*(u+a-b*v)\nepsilon = 0.06;a = 0.5;b "
        "= 0.6;\n"
        "u(0) = cos(x/10)*cos(y/10)+RANDN; v(0) = RANDN",
        "du_1/dt = D_u1*lap(u_1) + a-(b+1)*u_1+u_1^2*v_1; dv_1/dt = D_u2*lap(v_1) + b*u_1-u_1^2*v_1\n"
        "a = 3;b = 9;D_u1 = 4.3;D_u2 = 50;",
        "du/dt = D*(u_xx + u_x + u_yy); D = 1; Bottom: Periodic; Top: Periodic; Left: Neumann; Right: "
        "Neumann",
        "du/dt = epsilon*u_xx - u*u_xb; epsilon = 0.05; u(0) = 0.1*exp(-0.00005*(x-L_x/5)^2)",
        "dphi/dt = lap(phi) + 10*(x - phi)*ind(y+2*dy > L_y || y-2*dy < 0 || x - 2*dx < 0); dT/dt = lap(T) - "
        "Pe*(phi_x*T_x + phi_y*T_y); Pe = 0.01 in [0.01, 0.1]",
        "dr/dt = div((speed_r*(1+r))*max(1-r-h,0)*grad(r)) + max(r,0)*max(1-r-h,0); dh/dt = "
        "max(h,0)*max(1-r-h,0)\n"
        "speed_r = 0.01;y_h = 200*0.52 in [0,200];speed_h = 50*speed_r;",
        "du/dt = u_xxx + safe*u; safe = 1/cosh(t-4)^2",
        // Ready: formulas unchanged, with OpenCL's float suffixes and line ends.
        "delta_a = k1*a - k2*a*a - a*a*a - b + laplacian_a;\ndelta_b = epsilon*(k3*a - a1*b - a0) + "
        "delta*laplacian_b;\n"
        "a0 = -0.1; a1 = 2; epsilon = 0.014; delta = 2.8; k1 = 1; k2 = 0; k3 = 1",
        "float4 abb = a*b*b;\ndelta_a = D_a * laplacian_a - abb\n  + F*(1.0f-a);\ndelta_b = D_b * "
        "laplacian_b + abb - (F+k)*b;\n"
        "D_a = 0.082; D_b = 0.041; F = 0.06; k = 0.0609",
        "delta_a = -bilaplacian_a - laplacian_a + 0.2*gradient_mag_squared_a - 0.05*a;",
        "delta_a = -bilaplacian_a * step(-0.01f,-b) + fmod(b+laplacian_b,1) - sobelSW_a*gaussian_b;\ndelta_b "
        "= select(delta/(1.0f - exp(-delta)), 1.0f, isless(fabs(delta), 1E-6f)) + hypot(a, b); delta = "
        "clamp(b, -1, 1)",
        "du/dt = D*lap(u) + sigma*WhiteNoise*u + WhiteNoise_2; D = H(u, 0.5)*L_min; sigma = 0.1\n"
        "u(0) = 0.1*Bump(L_x/2,L_y/2,L/10) + I_S; I_S = image(\"a.png\")",
        "delta_a = c*(a_n + a_s + a_e + a_w - 4*a) - a*x_gradient_a; c = 0.1; b = fabs(a)");
    INFO(text);
    CHECK_NOTHROW(read_equations(text));
}

TEST_CASE("A condition at a side may be written as a normal derivative, or by another program's word") {
    const auto sides = [](const std::string& text) {
        return read_equations("du/dt = lap(u); " + text).components[0].sides;
    };
    const auto same = [](const Condition& a, const Condition& b) {
        return a.periodic == b.periodic && a.value == b.value && a.flux == b.flux && a.right == b.right;
    };
    CHECK(same(sides("x: du/dn = 3")[0], sides("x: flux(u) = 3")[0]));
    CHECK(same(sides("x: u_x = 3")[0], sides("left: flux(u) = -3; right: u = 0")[0]));
    CHECK(same(sides("x: du/dx = 3")[1], sides("left: u = 0; right: flux(u) = 3")[1]));
    CHECK(
        run_typed<double>("du/dt = lap(u); dt = 0.1; y: u + 2*dy(u) = 3", {}) ==
        run_typed<double>("du/dt = lap(u); dt = 0.1; top: u - 2*flux(u) = 3; bottom: u + 2*flux(u) = 3", {}));
    CHECK(same(sides("boundary = neumann")[0], sides("boundary = insulated")[0]));
    CHECK(same(sides("x: dirichlet")[0], sides("x: u = 0")[0]));
    CHECK(same(sides("boundary = no-flux")[0], sides("boundary = insulated")[0]));
    CHECK(same(sides("x: no-flux")[0], sides("x: insulated")[0]));
    // VisualPDE's `Ghost`, the value of the cell beyond the side.
    const auto stepped = [](const std::string& formula, const std::string& conditions) {
        return run_typed<double>("du/dt = " + formula + "; dt = 0.1; dx = 0.5; " + conditions, {});
    };
    CHECK(largest_difference(stepped("u_xf", "y: insulated; left: u = 0; right: u + dx/2*flux(u) = y"),
                             stepped("(where(x < Lx - dx, u[+1,0], y) - u)/dx", "boundary = insulated")) <
          1e-14);
}

TEST_CASE("A mistake in a model's text is shown with a mend") {
    const auto [text, about, word] = GENERATE(table<std::string, std::string, std::string>({
        {"boundry = periodic; du/dt = u", "boundry", "did you mean `boundary`"},
        {"titel = \"A\"; du/dt = u", "titel", "did you mean `title`"},
        {"colormap = viridiss; du/dt = u", "viridiss", "did you mean 'viridis'"},
        {"show = w; du/dt = u", "w", "allowed: u"},
        {"show = abs(u); du/dt = u", "abs", "a formula needs one"},
        {"boundary = nothing; du/dt = u", "nothing", "insulated"},
        {"size = 512x; du/dt = u", "512", "512x512"},
        {"size = 10x10x10; du/dt = u", "10", "512x512"},
        {"du/dt = sin u", "sin u", "`sin(u)`"},
        {"du/dt = sin 1", "sin 1", "`sin(1)`"},
        {"du/dt = u if u > 0 else 0", "if", "where(c, a, b)"},
        {"du/dt = u > 0 ? 1 : 0", "?", "where(a, b, c)"},
        {"du/dt = |u|", "|", "abs(u)"},
        {"du/dt = u % 2", "%", "mod(a, b)"},
        {"du/dt = e^u", "e", "exp(u)"},
        {"du/dt = lap(u)*I_S", "I_S", "image("},
        {"du/dt = 1,5*u", "1,5", "1.5"},
        {"du/dt + dv/dt = 1", "dv/dt", "gives one rate"},
        {"du/dt - u_xxt = lap(u)", "u_xxt", "mixes time and space"},
        {"u_t - lap(u_t) = lap(u)", "u_t - lap(u_t) = lap(u)", "`u - lap(u) = w`"},
        {"u_tt = lap(u); u_t = 1", "u_t", "which has an equation"},
        {"du/dt = f(u, u); f(a) = a", "f(u, u)", "takes 1 argument, not 2"},
        {"du/dt = f(u); f(a) = a + f(a)", "f(u)", "in `f(a)`: `f` calls itself"},
        {"du/dt = f(u); f(a) = g(a); g(a) = f(a)", "f(u)", "`f` calls itself"},
        {"du/dt = f(u); f(a) = a + K", "f(u)", "in `f(a)`: `K` is not defined"},
        {"du/dt = f(grad(u)); f(a) = sin(a)", "f(grad(u))", "this is a vector"},
        {"du/dt = f; f(a) = a", "f", "write `f(a)`"},
        {"du/dt = f(u); f(a) = a; f = 2", "f", "twice"},
        {"du/dt = f(u, u); f(a, a) = a", "f(a, a)", "two arguments"},
        {"u(x) = 1; du/dt = u", "u", "u(0)"},
        {"x(a) = 1; du/dt = u", "x", "another name"},
        {"du/dt = u(0)", "u(0)", "other starts alone"},
        {"du/dt = u; dv/dt = v; v(0) = u(0)", "u(0)", "no start of `u`"},
        {"du/dt = u; dv/dt = v; v(0) = u(0); u(0) = \"noise\"", "u", "by name"},
        {"du/dt = u; dv/dt = v; v(0) = u(0); u(0) = v(0)", "v", "go in a circle"},
        {"du/dt = lap(u); dx = 1; dy = 2", "dy = 2", "`dxx(u) + 0.25*dyy(u)` for `lap(u)`"},
        {"du/dt = D*lap(u); D = 1e-5 cm^2/s", "1e-5 cm", "`1e-5 [cm^2/s]`"},
        {"du/dt = lap(u); left: du/dt = 100; right: u = 0", "du/dt", "`left: u = 100*t`"},
        {"du/dt = lap(u); left: u_y = 1; right: u = 0", "u_y = 1", "names a component"},
        {"u = lap(u)", "u", "du/dt"},
        {"du/dx = u", "du/dx", "du/dt"},
        {"du/dt = Laplacian(u)", "Laplacian", "did you mean `laplacian`"},
        {"du/dt = Bump(1)", "Bump(1)", "takes 2 or more arguments, not 1"},
        {"du/dt = Gauss(1, 2, 3, 4, 5, 6)", "Gauss(1, 2, 3, 4, 5, 6)", "takes 2 or more arguments, not 6"},
        {"du/dt = H(u); H = 2", "H(u)", "write `H*(...)`"},
        {"du/dt = delta_u*lap(u); delta_u = 0.1", "delta_u", "the rate du/dt"},
        {"U_t = 150; dU/dt = U_t*lap(U)", "U_t", "take another name"},
        {"a = clamp(a, -1, 1); delta_a = laplacian_a", "a", "`a' = clamp("},
        {"du/dt = GlobalInt", "GlobalInt", "whole field"},
        {"du/dt = u*I_TR", "I_TR", "give that a picture"},
        {"du/dt = photo(u, y); photo = image(\"f\")", "u", "made of x, dx, Lx and numbers"},
        {"du/dt = photo(step + x, y); photo = image(\"f\")", "step + x", "such as `x + dx`"},
        {"du/dt = photo(y, x); photo = image(\"f\")", "y", "made of x, dx, Lx and numbers"},
        {"du/dt = photo(x, t*y); photo = image(\"f\")", "t*y", "made of y, dx, Ly and numbers"},
        {"du/dt = photo(p*x, y); p = 2; photo = image(\"f\")", "p*x", "and numbers"},
        {"du/dt = I_T(x, y); I_T = u", "I_T(x, y)", "not a picture"},
        {"du/dt = image(\"f\", pink)", "pink", "red, green, blue"},
        {"du/dt = d/dx(u)", "d", "is written `dx(u)`"},
        {"du/dt = x; origin = 3", "", "two coordinates"},
        {"du/dt = x; origin = x, 3", "x", "one place"},
        {"du/dt = x; origin = t, 3", "t", "one place"},
        {"du/dt = u; origin = 0, K", "K", "is not defined"},
        {"du/dt = np.sin(u)", ".", "`sin(u)`"},
        {"du/dt = laplace(u, bc=0)", "bc=", "a statement of its own"},
        {"du/dt = div((1;2)*grad(u))", ";", "a*dxx(u) + b*dyy(u)"},
        {"du/dt = lap(u) dv/dt = lap(v)", "dv", "`; dv/dt = ...`"},
        {"du/dt = lap(u) K = 2", "K", "`; K ...`"},
        {"du/dt = lap(u); all: Neumann = 0", "Neumann", "`flux(u) = f`"},
        {"du/dt = lap(u); all: Ghost = 0", "Ghost", "u + dx/2*flux(u) = f"},
        {"du/dt = lap(u); all: du/dx = 0", "du", "`flux(u)`"},
        {"du/dt = lap(u); inside = t < 5", "inside", "condition on x and y"},
        {"du/dt = lap(u); boundary = half-open", "half-open", "insulated"},
        {"du/dt = lap(u\ndv/dt = u", "(", "never closed"},
        {"du/dt = (u + 1)*(u - 1", "(", "never closed"},
        {"du/dt = exp(-u; v = 1", "(", "never closed"},
        {"du/dt = u -\ndv/dt = 1", "", "is missing"},
        {"du/dt = u; D = 1 m", "1 m", "`1 [m]`"},
        {"du/dt = u - sum(u)", "sum", "integral(u)/dx^2"},
        {"du/dt = = u", "=", "missing before '='"},
        {"du/dt == u", "==", "'=' is missing"},
        {"du/dt lap(u)", "lap", "'=' is missing"},
        {"du/dt = lap(u), dv/dt = 1", ",", "';'"},
        {"du/dt = u; K = ", "", "is missing"},
        {"du/dt = u; D = 1 in [0, 1", "", "in [0, 1]"},
        {"du/dt = u; D = 1 in 0, 1", "0", "in [0, 1]"},
        {"du/dt = u; dt = 0", "0", "above 0"},
        {"du/dt = u; dt = 1; dt = 2", "dt", "twice"},
        {"du/dt = u; left = 1", "left", "left: u = 1"},
        {"du/dt = u; boundary: periodic", "boundary", "left, right"},
        {"du/dt = u; left: w = 1; right: u = 0", "w", "components are u"},
        {"du/dt = u; left: flux(w) = 1", "flux(w)", "component (u)"},
        {"du/dt = u; left: u = 1", "left", "give `right:`"},
        {"du/dt = u; x: nothing", "x", "insulated"},
        {"du/dt = lap(v); v = 1", "v", "takes a field"},
        {"du/dt = lap(u) - v", "v", "v = 1 in [0, 2]"},
        {"u(0) = 1", "u(0) = 1", "nothing evolves"},
        {"w = w + 1", "w", "what evolves is written `dw/dt = ...`"},
        {"dudt = lap(u)", "dudt", "what evolves is written `du/dt = ...`"},
        {"du/dt = ∂²u/∂x²", "∂²", "is written `dxx(u)`"},
        {"du/dt = w; w = w + 1", "w", "`w` needs `w`: definitions go in a circle"},
        {"du/dt = u; u(0) = u", "u", "not of components"},
        {"du/dt = u; inside = u + random > 0", "u + random > 0", "others at each step"},
        {"dx/dt = 1", "dx", "another name"},
        {"", "", "nothing evolves"},
        {"# a\n# b", "# a\n# b", "nothing evolves"},
        {"du/dt = k*lap(u); K = 1", "k", "did you mean `K`"},
        {"du/dt = q*lap(u)", "q", "q = 1 in [0, 2]"},
        {"du/dt = Du*lap(u)", "Du", "Du = 1 in [0, 2]"},
        {"du/dt = du*lap(u); Du = 1", "du", "did you mean `Du`"},
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
        {"du/dt = up(1)*dx(u)", "up(1)*dx(u)", "-up(-a)*dx(u)"},
        {"du/dt = lap(u) - (c*w); w = -up(u)*dx(u); c = 2", "-up(u)*dx(u)", "advect(u, -a, 0)"},
        {"du/dt = -advect(u, 1, 0)", "advect(u, 1, 0)", "subtracted"},
        {"du/dt = ind(x/64)", "x/64", "> 0`"},
        {"du/dt = lap(u) - k_t*u; k_t = 0.1", "k_t", "the rate dk/dt"},
        {"du/dt = -du/dx", "du", "`dx(u)`"},
        {"du/dt = Dlap(u); D = 1", "Dlap", "`D*lap(...)`"},
        {"du/dt = lap(u); Left: Dirichlet = 0; right: u = 0", "Dirichlet", "`u = f`"},
        {"// heat\ndu/dt = lap(u)", "//", "begin with #"},
        {"du/dt = u; inside = 100 - x^2", "100 - x^2", "> 0`"},
        {"du/dt = lap(u); left: u = 1; left: flux(u) = 0; right: u = 0", "left", "two conditions"},
        {"du/dt = lap(w); w = u^2; left: w = 0", "left", "give `right:`"},
        {"du/dt = lap(u); left: periodic; right: u = 0",
         "right",
         "at the left side and not at the right one"},
        {"du/dt = lap(u); top: u = 0; bottom: periodic",
         "bottom",
         "at the bottom side and not at the top one"},
        {"du/dt = dot(u, grad(u))", "u", "`dot(grad(u), grad(v))`"},
        {"du/dt = div(u)", "u", "`div(grad(u))`"},
        {"du/dt = u^5000", "5000", "1024"},
        {"du/dt = u[9,0]", "9", "-8 to 8"},
        {"du/dt = image(f)", "f", "quotes"},
        {"du/dt = u $ 2", "$", "no meaning"},
        {"du/dt = u; D = 2 in [3, 4]", "D", "2 is not in [3, 4]"},
        {"du/dt = u; D = 5 in [4, 3]", "[", "below its end"},
        {"du/dt = u; left: u*u = 1", "u*u = 1", "linear"},
        {"du/dt = u; left: 1 = 2", "1 = 2", "names a component"},
        {"du/dt = u; middle: u = 1", "middle", "left, right"},
        {"du/dt = u; boundary = insulated; left: periodic", "left", "both"},
        {"du/dt = u; stepper = rk5", "rk5", "symplectic"},
        {"du/dt = u; dx = -1", "-", "above 0"},
        {"D = 1", "D = 1", "nothing evolves"},
        {"hello", "hello", "du/dt"},
    }));
    INFO(text);
    const Refusal r = text_refusal(text);
    INFO(r.sentence);
    CHECK(r.about == about);
    CHECK(contains(r.sentence, word));
}

TEST_CASE("A file is one source of data however often it is named, and a picture is not an array") {
    const auto e =
        read_equations("du/dt = image(\"a\") + array(\"a\") + image(\"b\") + image(\"a\") + array(\"a\")");
    CHECK(e.data.size() == 3);
}

TEST_CASE("Channels of pictures and other places of them are sources of their own") {
    const auto e = read_equations(
        "du/dt = I_S + I_SR + I_SA*I_S(x, y) + I_S(x + dx, y) + I_SB(Lx - x, y/2) + p(x + dx, y) + p(Lx - x, "
        "2*y - dx); I_S = image(\"a\", mean); p = image(\"a\", mean); origin = 3, -Ly");
    REQUIRE(e.data.size() == 6);
    CHECK(e.data[0].channel == stencil::Channel::mean);
    CHECK(e.data[1].channel == stencil::Channel::red);
    CHECK(e.data[2].channel == stencil::Channel::alpha);
    CHECK(e.data[3].channel == stencil::Channel::mean);
    CHECK(e.data[4].channel == stencil::Channel::blue);
    CHECK_FALSE(e.data[2].place);
    for (const int i : {3, 4, 5}) CHECK(e.data[std::size_t(i)].place);
    CHECK(read_equations("du/dt = I_SR + I_SA*I_S(x/2, y); I_S = 3").data.empty());
}

TEST_CASE("A formula beside the text is one formula") {
    CHECK(read_equations("du/dt = u", {"x;"}).extra.size() == 1);
    for (const char* formula : {"x; garbage ((", "x; y", "1\n2"})
        CHECK_THROWS_AS(read_equations("du/dt = u", {formula}), TextError);
}

TEST_CASE("The report of a mistake has its line and a caret below") {
    try {
        read_equations("# first\ndu/dt = lap(u)\n∂v/∂t = µ*v\n");
        FAIL("taken");
    } catch (const TextError& error) {
        CHECK(error.line() == 3);
        CHECK(error.column() == 9);
        CHECK(contains(std::string(error.what()), "\n  ∂v/∂t = µ*v\n          ^"));
    }
}

TEST_CASE("Texts of editors and web pages are read: their spaces, line ends and marks") {
    CHECK(read_equations("\ufeffdu/dt\u00a0= lap(u)\u2009- K*u\r\nK\u202f= 1\r\n").parameters[0].name == "K");
    try {
        read_equations("\tdu/dt = k\r\n");
        FAIL("taken");
    } catch (const TextError& error) {
        CHECK(std::string(error.what()).ends_with("\n   du/dt = k\n           ^"));
    }
}

TEST_CASE("Hostile model texts are refused, and soon") {
    for (const auto& [begin, count, piece, word] : {std::tuple{"du/dt = ", 20000, "(", "deep"},
                                                    {"du/dt = u", 20000, "^u", "powers"},
                                                    {"du/dt = u", 20000, "+u", "deep"},
                                                    {"du/dt = ", 10000, "sin(", "deep"}})
        CHECK(contains(text_refusal(begin + repeated(count, piece)).sentence, word));
    CHECK(contains(text_refusal("du/dt = " + repeated(20000, "-") + "u").sentence, "signs"));
    CHECK_THROWS_AS(read_equations(repeated(1 << 20, "u")), TextError);
    CHECK_THROWS_AS(read_equations("du/dt = \xff"), TextError);
    // A long chain of definitions, and one that would have 2^60 terms if expanded.
    const auto chain = [](int i) { return fmt::format("a{} = a{} + u\n", i + 1, i); };
    const auto doubled = [](int i) { return fmt::format("a{} = a{}*a{}\n", i + 1, i, i); };
    CHECK_THROWS_AS(read_equations("du/dt = a3000\n" + repeated(3000, chain)), TextError);
    const Equations e = read_equations("du/dt = lap(a60*u)\na0 = u + x\n" + repeated(60, doubled));
    CHECK(e.graph.size() < 1000);
}

TEST_CASE("A text of which a step has too many parts is bad input") {
    for (const auto& [begin, piece, count] : {std::tuple{"du/dt = 0*u", " + sin(u*{})", 4000},
                                              {"du/dt = lap(u)", "+cos({}*u+v); dv/dt=0", 1},
                                              {"du/dt = 0; u(0) = x", " + sin(x*{})", 4500},
                                              {"integrator = dp54; du/dt = 0*u", " + sin(u*{})", 1000}}) {
        std::string text = begin, parts;
        for (int i = 1; i <= count; ++i) {
            if (i % 100 == 1) text += fmt::format(" + a{}", i);
            parts += i % 100 == 1 ? fmt::format("\na{} = 0", i) : "";
            parts += fmt::format(fmt::runtime(piece), i);
        }
        text += parts;
        REQUIRE(text.size() < (1 << 16));
        CAPTURE(text.substr(0, 40));
        try {
            const Equations e = read_equations(text);
            make_program(e, e.integrator, false);
            make_start_program(e, true);
        } catch (const stencil::InputError& error) {
            CHECK(contains(error.what(), "different parts"));
        }
    }
}

TEST_CASE("Short texts that mean much are stepped or refused within seconds") {
    struct Case {
        std::string text;
        double most_operations;  ///< per cell; 0: it is refused
    };
    const std::string doubled =
        repeated(40, [](int i) { return fmt::format("a{} = a{}*a{}\n", i + 1, i, i); });
    const auto c = GENERATE_COPY(values<Case>({
        {"du/dt = div(g40); g0 = grad(u)\n" +
             repeated(40, [](int i) { return fmt::format("g{} = g{} + g{}\n", i + 1, i, i); }),
         50},
        {"du/dt = ((u^1024)^1024)^1024", 100},
        {"du/dt = a40; a0 = u\n" + doubled, 100},
        {"du/dt = a90; a0 = u\n" +
             repeated(90, [](int i) { return fmt::format("a{} = lap(a{})*a{} + a{}\n", i + 1, i, i, i); }),
         3000},
        {"du/dt = u" + repeated(16, [](int) { return "[8,8]"; }), 1000},
        {"du/dt = u" + repeated(200, [](int) { return "[8,8]"; }), 0},
        {"du/dt = 0" + repeated(100, [](int i) { return fmt::format(" + u[8,{}][7,{}]", i % 8, i / 8 - 6); }),
         0},
        {repeated(16,
                  [](int i) { return fmt::format("dc{}/dt = 0.1*lap(c{}) - c{}\n", i, i, (i + 1) % 16); }) +
             "stepper = imex",
         500},
        {repeated(8,
                  [](int i) {
                      return fmt::format("dc{}/dt = lap(c{})", i, i) +
                             repeated(59,
                                      [i](int j) {
                                          return fmt::format(" + F*c{}^{}*{}", (i + j) % 8, 1 + j % 5, j);
                                      }) +
                             "\n";
                  }) +
             "F = 0.001; sensitivity = F",
         20000},
    }));
    INFO(c.text.substr(0, 100));
    const std::clock_t begin = std::clock();
    const Answer got = answer(c.text);
    // Takes a second or less; with sanitizers twenty times as long.
    CHECK(double(std::clock() - begin) / CLOCKS_PER_SEC < 40);
    INFO(got.refused << ", operations " << got.operations);
    CHECK(got.refused.empty() == (c.most_operations > 0));
    CHECK(got.operations <= c.most_operations);
}

TEST_CASE("Numbers are read as people type them") {
    const std::pair<const char*, double> typed[] = {
        {"1e4", 1e4},
        {"10k", 1e4},
        {"1.5k", 1500},
        {"2M", 2e6},
        {"3G", 3e9},
        {"2^20", 1048576},
        {" 10 000 ", 1e4},
        {"1 000 000", 1e6},
        {"-0.25", -0.25},
        {"+.5", 0.5},
        {"1/4", 0.25},
        {"3*(4 + 1)", 15},
        {"2×10²", 200},
        {"2*10k + 1", 20001},
        {"sqrt(2)^2/2 - pi", 1.0000000000000002 - std::numbers::pi}};
    for (const auto& [text, value] : typed) {
        CAPTURE(text);
        CHECK(typed_number(text) == value);
    }
}

TEST_CASE("What is not a number, or two of them, is none") {
    for (const char* text :
         {"",       " ",     "abc", "1e",     "k",     "2^",      "^2",       "1e400", "9^999", "0x10",
          "1,5",    "nan",   "1/0", "2 3",    "10kk",  "10k 000", "5;",       "5;6",   "(1",    "x",
          "lap(1)", "\"5\"", "inf", "u[1,0]", "1 < 2", "10 0000", "sqrt(-1)", "\xff"}) {
        CAPTURE(text);
        CHECK_FALSE(typed_number(text));
        CHECK_FALSE(typed_whole(text));
    }
}

TEST_CASE("Whole numbers are whole, and exact") {
    CHECK(typed_whole("1e4") == 10000);
    CHECK(typed_whole("2^53") == 1LL << 53);
    CHECK(typed_whole("9223372036854775807") == std::numeric_limits<long long>::max());
    CHECK(typed_whole("-3") == -3);
    for (const char* text : {"2.5", "1/3", "1e16", "2^54"}) {
        CAPTURE(text);
        CHECK(typed_number(text));
        CHECK_FALSE(typed_whole(text));
    }
}

TEST_CASE("Every colour table and its reverse can be named in a text, in letters of any size") {
    for (const stencil::Colormap& table : stencil::colormaps())
        for (const std::string& name : {table.name, table.name + "_r"}) {
            std::string small = name, large = name;
            for (char& c : small) c = char(std::tolower(c));
            for (char& c : large) c = char(std::toupper(c));
            for (const std::string& spelt : {name, small, large}) {
                INFO(spelt);
                REQUIRE(read_equations("du/dt = lap(u); colormap = " + spelt).colormap == name);
            }
            REQUIRE(stencil::colormap(name).name == name);
        }
    const std::string sentence = text_refusal("du/dt = lap(u); colormap = vikP").sentence;
    CHECK(sentence.find("vikO") != std::string::npos);
}
