"""Ends of runs, frames on the way, coordinates, and settings as values of Python."""

import inspect
import time
import warnings

import numpy as np
import pytest

import stencilscope as ss

DECAY = "du/dt = -u; dt = 0.3; u(0) = 1; integrator = rk4"


def test_a_run_ends_at_a_time_at_rest_or_by_a_condition():
    sim = ss.Simulation(equation=DECAY, size=8, dtype="float64")
    assert sim.advance(until=1).time == 1.0
    np.testing.assert_allclose(sim.field(), np.exp(-1), rtol=1e-3)
    assert sim.advance(until=1).time == 1.0
    assert sim.advance(5, until=10).step == 9
    sim.advance(steady=1e-4)
    assert sim.statistics()["max"] < 1e-4
    assert sim.advance(until="max(u) < 1e-6").statistics()["max"] < 1e-6
    fast = ss.Simulation(equation="du/dt = lap(u) + u*(1 - u); u(0) = random; integrator = bs32", size=16, tolerance=1e-4)
    assert fast.advance(until=3.7).time == pytest.approx(3.7, rel=1e-12)


def test_frames_are_given_and_stored_with_their_times():
    sim = ss.Simulation(equation=DECAY, size=(6, 4), dtype="float64", dt=0.25)
    seen = [(now.time, now is sim) for now in sim.advance(until=2, every=0.5)]
    assert seen == [(0, True), (0.5, True), (1, True), (1.5, True), (2, True)]
    frames = sim.advance(until=4, every=0.5, store=["u", "u^2"])
    assert list(frames) == ["time", "step", "u", "u^2"]
    np.testing.assert_array_equal(frames["time"], [2.5, 3, 3.5, 4])
    assert frames["u"].shape == (4, 4, 6) and (frames["u^2"] == frames["u"] ** 2).all()
    np.testing.assert_allclose(frames["u"][:, 0, 0], np.exp(-frames["time"]), rtol=2e-3)
    begin = sim.step
    assert [now.step for now in sim.advance(1e1, every=4)] == [n for n in range(begin + 1, begin + 11) if n % 4 == 0]
    for now in sim.advance(until=sim.time + 5, every=1):
        if now.time >= 8:
            break
    assert sim.time == 8


@pytest.mark.parametrize(
    "words, told",
    [
        ({"until": 1, "steady": 1e-3}, "not both"),
        ({"store": "u"}, "every"),
        ({"every": 2}, "where it ends"),
        ({"until": 1, "progress": True}, "progress"),
        ({"steps": 2.5}, "whole number"),
        ({"steps": 10, "every": 0.5}, "whole number"),
        ({"steps": "3"}, "whole number"),
    ],
)
def test_ends_that_make_no_sense(words, told):
    with pytest.raises(TypeError, match=told):
        ss.Simulation(equation=DECAY, size=4).advance(**words)


def test_places_of_cells_are_those_of_the_equation():
    sim = ss.Simulation(equation="du/dt = a*lap(u); a = 1; dx = 0.25; dt = 0.01; origin = -Lx/2, a; u(0) = x + 10*y", size=(6, 4), dtype="float64")
    x, y = np.meshgrid(sim.x, sim.y)
    np.testing.assert_allclose(sim.field(), x + 10 * y, rtol=1e-15)
    assert sim.dx == 0.25 and sim.dt == 0.01 and sim.extent == (-0.75, 0.75, 2, 1) and sim.shape == (4, 6)
    metres = ss.Simulation("gaussian", size=8, dx=0.5, unit_length="0.01 m", unit_time="2 s", dt=0.1)
    assert metres.dx == 0.005 and metres.dt == 0.2 and metres.advance(3).time == pytest.approx(0.6)


def test_a_dataset_has_coordinates_and_units():
    xarray = pytest.importorskip("xarray")
    sim = ss.Simulation(model="gray-scott", size=(12, 8), unit_length="0.5 mm", unit_time="s").advance(5)
    data = sim.to_xarray()
    assert isinstance(data, xarray.Dataset) and set(data.data_vars) == {"u", "v"} and data.u.dims == ("y", "x")
    assert data.x.attrs["units"] == "mm" and data.time.attrs["units"] == "s" and float(data.time) == 5
    np.testing.assert_array_equal(data.x, 0.5 * (np.arange(12) + 0.5))
    assert data.v.sel(x=0.8, y=1.8, method="nearest") == sim.field("v")[3, 1]
    frames = sim.advance(20, every=10, store=["v"]).to_xarray()
    assert frames.v.dims == ("time", "y", "x") and list(frames.step.values) == [10, 20]
    again = ss.Simulation({"u": data.u, "v": data["v"]}, model="gray-scott")
    assert (again.field("v") == data.v.values).all()


RUNS = [
    {"model": "gray-scott", "size": (24, 16), "parameters": {"F": 0.05}, "colors": ["v=magma,0:1"], "probe": [(3, 4), (5, 6)]},
    {"equation": DECAY, "size": 8, "allow_unstable": True, "dt": "0.5limit", "dtype": np.float64},
    {"initial": np.arange(12.0).reshape(3, 4), "coefficient": 0.1, "boundary": "periodic"},
    {"initial": {"v": np.ones((8, 8)) / 4}, "model": "gray-scott", "range": (0, 1)},
    {"initial": "disk:radius=0.2", "size": 16, "method": "reference", "unit_length": "0.1 m", "contours": (0.1, 0.5)},
]


@pytest.mark.parametrize("words", RUNS)
def test_settings_are_values_that_a_simulation_takes_back(words):
    sim = ss.Simulation(**words).advance(3)
    now = sim.settings
    assert isinstance(now["size"], tuple) and isinstance(now["seed"], int) and not any("-" in name for name in now)
    again = ss.Simulation(**now).advance(3)
    assert (again.field() == sim.field()).all()
    left, right = again.settings, now
    assert left.keys() == right.keys() and all(left[name] == right[name] for name in left if name not in ("initial", "dt"))


def test_parameters_are_set_by_name():
    sim = ss.Simulation(model="gray-scott", size=8).advance(2)
    assert sim.parameters == {"Du": 0.16, "Dv": 0.08, "F": 0.037, "K": 0.06} and len(sim.parameters) == 4
    sim.parameters["F"] = 0.05
    assert sim.spec["at"] == ["2:F=0.05"]
    with pytest.raises(KeyError, match="Du, Dv, F, K"):
        sim.parameters["f"] = 1


def test_a_value_that_is_not_finite_is_a_warning_once():
    sim = ss.Simulation(equation="du/dt = u^2; dt = 1; u(0) = 3", size=4, allow_overflow=True, allow_unstable=True)
    with pytest.warns(RuntimeWarning, match="u is not finite"):
        sim.advance(200)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.advance(200)
        ss.Simulation("gaussian", size=8, allow_overflow=True).advance(500)


@pytest.mark.parametrize(
    "words, told",
    [
        ({"model": "gray-scott", "F": 0.1}, r"parameters=\{'F'"),
        ({"equation": DECAY, "u": 1}, r"initial=\{'u'"),
        ({"coeff": 0.1}, "did you mean 'coefficient'"),
        ({"boundry": "zero"}, "did you mean 'boundary'"),
        ({"bc": "zero"}, "did you mean 'boundary'"),
        ({"nonsense": 1}, "help"),
        ({"boundary": "neumann"}, "'insulated'"),
        ({"boundary": "Dirichlet"}, "'zero'"),
        ({"model": "heat", "equation": DECAY}, "beside"),
    ],
)
def test_words_that_are_near_say_what_is_meant(words, told):
    with pytest.raises(ValueError, match=told):
        ss.Simulation(size=8, **words)


def test_a_folder_without_a_checkpoint_names_save(tmp_path):
    with pytest.raises(ValueError, match=r"save\(\) writes one") as raised:
        ss.Simulation.load(tmp_path)
    assert "--" not in str(raised.value)


def test_the_signature_and_the_help_have_every_setting():
    names = inspect.signature(ss.Simulation).parameters
    assert {"initial", "spec", "parameters", "arrays", "boundary", "laplacian_range"} <= set(names)
    lines = (ss.Simulation.__doc__ or "").splitlines()
    assert max(map(len, lines)) <= 125 and any("boundary: " in line for line in lines)


def test_timings_are_those_of_a_whole_run():
    told = ss.Simulation("gaussian", size=16).advance(30).timings()
    assert told["steps"] == told["steps_asked"] == 30 and told["interrupted"] is False


def least(act, times=15):
    """The least time of processors that a call takes, in milliseconds."""
    found = []
    for _ in range(times):
        begin = time.process_time()
        act()
        found.append(time.process_time() - begin)
    return 1000 * min(found)


def test_calls_are_cheap():
    sim = ss.Simulation(model="gray-scott", size=64).advance(10)
    values = iter(np.linspace(0.03, 0.05, 3000))
    assert least(lambda: ss.Simulation(model="gray-scott", size=64)) < 4
    assert least(lambda: [sim.set("F", float(next(values))) for _ in range(100)]) / 100 < 0.15
    assert least(lambda: [sim.shape for _ in range(100)]) / 100 < 0.01
