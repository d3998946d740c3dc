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
    # Nothing of SmoothLife lives on a smaller field, and its errors are as large as the field after a hundred steps.
    size, steps = ((186, 134), 12) if name == "smoothlife" else ((93, 67), STEPS)
    sim = ss.Simulation(model=name, size=size, dtype="float32", method="cpu", steps=2 * steps, allow_unstable=True)
    runs = []
    try:
        for dtype in (np.float64, np.float32):
            run = Run("\n".join(line for line in text.splitlines() if "(0) =" not in line), *size, dtype=dtype)
            run.state = {c: sim.field(c, numpy=True).astype(dtype) for c in sim.components}
            runs.append(run)
    except Unsupported as why:
        pytest.skip(str(why))

    def compared():
        """Steps all three, and returns each component's errors and the rounding of its largest value."""
        for run in (sim, *runs):
            run.advance(steps)
        for c, expected in runs[0].state.items():
            assert runs[1].state[c].dtype == np.float32
            own, terms = distance(sim.field(c, numpy=True), expected), distance(runs[1].state[c], expected)
            yield c, own, terms, np.abs(expected).max() * 2**-24

    try:
        errors = list(compared())
        # Errors below a rounding are a matter of luck, which is over some steps later.
        if all(own <= max(1.5 * terms, rounding) for _, own, terms, rounding in errors):
            if any(own > 1.5 * terms for _, own, terms, _ in errors):
                errors = list(compared())
    except Unsupported as why:
        pytest.skip(str(why))
    for c, own, terms, _ in errors:
        assert own <= 1.5 * terms, f"{c}: {own:.1e}, by terms {terms:.1e}"


@pytest.mark.parametrize("formula", ["dx(u^2)", "dy(u*v)", "dxx(u^2*v)", "lap(u*v)", "dxy(u^2)", "dxf(u)", "dyb(u*v) - 3*dxb(v)", "dyf(u^3)"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_flat_field_has_no_derivative(formula, dtype):
    text = f"du/dt = {formula}; dv/dt = 0; dt = 0.1; dx = 1e-3; u(0) = 0.3; v(0) = 0.7; boundary = periodic"
    sim = ss.Simulation(equation=text, size=(40, 30), dtype=dtype, method="cpu", steps=1, allow_unstable=True)
    sim.advance(1)
    assert not np.any(sim.field(formula, numpy=True))
    assert np.all(sim.field("u", numpy=True) == np.dtype(dtype).type(0.3))
