"""Shows a simulation in a notebook: pictures, plots, bars, the widget, and models of other packages."""

import json
import os
import pathlib
import struct
import subprocess
import sys

import numpy as np
import pytest

import stencilscope as ss


def test_the_page_has_picture_parameters_and_equations():
    sim = ss.Simulation(equation="du/dt = D*lap(u); D = 0.2", initial="x", size=16)
    page = sim._repr_html_()
    assert "data:image/png;base64,iVBOR" in page and "D = 0.2" in page and "du/dt = D*lap(u)" in page
    table = ss.models()._repr_html_()
    assert "<td>gray-scott</td>" in table and "F = 0.037" in table


def test_what_is_missing_is_named_in_a_line(monkeypatch):
    for missing, call in {
        "matplotlib": lambda: ss.Simulation(size=16).plot(),
        "tqdm": lambda: ss.Simulation(size=16).advance(2, progress=True),
        "anywidget": lambda: ss.Simulation(size=16).widget(),
        "sympy": lambda: ss.from_sympy([]),
    }.items():
        for name in [name for name in sys.modules if name.partition(".")[0] == missing or name == "stencilscope._widget"]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setattr(sys, "meta_path", [Hidden(missing), *sys.meta_path])
        with pytest.raises(ImportError, match=f"needs {missing}: pip install {missing}$"):
            call()
        monkeypatch.undo()


class Hidden:
    """Finds no package of this name."""

    def __init__(self, name):
        self.name = name

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == self.name:
            raise ModuleNotFoundError(f"No module named {name!r}", name=self.name)


def test_importing_needs_numpy_alone():
    code = "import sys, stencilscope; print(sorted({m.partition('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert not {"anywidget", "IPython", "matplotlib", "sympy", "tqdm", "traitlets"} & set(json.loads(loaded.replace("'", '"')))


@pytest.mark.parametrize("scale", ["auto", "log:0.1:10", "symlog:-1:1", "0.2:0.7"])
def test_a_plot_has_the_colours_and_the_range_of_the_program(scale):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not here")
    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    settings = {"dx": 0.5, "range": scale, "colormap": "inferno"}
    sim = ss.Simulation(equation="du/dt = lap(u)", initial="x", size=(16, 8), **settings)
    axes = sim.plot("u/8", ax=plt.figure().gca(), alpha=0.5)
    (image,) = axes.get_images()
    field = sim.field("u/8", numpy=True)
    np.testing.assert_array_equal(image.get_array(), field)
    assert image.get_extent() == [0, 8, 4, 0] and image.get_alpha() == 0.5
    low, high = (field.min(), field.max()) if scale == "auto" else map(float, scale.split(":")[-2:])
    assert (image.norm.vmin, image.norm.vmax) == (low, high)
    assert image.norm(low) == 0 and image.norm(high) == pytest.approx(1)
    np.testing.assert_allclose(image.cmap(1.0)[:3], plt.get_cmap("inferno")(1.0)[:3], atol=0.003)
    assert sim.plot(ax=plt.figure().gca(), vmin=0, vmax=1).get_images()[0].get_clim() == (0, 1)
    with pytest.raises(ValueError, match="w"):
        sim.plot("w")
    plt.close("all")


def test_a_bar_shows_the_steps(capsys):
    pytest.importorskip("tqdm", reason="tqdm is not here")
    sim = ss.Simulation(size=16)
    assert sim.advance(70, progress=True).advance(5, progress=False).step == 75
    assert "70.0/70.0" in capsys.readouterr().err


@pytest.fixture
def widget(monkeypatch):
    """A widget whose messages to the page are kept in `sent`."""
    pytest.importorskip("anywidget", reason="anywidget is not here")
    made = ss.Simulation(model="gray-scott", size=(64, 48)).widget("v", steps=7)
    made.sent = []
    monkeypatch.setattr(made, "send", lambda content, buffers: made.sent.append((content, buffers[0])))
    return made


def ask(widget, what):
    """Does as a page that asks."""
    widget._handle_custom_msg({"do": what}, [])
    return widget.sent[-1]


def test_a_widget_steps_the_simulation_when_the_page_asks(widget):
    frame, png = ask(widget, "show")
    assert frame["step"] == 0 and png[:4] == b"\x89PNG" and struct.unpack(">II", png[16:24]) == (64, 48)
    assert ask(widget, "play")[0]["step"] == 7 and ask(widget, "step")[0]["step"] == 8
    assert frame["low"] == widget.simulation.statistics("v")["min"] == 0
    assert ask(widget, "reset")[0]["step"] == 0
    widget.shown = "u + v"
    assert len(widget.sent) == 5 and widget.sent[-1][0]["high"] == 1


def test_a_slider_sets_a_parameter_and_shows_what_was_refused(widget):
    rows = {row["name"]: row for row in widget.sliders}
    assert (rows["F"]["low"], rows["F"]["value"], rows["F"]["high"]) == (0, 0.037, 0.1)
    widget.parameters = {**widget.parameters, "F": 0.05}
    assert widget.simulation.parameters["F"] == 0.05 and not widget.message
    widget.simulation.set("K", 0.062)  # as another cell does
    widget.parameters = {**widget.parameters, "F": 0.04}
    assert (widget.simulation.parameters["F"], widget.simulation.parameters["K"]) == (0.04, 0.062)
    widget.simulation.set("F", 0.05)
    ask(widget, "show")
    assert widget.parameters["F"] == 0.05
    widget.playing = True
    widget.parameters = {**widget.parameters, "F": float("nan")}
    assert "F" in widget.message and not widget.playing
    assert widget.parameters["F"] == widget.simulation.parameters["F"] == 0.05
    widget.shown = "w"
    assert "`w`" in widget.message


def test_a_large_field_is_sent_smaller():
    pytest.importorskip("anywidget", reason="anywidget is not here")
    png = ss.Simulation("gaussian", size=(3000, 30))._held.image("", 1024)["png"]
    assert struct.unpack(">II", png[16:24]) == (1024, 10)


def test_other_packages_offer_models(tmp_path, monkeypatch):
    package = tmp_path / "offers"
    package.mkdir()
    (package / "decay.txt").write_text('title = "Decay"\ndu/dt = -k*u; k = 0.5; u(0) = 1\n')
    (package / "__init__.py").write_text(
        "import pathlib\ndecay = pathlib.Path(__file__).with_name('decay.txt')\n"
        "grow = 'du/dt = k*u; k = 0.25; u(0) = 1'\nnumber = 3\n"
    )
    info = tmp_path / "offers-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: offers\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[stencilscope.models]\ndecay = offers:decay\ngrow = offers:grow\nheat = offers:grow\n"
        "number = offers:number\nlost = offers:lost\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.warns(UserWarning) as told:
        every = ss.models()
    assert sorted(str(w.message).partition(":")[0] for w in told) == ["lost", "number"]
    assert every["decay"]["title"] == "Decay" and every["grow"]["parameters"] == {"k": 0.25}
    assert every["heat"]["parameters"] == {"D": 1.0}, "a model of the program keeps its name"
    assert ss.Simulation(model="decay", size=16).parameters == {"k": 0.5}
    sim = ss.Simulation(model="grow", size=16, parameters={"k": 1})
    assert sim.parameters == {"k": 1.0}
    sim.set("model", "decay")
    assert sim.parameters == {"k": 0.5}
    with pytest.raises(ValueError, match="lost of offers:lost cannot be loaded"):
        ss.Simulation(model="lost", size=16)
    with pytest.raises(ValueError, match="neither a text nor a path"):
        ss.Simulation(model="number", size=16)


def test_without_fftw_of_the_system_that_of_pyfftw_is_taken(tmp_path):
    (tmp_path / "none").mkdir()
    (tmp_path / "pyfftw.libs").mkdir()
    (tmp_path / "pyfftw").mkdir()
    (tmp_path / "pyfftw" / "__init__.py").touch()
    for kind in ("", "f"):
        (tmp_path / "none" / f"libfftw3{kind}.so.3").touch()
        found = sorted(pathlib.Path("/usr/lib").glob(f"*/libfftw3{kind}.so.3"))
        if not found:
            pytest.skip("FFTW is not here")
        (tmp_path / "pyfftw.libs" / f"libfftw3{kind}-0123.so.3.6").symlink_to(found[0])
    code = "import stencilscope as ss; print(ss.jump('gaussian', 100, size=16).shape, ss.jump('gaussian', size=8, dtype='float64').shape)"

    def run(*folders):
        path = os.pathsep.join([*map(str, folders), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path / "none"), "PYTHONPATH": path}
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)

    assert run(tmp_path).stdout == "(16, 16) (8, 8)\n"
    assert "FFTW is needed" in run().stderr
