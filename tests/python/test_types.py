"""Type-checks scripts that use the module."""

import pathlib

import pytest

import stencilscope as ss

api = pytest.importorskip("mypy.api", reason="mypy is not here")

RIGHT = """
import pathlib
import stencilscope as ss
sim = ss.Simulation("gaussian", coefficient=0.2, boundary="periodic", size=(5, 4), dtype="float32")
sim.advance(10, progress=lambda done, steps: print(done, steps)).advance()
sim.set("coefficient", 0.1)
largest: float = sim.statistics()["max"]
rows, columns = sim.shape
names: list[str] = sim.components
files: list[str] = sim.export(pathlib.Path("out"), ["field.npy"])
again: ss.Simulation = ss.Simulation.load("out")
again.figure("out.png")
field = ss.jump(sim.fields["u"], steps=100, coefficient=0.2)
seconds: float = ss.bench(size="64", repeats=5)["rows"][0]["seconds"]
title: str = ss.models()["heat"]["title"]
"""

WRONG = [
    'sim.advance("3")',
    "sim.advance(3, progress=5)",
    "sim.statistics(7)",
    "text: str = sim.step",
    "sim.figure(3)",
    "sim.nothing()",
    'ss.Simulation(parameters={"F": "a"})',
]


def test_right_scripts_pass_and_mistakes_are_found(tmp_path, monkeypatch):
    scripts = [tmp_path / "right.py", tmp_path / "wrong.py"]
    scripts[0].write_text(RIGHT)
    scripts[1].write_text("\n".join(["import stencilscope as ss", "sim = ss.Simulation(size=16)", *WRONG]))
    place = pathlib.Path(ss.__file__).parents[1]
    if place.name != "site-packages":  # mypy searches it by itself
        monkeypatch.setenv("MYPYPATH", str(place))
    said, failed, _ = api.run(["--strict", "--cache-dir", str(tmp_path), *map(str, scripts)])
    assert not failed and "right.py" not in said, said
    for line in range(3, 3 + len(WRONG)):
        assert f"wrong.py:{line}: error" in said
