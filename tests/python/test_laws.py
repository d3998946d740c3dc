"""Symmetries: shifting, mirroring, transposing, reordering the components or changing the units of a problem of soak/ does the
same to its solution."""

import re

import numpy as np
import pytest
from problems import Problem

import stencilscope as ss

ORDER_ONE = "dx dxf dxb dy dyf dyb".split()
ORDER_TWO = "lap div dxx dyy dxy grad2 dot".split()


def stepped(text, start, steps):
    sim = ss.Simulation(start, equation=text, dtype="float64", method="cpu", threads=1, allow_unstable=True)
    return {c: sim.advance(steps - sim.step).field(c) for c in sim.components}


def swapped(text, pairs):
    both = {**dict(pairs), **{b: a for a, b in pairs}}
    return re.sub(r"\b(" + "|".join(sorted(both, key=len, reverse=True)) + r")\b", lambda m: both[m[1]], text)


def transposed(text):
    text = re.sub(r"\[([+-]\d),([+-]\d)\]", r"[\2,\1]", text)
    pairs = [("x", "y"), ("Lx", "Ly"), ("nx", "ny"), ("dxx", "dyy"), ("dxf", "dyf"), ("dxb", "dyb"), ("left", "top"), ("right", "bottom")]
    text = re.sub(r"^origin = (.*), (.*)", r"origin = \2, \1", text, flags=re.M)
    return re.sub(r"\bd([xy])\(", lambda m: f"d{'y' if m[1] == 'x' else 'x'}(", swapped(text, pairs))


def mirrored(text):
    text = re.sub(r"\[([+-])(\d),", lambda m: f"[{'-' if m[1] == '+' else '+'}{m[2]},", text)
    text = re.sub(r"\b(dx|dxy)\(", r"(-1)*\1(", text)
    text = re.sub(r"\bdx([fb])\(", lambda m: f"(-1)*dx{'b' if m[1] == 'f' else 'f'}(", text)
    return swapped(re.sub(r"(?<![\w.])x(?!\w|:)", "(Lx - x)", text), [("left", "right")])


def in_other_units(text):
    """Expresses lengths in half the unit."""
    text = re.sub(rf"\b({'|'.join(ORDER_ONE)})\(", r"2*\1(", text)
    text = re.sub(rf"\b({'|'.join(ORDER_TWO)})\(", r"4*\1(", text)
    text = re.sub(r"\blap2\(", "16*lap2(", text)
    text = re.sub(r"\bintegral\(", "0.25*integral(", text)
    text = re.sub(r"flux\(", "2*flux(", text)
    text = re.sub(r"(?<![\w.])(x|y|Lx|Ly|dx)(?!\w|:|\(| =)", r"(\1/2)", text)
    text = re.sub(r"^origin = (.*), (.*)", lambda m: f"origin = {2 * float(m[1])!r}, {2 * float(m[2])!r}", text, flags=re.M)
    return re.sub(r"^dx = (.*)", lambda m: f"dx = {2 * float(m[1])!r}", text, flags=re.M)


def other_order(text):
    return "\n".join(reversed(text.splitlines()))


def symmetric(law, p):
    """Returns whether this transformation supports everything in the problem."""
    text = p.text
    if p.events or p.noise or "map" in p.stepper or p.stepper == "imex" or any(word in text for word in ("psi", "conv(", "random", "normal", "image", "table(")):
        return False
    if law == "shifted":
        return not re.search(r"\b[xy]\b|inside|^(left|top)", text, re.M) and "boundary = periodic" in text
    if law == "in another order":
        return p.stepper != "symplectic"
    if law == "transposed":  # in corners the left and right sides have priority
        corners = re.search(r"isotropic|dxy|sum8|\[[+-][12],[+-][12]\]", text) and re.search(r"^(left|top|x|y)\b", text, re.M)
        return not any(word in text for word in ("vec(", "[[", "advect(", "rusanov(")) and not corners
    if law == "mirrored":
        return not any(word in text for word in ("up(", "vec(", "dot(", "origin", "[[", "advect(", "rusanov("))
    if "integral(" in text and 1 in (p.nx, p.ny):  # which is one along a line
        return False
    return not any(word in text for word in ("up(", "vec(", "dot(", "advect(", "rusanov(")) and not re.search(r"(?<!/)\bdt\b(?! =)", text)


LAWS = {
    "shifted": (lambda text: text, lambda a: np.roll(a, (3, -5), (0, 1)), lambda a: np.roll(a, (-3, 5), (0, 1))),
    "mirrored": (mirrored, np.fliplr, np.fliplr),
    "transposed": (transposed, np.transpose, np.transpose),
    "in another order": (other_order, np.array, np.array),
    "in other units": (in_other_units, np.array, np.array),
}


@pytest.mark.parametrize("law", LAWS)
def test_problems_keep_to_symmetry(law):
    write, turn, back = LAWS[law]
    tried = 0
    for seed in range(5000, 5900):
        p = Problem(seed, events=False)
        p.lines = [line for line in p.lines if "(0) =" not in line]
        if not symmetric(law, p) or p.nx * p.ny > 3000:
            continue
        rng = np.random.default_rng(seed)
        x, y = np.meshgrid(np.arange(p.nx), np.arange(p.ny))
        start = {c: rng.random() + np.sin(0.3 * x * rng.random() + 0.4 * y * rng.random() + i) for i, c in enumerate(p.components)}
        print("law", law, "seed", seed, p.text, write(p.text), sep="\n")
        try:
            expected = stepped(p.text, start, p.steps)
        except ValueError as refusal:  # nothing defines values beyond its sides
            assert "that no condition says" in str(refusal), refusal
            continue
        nearby = [stepped(p.text, {c: a * (1 + 1e-13 * rng.choice([-1, 1], a.shape)) for c, a in start.items()}, p.steps) for _ in range(2)]
        found = stepped(write(p.text), {c: np.ascontiguousarray(turn(a)) for c, a in start.items()}, p.steps)
        for c, a in expected.items():
            own = np.max([np.abs(n[c] - a) for n in nearby], axis=0)
            scale = max(1.0, np.nanmax(np.abs(a), initial=0))
            wrong = (own < 1e-9 * scale) & ~(np.abs(back(found[c]) - a) < 1e-9 * scale + 1e4 * own)
            assert not wrong.any(), f"{law}, seed {seed}: {c} differs in {wrong.sum()} cells"
        tried += 1
        if tried == 20:
            break
    assert tried >= 10


CHANGES = [
    "threads=3", "dx=2", "stepper=heun", "method=reference", "dtype=float64", "dtype=float32", "size=33x20",
    "equation=du/dt = 0*u; dt = 0.004", "equation=du/dt = 0*t; dt = 0.5", "model=diffusion",
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_time_goes_on_from_whatever_changes(dtype, change):
    text = "du/dt = 0.01*lap(u) + 0*t; dt = 0.125; dx = 1; u(0) = random"
    at = ["5:dt=0.004", f"10:{change}"]
    sim = ss.Simulation(equation=text, size=(30, 20), dtype=dtype, method="cpu", steps=30, at=at, allow_unstable=True)
    later = {"dt = 0.5": 0.5, "diffusion": 1}.get(change.split("; ")[-1].removeprefix("model="), 0.004)
    for step, expected in ((3, 0.375), (10, 0.645), (30, 0.645 + 20 * later)):
        sim.advance(step - sim.step)
        np.testing.assert_allclose(sim.field("t", numpy=True), expected, rtol=1e-6)
