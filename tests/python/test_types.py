"""Type-checks scripts that use the module, and the module itself, by mypy and by pyright."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

import stencilscope as ss

RIGHT = """
import pathlib
import stencilscope as ss
sim = ss.Simulation("gaussian", coefficient=0.2, boundary="periodic", size=(5, 4), dtype="float32")
sim.advance(10, progress=lambda done, steps: print(done, steps)).advance()
sim.advance(10, progress=True)
sim.set("coefficient", 0.1)
largest: float = sim.statistics()["max"]
rows, columns = sim.shape
names: list[str] = sim.components
files: list[str] = sim.export(pathlib.Path("out"), ["field.npy"])
again: ss.Simulation = ss.Simulation.load("out")
again.figure("out.png")
again.plot("u", vmin=0)
field = ss.jump(sim.fields["u"], steps=100, coefficient=0.2)
seconds: float = ss.bench(size="64", repeats=5)["rows"][0]["seconds"]
title: str = ss.models()["heat"]["title"]
text: str = ss.from_sympy([], {"D": 0.2}, boundary="periodic")
sim.parameters["coefficient"] = 0.1
sim.fields["u"] = "u + 1"
times = [now.time for now in sim.advance(until=3, every=0.5)]
series = sim.advance(until=5.0, every="0.5t", store=["u"])["u"]
more: ss.Simulation = sim.advance(steady=1e-6)
extent: tuple[float, float, float, float] = sim.extent
ss.Simulation(**sim.settings)
"""

WRONG = [
    'sim.advance("3")',
    "sim.advance(3, progress=5)",
    "sim.statistics(7)",
    "text: str = sim.step",
    "sim.figure(3)",
    "sim.nothing()",
    'ss.Simulation(boundry="zero")',
    'ss.Simulation(seed=[1])',
    'ss.Simulation(parameters={"F": "a"})',
]


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    """Writes right.py and wrong.py, in which line 3 is the first mistake."""
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text("\n".join(["import stencilscope as ss", "sim = ss.Simulation(size=16)", *WRONG]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def place():
    return pathlib.Path(ss.__file__).parents[1]


def run(*words):
    environment = {**os.environ, "PYTHONPATH": str(place())}
    if place().name != "site-packages":  # mypy searches it by itself
        environment["MYPYPATH"] = str(place())
    return subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True, env=environment, timeout=120)


def test_mypy_passes_right_scripts_and_finds_mistakes(scripts):
    if not importlib.util.find_spec("mypy"):
        pytest.skip("mypy is not here")
    done = run("mypy", "--strict", "--cache-dir", str(scripts), "right.py", "wrong.py")
    assert not done.stderr and "right.py" not in done.stdout and "stencilscope/" not in done.stdout, done.stdout + done.stderr
    for line in range(3, 3 + len(WRONG)):
        assert f"wrong.py:{line}: error" in done.stdout


def test_pyright_passes_right_scripts_and_finds_mistakes(scripts):
    if not importlib.util.find_spec("pyright"):
        pytest.skip("pyright is not here")
    try:  # the first start may fetch Node.js
        done = run("pyright", "--outputjson", "right.py", "wrong.py")
    except subprocess.TimeoutExpired:
        pytest.skip("pyright does not start here in two minutes")
    if not done.stdout:
        pytest.skip("pyright does not start here: " + done.stderr[-200:])
    errors = [row for row in json.loads(done.stdout)["generalDiagnostics"] if row["severity"] == "error"]
    assert {(pathlib.Path(row["file"]).name, row["range"]["start"]["line"] + 1) for row in errors} == {
        ("wrong.py", line) for line in range(3, 3 + len(WRONG))
    }, done.stdout
