import json

import numpy as np
import pytest

import stencilscope as ss

RUNS = [
    {"size": "60x40", "coefficient": 0.17, "boundary": "periodic", "seed": 5},
    {"size": "64x64", "dtype": "float64", "initial": "noise", "steps": 10},
    {"model": "gray-scott", "size": "48x48", "set": "F=0.05"},
    {"equation": "du/dt = 0.1*lap(u) + u - u^3", "size": "50x30", "initial": "sin(x) - 0.2"},
    {"size": "64x64", "method": "spectral"},
]


@pytest.mark.parametrize("settings", RUNS)
def test_a_run_has_the_bits_of_the_programs(program, tmp_path, settings):
    steps = settings.pop("steps", 200)
    words = [word for name, value in settings.items() for word in (f"--{name}", value)]
    program("run", "--steps", steps, "--export", "field.npy,laplacian.npy", "--out", tmp_path, *words)
    sim = ss.Simulation(**settings).advance(steps)
    for file in tmp_path.glob("field*.npy"):
        sim.export(tmp_path / "python", "field.npy")
        assert (tmp_path / "python" / file.name).read_bytes() == file.read_bytes()
        component = file.stem.partition("-")[2] or sim.components[0]
        np.testing.assert_array_equal(np.load(file), sim.fields[component])
        np.testing.assert_array_equal(np.load(str(file).replace("field", "laplacian")), sim.laplacian(component))


@pytest.mark.parametrize("boundary", ["zero", "insulated", "periodic"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(40, 50), (1, 1), (1, 37), (37, 1), (5, 16), (3, 33), (90, 400)])
def test_steps_one_by_one_have_the_bits_of_all_at_once(rng, shape, dtype, boundary):
    u0 = rng.random(shape).astype(dtype)
    one_by_one = ss.Simulation(u0, method="cpu", boundary=boundary)
    for _ in range(9):
        one_by_one.advance(1)
    at_once = ss.Simulation(u0, method="cpu", boundary=boundary).advance(9)
    np.testing.assert_array_equal(one_by_one.field(), at_once.field())


def test_save_and_load_go_on_with_the_same_bits(gray_scott, tmp_path):
    sim = gray_scott.advance(20)
    sim.set("F", 0.03)
    sim.save(tmp_path)
    sim.advance(20)
    other = ss.Simulation.load(tmp_path)
    assert other.step == 20 and other.parameters["F"] == 0.03
    other.advance(20)
    np.testing.assert_array_equal(other.field("v"), sim.field("v"))


def test_the_program_goes_on_from_what_was_saved(program, rng, tmp_path):
    u0 = rng.random((33, 44)).astype(np.float32)
    sim = ss.Simulation(u0, boundary="insulated").advance(30)
    sim.save(tmp_path)
    program("run", "--resume", tmp_path, "--steps", 90, "--export", "initial.npy,field.npy,statistics.csv")
    np.testing.assert_array_equal(np.load(tmp_path / "initial.npy"), u0)
    np.testing.assert_array_equal(np.load(tmp_path / "field.npy"), sim.advance(60).field())


def test_an_exported_spec_repeats_the_run(program, rng, tmp_path, monkeypatch):
    sim = ss.Simulation(rng.random((20, 24)), coefficient=0.1).advance(10)
    sim.set("coefficient", 0.2)
    sim.advance(15)
    names = [file.rsplit("/", 1)[1] for file in sim.export(tmp_path)]
    assert {"initial.npy", "field.npy", "field.png", "figure.png", "spec.json", "timings.json"} <= set(names)
    assert json.loads((tmp_path / "spec.json").read_text())["at"] == ["10:coefficient=0.2"]
    monkeypatch.chdir(tmp_path)
    program("run", "--spec", "spec.json", "--out", "again")
    assert (tmp_path / "again/field.npy").read_bytes() == (tmp_path / "field.npy").read_bytes()


@pytest.mark.parametrize("setting, value", [("dtype", "float32"), ("size", "12x10"), ("show", "u^2"), ("equation", "du/dt = 0; dw/dt = u")])
@pytest.mark.parametrize("again", [False, True])
def test_an_exported_spec_has_the_arrays_that_were_given(rng, tmp_path, monkeypatch, setting, value, again):
    sim = ss.Simulation(rng.random((20, 24)), equation="du/dt = lap(u); dt = 0.1").advance(5)
    sim.set(setting, value)
    if again:
        sim.reset()
    sim.advance(5).export(tmp_path, "initial.npy")
    monkeypatch.chdir(tmp_path)
    other = ss.Simulation(spec=sim.spec).advance(sim.step)
    np.testing.assert_array_equal(other.field(), sim.field())


def test_the_copy_bandwidth_is_measured_once_by_a_run_of_a_second_and_kept(program, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    short = ("--size", 64, "--steps", 100)
    rates = []
    for folder, words in (("first", short), ("long", ("--size", 500, "--steps", 5000, "--method", "reference")), ("second", short)):
        program("run", *words, "--backend", "cpu", "--threads", 1, "--out", tmp_path / folder, "--export", "timings.json")
        rates.append(json.loads((tmp_path / folder / "timings.json").read_text())["copy_gb_per_s"])
    assert rates[0] is None
    assert rates[1] == rates[2] > 0
    assert len(list((tmp_path / "cache/stencilscope/rates").iterdir())) == 1


@pytest.mark.parametrize("ending, start", [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_a_figure(gray_scott, tmp_path, ending, start):
    path = tmp_path / f"out.{ending}"
    gray_scott.advance(5)
    gray_scott.figure(path)
    assert path.read_bytes().startswith(start)


def test_a_figure_of_steps_that_another_method_made(gray_scott, tmp_path):
    gray_scott.advance(5)
    gray_scott.set("dtype", "float64")
    assert gray_scott.timings()["us_per_step"] is None
    gray_scott.figure(tmp_path / "out.png")
    assert "figure.png" in "".join(gray_scott.export(tmp_path))


def test_a_run_is_written_as_a_web_page(gray_scott, tmp_path):
    assert gray_scott.export(tmp_path, "web") == [str(tmp_path / "web.html")]
    page = (tmp_path / "web.html").read_text()
    assert page.startswith("<!DOCTYPE html>") and '"components":["u","v"]' in page
    gray_scott.set("stepper", "imex")
    with pytest.raises(ValueError, match="web.html: a page cannot solve for fields by transforms"):
        gray_scott.export(tmp_path, "web")


def test_what_cannot_be_written_or_read(gray_scott, tmp_path):
    with pytest.raises(ValueError, match=".svg"):
        gray_scott.figure("out.gif")
    with pytest.raises(OSError, match="there is no folder"):
        gray_scott.figure(tmp_path / "missing" / "out.png")
    with pytest.raises(ValueError, match="unknown file"):
        gray_scott.export(tmp_path, "field.gif")
    with pytest.raises(FileNotFoundError):
        ss.Simulation.load(tmp_path / "missing")
    with pytest.raises(ValueError, match=r"no checkpoint; save\(\) writes one"):
        ss.Simulation.load(tmp_path)
    gray_scott.save(str(tmp_path).encode())
    array = tmp_path / "checkpoint" / "field-u.npy"
    array.write_bytes(array.read_bytes()[:-1] + b"\x7f")
    with pytest.raises(ValueError, match="checksum"):
        ss.Simulation.load(tmp_path)


def test_files_after_an_edit_of_the_equation(tmp_path):
    sim = ss.Simulation(model="gray-scott", size=(24, 18), arrows="u,v")
    sim.advance(5)
    sim.set("equation", "du/dt = 0.1*lap(u) - 0.1*w; dw/dt = 0.2*lap(w) + 0.1*u - 0.3*w; w(0) = 0.25; dt = 0.5")
    sim.set("show", "w")
    sim.advance(5)
    files = {file.rsplit("/", 1)[1] for file in sim.export(tmp_path / "a", "all")}
    assert {"field-u.npy", "field-w.npy", "figure.png", "statistics-w.csv", "spec.json"} <= files
    assert "field-v.npy" not in files
    np.testing.assert_array_equal(np.load(tmp_path / "a" / "field-w.npy"), sim.fields["w"])


def test_a_formula_of_diffusion_is_read_measured_and_written(rng, tmp_path):
    sim = ss.Simulation(rng.random((12, 16)))
    sim.advance(3)
    u = sim.field()
    np.testing.assert_allclose(sim.field("u^2"), u**2, rtol=1e-14)
    sim.set("show", "u^2")
    np.testing.assert_allclose(sim.field(), u**2, rtol=1e-14)
    assert sim.statistics()["max"] == pytest.approx((u**2).max())
    sim.export(tmp_path, "initial.npy")
    assert (tmp_path / "initial-shown.npy").exists()
    np.testing.assert_array_equal(sim.field("u"), u)


def test_a_path_that_is_not_utf8_is_a_value_error(tmp_path):
    sim = ss.Simulation(size=16)
    for path in (b"/tmp/\xff.npy", "/tmp/\udcff.npy"):
        for take in (ss.Simulation.load, sim.save, sim.export, sim.figure, lambda path: ss.Simulation(spec=path)):
            with pytest.raises(ValueError, match="UTF-8"):
                take(path)
    with pytest.raises(ValueError, match="UTF-8"):
        ss.Simulation(size=16, initial="/tmp/\udcff.npy")
    named = tmp_path / "grüße 水"
    sim.save(named)
    assert ss.Simulation.load(bytes(named)).step == 0


@pytest.mark.parametrize("name", ["/tmp/stencilscope-outside.npy", "../outside.npy", "a/b.npy", ".."])
def test_a_pickled_state_writes_plain_names_alone(name):
    state = ss.Simulation(size=16).__getstate__()
    sim = ss.Simulation(size=16)
    with pytest.raises(ValueError, match="plain names"):
        sim.__setstate__({**state, name: b"x"})
