import json
import pathlib

import pytest

import stencilscope as ss


def test_models():
    models = ss.models()
    assert {"diffusion", "gray-scott"} <= set(models)
    assert models["gray-scott"]["components"] == ["u", "v"] and "F" in models["gray-scott"]["parameters"]
    assert "du/dt" in models["gray-scott"]["text"]


def test_every_model_runs():
    for name in ss.models():
        sim = ss.Simulation(model=name, size=24)
        sim.advance(2)
        assert sim.step == 2, name


def test_bench():
    report = ss.bench(size="64", method="reference", steps=2, repeats=5, backend="cpu", boundary="periodic")
    (row,) = report["rows"]
    assert row["method"] == "reference" and row["nx"] == 64 and row["seconds"] > 0
    with pytest.raises(ValueError, match="repeats"):
        ss.bench(repeats=1)


def test_example(tmp_path):
    report = ss.example("dot", length=1000, backend="cpu", dtype="float64", repeats=1, out=tmp_path)
    assert report["example"] == "dot" and all(row["dtype"] == "float64" for row in report["rows"])
    assert (tmp_path / "report.json").exists()
    with pytest.raises(ValueError, match="ridge"):
        ss.example("rigde")
    with pytest.raises(ValueError, match="rows"):
        ss.example("ridge", rosw=10)


def test_help_lists_the_settings():
    assert "laplacian_range" in ss.Simulation.__doc__ and "SETTINGS" not in ss.Simulation.__doc__


def test_the_notebook_runs():
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not here")
    for needed in ("anywidget", "sympy"):
        pytest.importorskip(needed, reason=f"{needed} is not here")
    matplotlib.use("agg")
    notebook = json.loads((pathlib.Path(__file__).parents[2] / "app/python/example.ipynb").read_text())
    names = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert names["spots"].step == 3000
    assert 0 < names["front"].field(numpy=True)[0, 0] < 1 + 1e-6 and abs(names["front"].time - 15) < 1e-9
