// Fuzzes a model's text, and requires equal bits from the vector and the scalar interpreter.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>

#include "kernels/equation/equation_stepper.h"
#include "sim/model/step/stages.h"
#include "tests/fuzz/fuzz.h"

using namespace stencil;
using namespace stencil::equation;

namespace stencil_fuzz {
namespace {

// Exceeds the second-level cache, so that a pass does several stages in bands.
constexpr int kColumns = 65, kRows = 700;

std::vector<float> stepped(const Program& program, const Equations& equations, bool plain) {
    static ThreadPool threads(2);
    EquationSetup setup{kColumns, kRows, equations.spacing, equations.dt.value_or(0.1), {}, 3, plain};
    for (const ModelParameter& parameter : equations.parameters) setup.parameters.push_back(parameter.value);
    EquationStepper<float> stepper(program, setup, threads);
    for (int c = 0; c < program.components; ++c)
        for (int y = 0; y < kRows; ++y)
            for (int x = 0; x < kColumns; ++x)
                stepper.component(c).at(x, y) = float(x * 7 + y * 5 + c) / 16 - 1;
    stepper.advance(2);
    std::vector<float> cells;
    for (int c = 0; c < program.components; ++c)
        for (int y = 0; y < kRows; ++y)
            for (int x = 0; x < kColumns; ++x) cells.push_back(stepper.component(c).at(x, y));
    return cells;
}

void check_program(const Equations& equations, const Integrator& scheme) {
    Program program;
    if (!accepted([&] { program = make_program(equations, scheme, false); })) return;
    std::size_t operations = 0;
    for (const Stage& stage : program.stages) {
        operations += stage.operations.size();
        for (std::size_t i = 0; i < stage.operations.size(); ++i)
            for (const int argument : stage.operations[i].args)
                require(argument < int(i), "operations come after their arguments");
    }
    constexpr std::size_t kQuick = 300;
    if (operations > kQuick) return;
    const std::vector<float> plain = stepped(program, equations, true),
                             rows = stepped(program, equations, false);
    for (std::size_t i = 0; i < plain.size(); ++i)
        require((std::isnan(plain[i]) && std::isnan(rows[i])) ||
                    std::memcmp(&plain[i], &rows[i], sizeof(float)) == 0,
                "rows have the bits of single cells");
}

// Boundary conditions for components, separately for each axis; components without any are periodic.
std::string sides_of(const Equations& equations, std::size_t choice) {
    static constexpr std::array kConditions{"",
                                            "; x: {0} = y",
                                            "; x: flux({0}) = 0",
                                            "; left: {0} + 2*flux({0}) = sin(y); right: {0} = 1",
                                            "",
                                            "; y: {0} = 0",
                                            "; y: flux({0}) = t",
                                            "; top: {0} = x; bottom: {0} + flux({0}) = 1"};
    std::string text;
    for (const Evolving& component : equations.components)
        for (const std::size_t axis : {0, 1}) {
            choice = choice * 6364136223846793005u + 1442695040888963407u;
            text += fmt::format(fmt::runtime(kConditions[4 * axis + (choice >> 60) % 4]), component.name);
        }
    return text;
}

void run_one(std::string_view input) {
    Equations equations;
    // An editor reads a text with mistakes, too, and without them finds the same.
    const Statements readable = readable_statements(input);
    if (!accepted([&] { equations = read_equations(input); })) return;
    require(readable.unreadable.empty(), "a text without mistakes is readable");
    const std::size_t choice = std::hash<std::string_view>()(input);
    const std::string text = std::string(input) + sides_of(equations, choice);
    accepted([&] { equations = read_equations(text); });
    const IntegratorRow& row = integrators()[choice % integrators().size()];
    check_program(equations, Integrator(row, row.stages > 0 ? 5 : 0));
}

std::vector<std::string> seeds() {
    return {
        "du/dt = Du*lap(u) - u*v^2 + F*(1 - u)\ndv/dt = lap(v) + u*v^2 # eaten\nDu = 0.16 in [0, 1]; F = "
        "0.035 [1/s]",
        "du/dt = lap(r*(u^3 - u) - e*lap2(u)); r = 0.25; e = sqrt(2)/4; boundary = insulated; dx = 0.5; dt = "
        "1e-3",
        "da/dt = b; db/dt = lap(a); left: a = sin(y + t); right: a + 2*flux(a) = 1; a(0) = exp(-x^2)",
        "du/dt = div(exp(-D*grad2(u))*grad(u)) + tanh(u)*cos(y*u) - log(1 + u^2)*atan2(u, x - 2); D = 5",
        "u' = ind(sum8(u) == 3 or (u == 1 and not sum8(u) != 2)); size = 64x48; boundary = zero",
        "du/dt = advect(u, V, t) - up(V)*dx(u^V) + u_xx + u[x+dx,y] + u[-2,+1]; V = -2; inside = x^2 + y^2 < "
        "9; stepper = rk4",
        "du/dt = lap(u*v) - v; dv/dt = div(u*grad(v)); inside = v < t or x > 3; edge: u = t*x - v; edge: 2*v "
        "+ flux(v) = u^2",
        "m*u_tt + c*du/dt - u_xx = f(u, g(u)); f(a, b) = a*erf(b); g(x) = x^2; m = 2; c = 0.1; u_t(0) = "
        "u(0); u(0) = random",
        "tau*dv/dt + v = ind(v = 1) + q*Δv; q(t) = sin(t); tau = 2; left: v_x = 1; noise = ito; dy = 1",
        "delta_a = laplacian_a - a*b*b + 1.0f*normal; delta_b = max(a, min(b, 2)) + dot(vec(a, b), grad(a));",
        "du/dt = dx(u*dx(v)) - lap(lap(u) - v); dv/dt = dxb(dxf(v)) + dy(x*dy(u)); dt = 1e-3",
        "dw/dt = 0.1*lap(w) - dy(psi)*dx(w); lap(psi) - k*psi = -w + q; lap2(q) = w*x; k = 2; all: psi = "
        "sin(t)",
        "complex z, q; dz/dt = (1 + 2i)*lap(z) + z/conj(q) - abs(z)^2*z^3; q' = exp(1i*arg(z)) - "
        "real(q[+1,0])*2i; left: z = 1i*t; right: z_im = 2; z(0) = exp(1i*x)",
        "∂u/∂t = ∇²u + u³ − u; w = where(u > 0, abs(u), mod(u, 2)); source = \"a text\"; laplacian = "
        "isotropic",
        "const float4 q = (float4)a*2.0f;\ndelta_a = clamp(q, -1.0f, H(a, 0.5)) + select(a, b, isless(a, b)) "
        "- sobelN_a + WhiteNoise_2;\ndelta_b = smoothstep(0, 1, b) + Bump(0, 0, L/3) + Gauss(1, 2, 3, 4, "
        "0.5) + b_xf2;\norigin = -Lx/2, L_min; laplacian = fourth; stepper = midpoint; boundary = no-flux"};
}

const Target target("equation", run_one, seeds);

}  // namespace
}  // namespace stencil_fuzz
