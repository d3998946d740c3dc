// Complex components, which are stepped as their two parts.
#include <fmt/format.h>

#include <complex>

#include "tests/model/typed_run.h"

namespace {

using C = std::complex<double>;

/// A formula of the complex component z, which is a + b i in every cell.
C value_of(const std::string& formula, C z) {
    TypedRun run{.nx = 3, .ny = 3};
    run.start = [&](int c, int, int) { return c == 0 ? z.real() : z.imag(); };
    const auto cells = run_typed<double>(fmt::format("complex z; z' = {}; dt = 1; p = 2", formula), run);
    return {cells[4], cells[9 + 4]};
}

}  // namespace

TEST_CASE("Formulas of complex numbers have their values") {
    const C i(0, 1), z(0.7, -1.3);
    const std::vector<std::pair<std::string, C>> rows{
        {"1i*z", i * z},
        {"2.5i - z", 2.5 * i - z},
        {"z*z/(1 + 2i)", z * z / C(1, 2)},
        {"3/z", 3.0 / z},
        {"z^3 - z^0", z * z * z - 1.0},
        {"z^(-2)", 1.0 / (z * z)},
        {"pow(z, 4)", std::pow(z, 4)},
        {"exp(z)", std::exp(z)},
        {"exp(1i*pi/3)", std::exp(i * std::acos(0.5))},
        {"sinh(z) + cosh(z)", std::exp(z)},
        {"real(z) + 2i*imag(z)", C(z.real(), 2 * z.imag())},
        {"abs(z) + 1i*arg(z)", C(std::abs(z), std::arg(z))},
        {"abs(z)^2*z", std::norm(z) * z},
        {"abs(z)^4", std::pow(std::norm(z), 2)},
        {"z*conj(z)", std::norm(z)},
        {"conj(z)*z*1i", i * std::norm(z)},
        {"conj(z)^2", std::conj(z) * std::conj(z)},
        {"real(3) + imag(3)*1i + abs(-2) + arg(-1)", C(5 + std::acos(-1.0), 0)},
        {"where(real(z) > 0, z, 1i) + where(real(z) < 0, z, 1i)", z + i},
        {"mix(z, 1i, 0.5)", 0.5 * (z + i)},
        {"-z + +z/p", -z + z / 2.0},
        {"z_re + 2*z_im", C(z.real() + 2 * z.imag(), 0)},
        {"w^2; w = z + 1i", (z + i) * (z + i)},
        {"mean(z) + integral(z)/9", 2.0 * z},
        {"lap(z) + dx(z) + z[+1,0]", z},
        {"1i*1i*z", -z},
    };
    for (const auto& [formula, expected] : rows) {
        INFO(formula);
        CHECK(std::abs(value_of(formula, z) - expected) < 1e-14 * (1 + std::abs(expected)));
    }
}

TEST_CASE("A complex component is stepped as the two real ones that it is made of") {
    const OwnCache scratch;
    const auto [complex, real] = GENERATE(table<std::string, std::string>({
        {"complex p; dp/dt = 1i*lap(p) - 1i*V*p; V = cos(x); stepper = symplectic",
         "da/dt = -lap(b) + V*b; db/dt = lap(a) - V*a; V = cos(x); stepper = symplectic"},
        {"complex p; dp/dt = (1 + 2i)*lap(p) + p - (1 - 0.5i)*abs(p)^2*p; boundary = insulated; stepper = "
         "rk4",
         "da/dt = lap(a) - 2*lap(b) + a - (a + 0.5*b)*(a^2 + b^2); db/dt = lap(b) + 2*lap(a) + b - (b - "
         "0.5*a)*(a^2 + b^2); boundary = insulated; stepper = rk4"},
        {"complex p; dp/dt = lap(p) + dx(p)*1i - up(y - 4)*dx(p) + advect(p, 1, x); left: p = 1 + sin(y)*1i; "
         "right: p + 2*flux(p) = exp(1i*t); y: insulated; top: flux(p) = 3i; bottom: p_im = 2; stepper = "
         "heun",
         "da/dt = lap(a) - dx(b) - up(y - 4)*dx(a) + advect(a, 1, x); db/dt = lap(b) + dx(a) - up(y - "
         "4)*dx(b) + advect(b, 1, x); left: a = 1; left: b = sin(y); right: a + 2*flux(a) = cos(t); right: b "
         "+ 2*flux(b) = sin(t); top: flux(a) = 0; top: flux(b) = 3; bottom: flux(a) = 0; bottom: b = 2; "
         "stepper = heun"},
        {"complex p; dp/dt = div((1 + u^2)*grad(p)) + 1i*p[-1,+1] - 0.1*lap2(p) + sum8(p)*u; du/dt = "
         "lap(u) + abs(p) - mean(real(p)); dt = 0.005",
         "da/dt = div((1 + u^2)*grad(a)) - b[-1,+1] - 0.1*lap2(a) + sum8(a)*u; db/dt = div((1 + "
         "u^2)*grad(b)) + a[-1,+1] - 0.1*lap2(b) + sum8(b)*u; du/dt = lap(u) + sqrt(a^2 + b^2) - mean(a); dt "
         "= 0.005"},
        {"complex p; dp/dt = lap(p) + 1i*p; inside = x + y > 5; edge: flux(p) = p*abs(p)^2 + 1i*p*x; dt = "
         "0.005",
         "da/dt = lap(a) - b; db/dt = lap(b) + a; inside = x + y > 5; edge: flux(a) = a*(a^2 + b^2) - b*x; "
         "edge: flux(b) = b*(a^2 + b^2) + a*x; dt = 0.005"},
        {"complex p, q; p' = q*exp(1i*x) + 0.1*p/q; q' = 0.5*conj(p)",
         "a' = c*cos(x) - d*sin(x) + 0.1*(a*c + b*d)/(c^2 + d^2); b' = c*sin(x) + d*cos(x) + 0.1*(b*c - "
         "a*d)/(c^2 + d^2); c' = 0.5*a; d' = -0.5*b"},
    }));
    INFO(complex);
    TypedRun run;
    run.steps = 7;
    const std::string dt = complex.find("dt = 0.005") == complex.npos ? "; dt = 0.05" : "";
    const auto whole = by_all(complex + dt, run), parts = run_typed<double>(real + dt, run);
    CHECK(relative_error(whole, parts) < 1e-13);
}

TEST_CASE("Starts, sensitivities and terms of a complex component are those of its parts") {
    using namespace stencil::equation;
    const Equations e = read_equations(
        "complex psi; dpsi/dt = 1i*k*lap(psi) - psi; psi(0) = exp(1i*k*x); k = 2; sensitivity = k; stepper = "
        "rk4",
        {"real(d(psi)/d(k)*conj(psi))"});
    REQUIRE(e.components.size() == 4);
    CHECK(e.components[0].name == "psi_re");
    CHECK(e.components[1].name == "psi_im");
    CHECK(e.components[3].name == "dpsi_im_dk");
    CHECK(e.components[1].terms.at(0).text == "1i*k*lap(psi)");
    UniformState state = uniform_state(e, {0.1, 0.2});
    state.x = 0.3;
    CHECK(std::abs(value_at(e, *e.components[0].initial, state) - std::cos(0.6)) < 1e-15);
    CHECK(std::abs(value_at(e, *e.components[1].initial, state) - std::sin(0.6)) < 1e-15);
    // The shortest wave has the rate -1 + 16 i, by which rk4 grows from this dt on.
    const StableStep limit = stable_step(e, scheme_of("rk4"), {state});
    CHECK(limit.term == "1i*k*lap(psi)");
    CHECK(std::abs(limit.dt - 0.18235) < 1e-4);
    const auto rates = dispersion(e, state, 0.5);
    const double turns = 2 * (2 - 2 * std::cos(0.5));
    for (const Complex& rate : rates) {
        CHECK(std::abs(rate.real() + 1) < 1e-12);
        CHECK(std::abs(std::abs(rate.imag()) - turns) < 1e-12);
    }
}

TEST_CASE("First derivatives with complex factors let waves grow in truth, which leaves a largest step") {
    using namespace stencil::equation;
    const auto limit = [](const std::string& text) {
        const Equations e = read_equations("complex psi; " + text);
        return stable_step(e, e.integrator, {uniform_state(e, {0, 0})});
    };
    // A condensate that turns and loses energy, far from the axis: its long waves grow.
    const std::string turning =
        "dpsi/dt = (1i + 0.05)*(0.5*lap(psi) - 1i*(1.2*dx(psi) - 0.7*dy(psi))); dx = 0.5; stepper = ";
    for (const char* stepper : {"euler", "heun", "rk4", "imex"}) {
        INFO(stepper);
        CHECK(limit(turning + stepper).dt > 0);
        CHECK(!limit(turning + stepper).downwind);
    }
    CHECK(limit("dpsi/dt = (1i + 0.05)*0.5*lap(psi) - dxf(psi)").downwind);
    // Runs beside the limit, by which the shortest waves stay or grow.
    const std::string text =
        "complex psi; dpsi/dt = (0.3 + 1i)*(lap(psi) - psi + 1i*(0.5*dx(psi) + 0.2*dy(psi)))\n"
        "stepper = rk4; boundary = periodic; dt = ";
    const double dt = limit(text.substr(text.find(';') + 1) + "1").dt;
    const auto most_after = [&](double step) {
        TypedRun run{.nx = 32, .ny = 32, .steps = 1500};
        run.start = [](int c, int x, int y) { return 0.1 * ((5 * x + 3 * y + c) % 7 - 3); };
        return largest(run_typed<double>(text + fmt::format("{}", step), run));
    };
    CHECK(most_after(0.98 * dt) < 1);
    CHECK(!(most_after(1.05 * dt) < 1e6));
}

TEST_CASE("The page's example is a packet that comes back to where it was, across the middle") {
    std::string page = read_bytes(reference_file("../../docs/equations.md"));
    page = page.substr(page.find("# An electron in a harmonic well"));
    const std::string text = page.substr(0, page.find("```"));
    const auto e = equation::read_equations(text);
    CHECK(e.statements->value("size") == "128x128");
    CHECK(e.show == "density");
    TypedRun run{.nx = 128, .ny = 128, .threads = 2};
    const auto state_at = [&](int x, int y) {
        auto state = uniform_state(e, {0, 0});
        state.nx = state.ny = 128;
        state.x = x + 0.5;
        state.y = y + 0.5;
        return state;
    };
    run.start = [&](int c, int x, int y) {
        return equation::value_at(e, *e.components[std::size_t(c)].initial, state_at(x, y));
    };
    const auto middle = [&](long long steps) {
        run.steps = steps;
        const auto cells = run_typed<double>(text, run);
        double sum = 0, along_x = 0, along_y = 0;
        for (int y = 0; y < 128; ++y)
            for (int x = 0; x < 128; ++x) {
                const std::size_t at = std::size_t(y * 128 + x);
                const double density = std::norm(C(cells[at], cells[at + 128 * 128]));
                sum += density;
                along_x += density * (x + 0.5);
                along_y += density * (y + 0.5);
            }
        return std::array{sum, along_x / sum, along_y / sum};
    };
    // The middle of a packet goes as a particle in the well does: half a period is pi/k.
    const auto start = middle(0), half = middle(std::lround(std::acos(-1.0) / 0.05 / e.dt.value()));
    CHECK(std::abs(start[1] - 128 / 3.0) < 0.1);
    CHECK(std::abs(half[0] / start[0] - 1) < 0.01);
    CHECK(std::abs(half[1] - (128 - 128 / 3.0)) < 1.5);
    CHECK(std::abs(half[2] - 64) < 1.5);
}

TEST_CASE("A complex number where a real one is needed is refused at its place") {
    struct Row {
        std::string text, about, says;
    };
    const std::string z = "complex z; dz/dt = lap(z); ";
    for (const Row& row : {
             Row{"du/dt = 1i*u", "1i*u", "`complex u`"},
             Row{z + "dv/dt = z", "z", "real(...)"},
             Row{z + "dv/dt = sin(z)", "z", "where a real number"},
             Row{z + "dv/dt = ind(z > 1)", "z", "where a real number"},
             Row{z + "dv/dt = real(z)^(1i)", "(1i)", "where a real number"},
             Row{z + "dv/dt = real(z^0.5)", "0.5", "whole powers"},
             Row{z + "dv/dt = real(grad2(z))", "z", "where a real number"},
             Row{z + "dv/dt = max(z, 1)", "z", "where a real number"},
             Row{z + "dv/dt = max(z)", "z", "where a real number"},
             Row{z + "dv/dt = up(z)*dx(v)", "z", "where a real number"},
             Row{z + "inside = z", "z", "where a real number"},
             Row{z + "show = z", "z", "density = abs(z)^2"},
             Row{z + "w = z^2; left: w = 1", "w", "define parts"},
             Row{z + "left: z + 1i*flux(z) = 1", "1i*flux(z)", "are real"},
             Row{z + "dv/dt = lap(v); left: v = 1i", "v = 1i", "`v` is real"},
             Row{z + "left: z = 1; left: z = 2", "left", "two conditions"},
             Row{z + "z_re = 3", "z_re", "evolves"},
             Row{z + "z = 3", "z", "evolves"},
             Row{z + "dz_re/dt = 3", "z_re", "evolves"},
             Row{"complex z; du/dt = u", "z", "dz/dt"},
             Row{"complex z, z; dz/dt = z", "z", "twice"},
             Row{"complex z = 3; dz/dt = z", "=", "'='"},
             Row{"complex z, 3; dz/dt = z", "3", "names of complex"},
             Row{z + "lap(psi) = z", "z", "where a real number"},
             Row{z + "z(0) = z", "z", "not of components"},
             Row{"du/dt = u*i", "i", "`1i`"},
             Row{"du/dt = u*I", "I", "`1i`"},
         }) {
        INFO(row.text);
        const Refusal refusal = text_refusal(row.text);
        CHECK(refusal.sentence.find(row.says) != std::string::npos);
        INFO(refusal.sentence);
        CHECK(refusal.about.find(row.about) != std::string::npos);
    }
}

TEST_CASE("Names of the functions of complex numbers are a text's own where it has them") {
    const auto cells =
        run_typed<double>("u' = real + imag*arg - conj; real = 2; imag = u; arg = 3; conj = 1", {});
    TypedRun run;
    CHECK(std::abs(cells[0] - (1 + 3 * run.start(0, 0, 0))) < 1e-15);
}
