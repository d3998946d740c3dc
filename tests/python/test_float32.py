"""Steps in float32 are as accurate as NumPy's, which evaluate each term of the text separately."""

import pathlib
import sys

import numpy as np
import pytest

import stencilscope as ss

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "soak"))
from stepper import Run, Unsupported  # noqa: E402

MODELS = sorted(path.stem for path in (HERE.parents[1] / "assets" / "models").glob("*.txt"))
STEPS = 120


def distance(a, b):
    return np.sqrt(np.mean((a.astype(float) - b) ** 2))


@pytest.mark.parametrize("name", MODELS)
def test_float32_is_as_near_to_float64_as_terms_by_themselves(name):
    text = (HERE.parents[1] / "assets" / "models" / f"{name}.txt").read_text()
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
