"""Steps in float32 are as accurate as NumPy's, which evaluate each term of the text separately."""

import pathlib

import numpy as np
import pytest
from stepper import Run, Unsupported

import stencilscope as ss

MODELS = {path.stem: path for path in sorted(pathlib.Path(__file__).parents[2].glob("assets/models/*.txt"))}
STEPS = 120


def distance(a, b):
    return np.sqrt(np.mean((a.astype(float) - b) ** 2))


@pytest.mark.parametrize("name", MODELS)
def test_float32_is_as_near_to_float64_as_terms_by_themselves(name):
    text = MODELS[name].read_text()
    sim = ss.Simulation(model=name, size=(93, 67), dtype="float32", method="cpu", steps=STEPS, allow_unstable=True)
    start = {c: sim.field(c, numpy=True) for c in sim.components}
    ends = []
    try:
        for dtype in (np.float64, np.float32):
            run = Run("\n".join(line for line in text.splitlines() if "(0) =" not in line), 93, 67, dtype=dtype)
            run.state = {c: a.astype(dtype) for c, a in start.items()}
            run.advance(STEPS)
            ends.append(run.state)
    except Unsupported as why:
        pytest.skip(str(why))
    sim.advance(STEPS)
    for c, expected in ends[0].items():
        assert ends[1][c].dtype == np.float32
        own, terms = distance(sim.field(c, numpy=True), expected), distance(ends[1][c], expected)
        assert own <= 1.5 * terms, f"{c}: {own:.1e}, by terms {terms:.1e}"


@pytest.mark.parametrize("formula", ["dx(u^2)", "dy(u*v)", "dxx(u^2*v)", "lap(u*v)", "dxy(u^2)", "dxf(u)", "dyb(u*v) - 3*dxb(v)", "dyf(u^3)"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_flat_field_has_no_derivative(formula, dtype):
    text = f"du/dt = {formula}; dv/dt = 0; dt = 0.1; dx = 1e-3; u(0) = 0.3; v(0) = 0.7; boundary = periodic"
    sim = ss.Simulation(equation=text, size=(40, 30), dtype=dtype, method="cpu", steps=1, allow_unstable=True)
    sim.advance(1)
    assert not np.any(sim.field(formula, numpy=True))
    assert np.all(sim.field("u", numpy=True) == np.dtype(dtype).type(0.3))
