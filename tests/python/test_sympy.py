"""Equations of SymPy become the program's text."""

import math

import numpy as np
import pytest

import stencilscope as ss

sp = pytest.importorskip("sympy", reason="sympy is not here")
x, y, t = sp.symbols("x y t", real=True)
D, F, K, a, b, c, g = sp.symbols("D F K a b c g", positive=True)
u, v = (sp.Function(name)(x, y, t) for name in "uv")


def lap(f):
    return f.diff(x, 2) + f.diff(y, 2)


def flux(d, f):
    return sp.Derivative(d * f.diff(x), x) + sp.Derivative(d * f.diff(y), y)


@pytest.mark.parametrize(
    "rate, text",
    [
        (D * lap(u), "D*lap(u)"),
        (a * u.diff(x, 2) + b * u.diff(y, 2), "a*dxx(u) + b*dyy(u)"),
        (-a * u.diff(x) - b * u.diff(y), "-a*dx(u) - b*dy(u)"),
        (-lap(lap(u)) - 2 * lap(u), "-2*lap(u) - lap2(u)"),
        (lap(lap(lap(u))), "lap(lap2(u))"),
        (u.diff(x, y), "dxy(u)"),
        (u.diff(x, 3) + u.diff(x, y, y), "lap(dx(u))"),
        (flux(1 + u**2, u), "div((u^2 + 1)*grad(u))"),
        (sp.Derivative(u**2 * u.diff(x), x), "dx(dx(u)*u^2)"),
        (sp.Derivative(x * u + u.diff(x), x) + u, "dx(u*x + dx(u)) + u"),
        (sp.Piecewise((u, sp.Xor(u > 1, x < 2)), (0, True)), "where(((u > 1 or x < 2) and (u <= 1 or x >= 2)), u, 0)"),
        (sp.Piecewise((u, sp.Eq(x, 1) | sp.Ne(u, 1)), (0, True)), "where((x == 1 or u != 1), u, 0)"),
        (sp.Heaviside(u, 0) + sp.Heaviside(x), "heaviside(u) + where(x == 0, 1/2, heaviside(x))"),
        (sp.Function("laplacian")(u**3 - u), "lap(u^3 - u)"),
        (lap(u) * u + lap(u), "u*lap(u) + lap(u)"),
        (u.diff(x) ** 2 + u.diff(y) ** 2, "dx(u)^2 + dy(u)^2"),
        (sp.Max(u, a, b) + sp.Abs(u), "max(a, max(b, u)) + abs(u)"),
        (sp.Piecewise((u, (u > 1) & (u < a)), (0, True)), "where((u > 1 and a > u), u, 0)"),
        (sp.Rational(1, 3) * u + sp.sqrt(u) / (1 + u), "u/3 + sqrt(u)/(u + 1)"),
        (sp.exp(-x) * sp.sin(t) + 0.1, "0.1 + exp(-x)*sin(t)"),
    ],
)
def test_a_rate_is_written_in_the_language_of_the_program(rate, text):
    values = {symbol: 0.5 for symbol in rate.free_symbols - {x, y, t}}
    said = ss.from_sympy(sp.Eq(u.diff(t), rate), values).splitlines()[0].partition(" = ")[2]
    # SymPy's versions differ in the order of terms.
    assert sorted(said) == sorted(text), said


def test_gray_scott_makes_the_steps_of_the_included_model():
    equations = [
        sp.Eq(u.diff(t), D * lap(u) - u * v**2 + F * (1 - u)),
        sp.Eq(v.diff(t), D / 2 * lap(v) + u * v**2 - (F + K) * v),
    ]
    values = {D: (0.16, 0, 1), "F": 0.037, K: 0.06}
    text = ss.from_sympy(equations, values, {u: 1, v: sp.exp(-((x - 16) ** 2) / 9)}, boundary="periodic", dt=1)
    sim = ss.Simulation(equation=text, size=32, dtype="float64").advance(50)
    start = {"u": "1", "v": "exp(-(x - 16)^2/9)"}
    included = ss.Simulation(start, model="gray-scott", size=32, dtype="float64").advance(50)
    np.testing.assert_allclose(sim.field("v"), included.field("v"), rtol=1e-12, atol=1e-15)


def test_a_wave_gets_a_velocity_and_keeps_its_energy():
    text = ss.from_sympy(
        sp.Eq(u.diff(t, 2), c**2 * lap(u)), {c: 1}, {u: sp.exp(-((x - 8) ** 2) / 9)}, boundary="periodic", dt=0.1
    )
    assert text.endswith("integrator = symplectic")
    sim = ss.Simulation(equation=text, size=32, dtype="float64")
    assert sim.components == ["u", "u_dot"]
    energy = [sim.advance(steps).statistics("u_dot^2 + dx(u)^2 + dy(u)^2")["mean"] for steps in (0, 100)]
    assert abs(energy[1] / energy[0] - 1) < 0.1


def test_what_is_moved_to_one_side_is_solved_for_the_derivative_by_time():
    said = ss.from_sympy(sp.Eq(2 * u.diff(t) + a * u.diff(x), 0), {a: 1}).splitlines()[0]
    assert said == "du/dt = -a*dx(u)/2"
    damped = ss.from_sympy(sp.Eq(u.diff(t, 2) + g * u.diff(t), lap(u)), {g: 0.1}).splitlines()
    assert damped[:2] == ["du/dt = u_dot", "du_dot/dt = -g*u_dot + lap(u)"]
    linked = ss.from_sympy([sp.Eq(u.diff(t), lap(u)), sp.Eq(v.diff(t), 2 * u.diff(t))]).splitlines()
    assert linked[1] == "dv/dt = 2*lap(u)"


@pytest.mark.parametrize(
    "rate, text",
    [
        (lap(u**3 - u - a * lap(u)), "-a*lap2(u) + lap(u^3 - u)"),
        (D * lap(u) - (u * v.diff(x)).diff(x) - (u * v.diff(y)).diff(y), "D*lap(u) + div(-grad(v)*u)"),
        (-(u * v.diff(x)).diff(x) - (u * v.diff(y)).diff(y) + u - u**2, "div(-grad(v)*u) - u^2 + u"),
        (((2 + sp.sin(x)) * u.diff(x)).diff(x) + ((2 + sp.sin(x)) * u.diff(y)).diff(y), "div((sin(x) + 2)*grad(u))"),
        ((u.diff(x) / (1 + u)).diff(x) + (u.diff(y) / (1 + u)).diff(y), "div(grad(u)/(u + 1))"),
        (a * lap(u) - (u**2 / 2).diff(x), "a*lap(u) + dx(-u^2/2)"),
        (-(sp.sin(x) * u).diff(x), "dx(-u*sin(x))"),
        (-(u * v).diff(x), "dx(-u*v)"),
        ((u * u.diff(x)).diff(x) + (v * u.diff(y)).diff(y), "dx(dx(u)*u) + dy(dy(u)*v)"),
        (lap(u**2), "lap(u^2)"),
    ],
)
def test_a_divergence_that_diff_expanded_is_written_as_one(rate, text, recwarn):
    values = {symbol: 0.5 for symbol in rate.free_symbols - {x, y, t}}
    equations = [sp.Eq(u.diff(t), rate), sp.Eq(v.diff(t), lap(v) + u - v)]
    said = ss.from_sympy(equations, values).splitlines()[0].partition(" = ")[2]
    assert sorted(said) == sorted(text), said
    assert not recwarn.list


@pytest.mark.parametrize(
    "rate",
    [
        -(u**3 * lap(u).diff(x)).diff(x) - (u**3 * lap(u).diff(y)).diff(y),
        lap(1 / (1 + u)),
        u.diff(x) * v.diff(y) - u.diff(y) * v.diff(x),
        sp.Piecewise((1, x > 2), (2, True)) * lap(u),
    ],
)
def test_a_divergence_that_cannot_be_written_as_one_is_told(rate):
    with pytest.warns(UserWarning, match="total of u is not conserved exactly"):
        text = ss.from_sympy([sp.Eq(u.diff(t), rate), sp.Eq(v.diff(t), lap(v))])
    assert "# the total of u is not conserved exactly" in text


def test_cahn_hilliard_by_diff_keeps_its_mean():
    text = ss.from_sympy(sp.Eq(u.diff(t), lap(u**3 - u - lap(u) / 2)), boundary="periodic", dt=0.01)
    u0 = 0.3 + 0.1 * np.random.default_rng(1).standard_normal((32, 32))
    sim = ss.Simulation(u0, equation=text, dtype="float64").advance(2000)
    assert sim.field().std() > 0.1
    assert abs(sim.field().mean() - u0.mean()) < 1e-13


def test_schroedingers_equation_is_complex_and_turns_a_wave():
    psi = sp.Function("psi")(x, y, t)
    k = 2 * np.pi / 32
    text = ss.from_sympy(sp.Eq(sp.I * psi.diff(t), -lap(psi) / 2), {}, {psi: sp.exp(sp.I * k * x)}, dt=0.02, integrator="rk4", size="32x4", boundary="periodic")
    assert text.splitlines()[:2] == ["complex psi", "dpsi/dt = 1i*lap(psi)/2"]
    sim = ss.Simulation(equation=text, dtype="float64").advance(until=20)
    wave = np.exp(1j * (k * sim.x - (1 - np.cos(k)) * 20))
    np.testing.assert_allclose(sim.fields["psi"][0], wave, atol=1e-9)
    said = ss.from_sympy(sp.Eq(psi.diff(t), (1 + sp.I) * lap(psi) + psi - psi * sp.Abs(psi) ** 2)).splitlines()
    assert said[0] == "complex psi" and "abs(psi)^2" in said[1]


def test_an_elliptic_field_stands_beside_the_one_that_moves():
    psi, k = sp.Function("psi")(x, y, t), sp.Symbol("k")
    equations = [sp.Eq(u.diff(t), lap(u) + psi), sp.Eq(0, lap(psi) - k * psi + u)]
    text = ss.from_sympy(equations, {k: 0.5}, {u: 1 + sp.cos(2 * sp.pi * x / 16)}, dt=0.01, size="16x16", boundary="periodic")
    assert text.splitlines()[1] == "k*psi - lap(psi) = u"
    sim = ss.Simulation(equation=text, dtype="float64")
    of_wave = 1 / (0.5 + 2 - 2 * np.cos(2 * np.pi / 16))
    np.testing.assert_allclose(sim.field("psi")[0], 2 + of_wave * np.cos(2 * np.pi * sim.x / 16), rtol=1e-12)


def test_poisson_alone_is_solved():
    phi, wave = sp.Function("phi")(x, y), sp.sin(2 * sp.pi * x / 32)
    text = ss.from_sympy(sp.Eq(lap(phi), wave), size="32x16", boundary="periodic")
    sim = ss.Simulation(equation=text, dtype="float64")
    expected = np.sin(2 * np.pi * sim.x / 32) / -(4 * np.sin(np.pi / 32) ** 2)
    np.testing.assert_allclose(sim.field("phi"), np.tile(expected, (16, 1)), atol=1e-12)


def test_the_error_function_is_that_of_the_library():
    equation = sp.Eq(u.diff(t), sp.erf(x / 8) - sp.erfc(u))
    text = ss.from_sympy(equation, initial={u: sp.erf(y / 4)}, size="24x16", dt=1, integrator="euler")
    sim = ss.Simulation(equation=text, dtype="float64").advance(1)
    start = np.array([math.erf(place / 4) for place in sim.y])[:, None]
    added = np.array([math.erf(place / 8) for place in sim.x]) - np.vectorize(math.erfc)(start)
    np.testing.assert_allclose(sim.field("u"), start + added, atol=1e-14)


def test_keller_segel_and_a_diffusivity_keep_their_totals_to_rounding():
    chi = sp.Symbol("chi")
    equations = [
        sp.Eq(u.diff(t), lap(u) - (chi * u * v.diff(x)).diff(x) - (chi * u * v.diff(y)).diff(y)),
        sp.Eq(v.diff(t), ((1 + sp.sin(sp.pi * x / 16)) * v.diff(x)).diff(x) + ((1 + sp.sin(sp.pi * x / 16)) * v.diff(y)).diff(y)),
    ]
    sim = ss.Simulation(equation=ss.from_sympy(equations, {chi: 0.5}, {u: "random", v: "random"}, boundary="periodic", dt=0.05), size=32, dtype="float64")
    before = [sim.statistics(name)["mean"] for name in "uv"]
    sim.advance(2000)
    for mean, name in zip(before, "uv", strict=True):
        assert abs(sim.statistics(name)["mean"] - mean) < 1e-14


@pytest.mark.parametrize(
    "equations, told",
    [
        (u, "is no equation"),
        (sp.Eq(u, 1), "derivative by t"),
        (sp.Eq(u.diff(t, 3), u), "first or second"),
        (sp.Eq(u.diff(t), D * u), "D has no value"),
        (sp.Eq(u.diff(t), v), "v has no equation"),
        (sp.Eq(u.diff(t), sp.gamma(u)), "`gamma` is not a function"),
        (sp.Eq(u.diff(t), sp.zoo * u), "no formula of numbers"),
        ([sp.Eq(u.diff(t), lap(u)), sp.Eq(lap(u), v)], "elliptic one for a function without"),
        (sp.Eq(u.diff(t), sp.Integral(u, (x, 0, 1))), "integral over the whole field"),
        (sp.Eq(u.diff(t), u.diff(x, t)), "by x and y"),
        (sp.Eq(sp.sin(u.diff(t)), u), "cannot be solved"),
        ([sp.Eq(u.diff(t), 1), sp.Eq(u.diff(t), 2)], "two equations"),
    ],
)
def test_what_cannot_be_said_is_a_value_error_of_one_line(equations, told):
    with pytest.raises(ValueError, match=told) as error:
        ss.from_sympy(equations)
    assert type(error.value) is ValueError and str(error.value).startswith("from_sympy: ") and "\n" not in str(error.value)
