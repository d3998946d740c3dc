"""Values that are given from Python while a run is made, and arrays that formulas name."""

import json
import pickle

import numpy as np
import pytest

import stencilscope as ss

HEAT = "du/dt = div(D*grad(u)); D = 1; dt = 0.1; u(0) = exp(-((x - 12)^2 + (y - 8)^2)/9)"
TURNING = "complex psi; dpsi/dt = 1i*w*psi; w = 0.5; dt = 0.01; psi(0) = 1; integrator = rk4"


def flux_steps(u, d, steps, dt):
    """Steps du/dt = div(D grad u) with D by the means at faces, no flux through the sides."""
    for _ in range(steps):
        p, q = np.pad(u, 1, mode="edge"), np.pad(d, 1, mode="edge")
        rate = np.zeros_like(u)
        for y, x in ((0, 1), (2, 1), (1, 0), (1, 2)):
            near = slice(y, y + u.shape[0]), slice(x, x + u.shape[1])
            rate += (q[near] + d) / 2 * (p[near] - u)
        u = u + dt * rate
    return u


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("settings", [{"coefficient": 0.2, "boundary": "insulated"}, {"coefficient": 0.2, "method": "reference"}, {"equation": HEAT}])
def test_a_field_takes_an_array_and_steps_from_it(rng, settings, dtype):
    a = rng.random((16, 24))
    sim = ss.Simulation(size=(24, 16), dtype=dtype, **settings).advance(7)
    sim.fields["u"] = a
    assert (sim.field() == a.astype(dtype)).all() and sim.step == 7
    begun = ss.Simulation(a, dtype=dtype, **settings)
    assert (sim.advance(20).field() == begun.advance(20).field()).all()
    assert sim.time == pytest.approx(27 * sim.dt)


@pytest.mark.parametrize("integrator", ["euler", "ab2", "rk4"])
def test_what_was_assigned_is_repeated_saved_pickled_and_begun_again(program, rng, tmp_path, integrator):
    sim = ss.Simulation(model="gray-scott", size=(24, 16), integrator=integrator, dt=0.5).advance(10)
    sim.fields["v"] = rng.random((16, 24)) / 2
    sim.advance(5)
    sim.fields["u"] = "u + 0.1*v"
    sim.fields["v"] = 0.25
    sim.advance(5)
    others = [ss.Simulation(spec=sim.spec).advance(20), pickle.loads(pickle.dumps(sim)), ss.Simulation(spec=json.dumps(sim.spec)).advance(20)]
    sim.save(tmp_path / "saved")
    others.append(ss.Simulation.load(tmp_path / "saved"))
    for other in others:
        assert (other.field("u") == sim.field("u")).all() and (other.field("v") == sim.field("v")).all()
    sim.advance(10)
    assert all((other.advance(10).field("v") == sim.field("v")).all() for other in others)
    sim.export(tmp_path / "out", "spec.json")
    program("run", "--spec", tmp_path / "out/spec.json", "--steps", 30, "--out", tmp_path / "again", "--export", "field.npy", "--quiet")
    program("run", "--resume", tmp_path / "saved", "--steps", 30, "--out", tmp_path / "on", "--export", "field.npy", "--quiet")
    for folder in ("again", "on"):
        assert (np.load(tmp_path / folder / "field-v.npy") == sim.field("v")).all()
    sim.reset()
    fresh = ss.Simulation(model="gray-scott", size=(24, 16), integrator=integrator, dt=0.5)
    assert (sim.advance(10).field("v") == fresh.advance(10).field("v")).all() and "at" not in sim.spec


def test_the_program_takes_fields_at_a_step(program, rng, tmp_path):
    a = rng.random((12, 12))
    np.save(tmp_path / "a.npy", a)
    words = ["run", "--equation", HEAT, "--size", 12, "--dtype", "float64", "--export", "field.npy,spec.json", "--quiet"]
    program(*words, "--steps", 9, "--at", f"5:field={tmp_path}/a.npy", "--at", "7:field-u=max(u, 0.5)", "--out", tmp_path / "out")
    period = ss.Simulation(a, equation=HEAT).advance(2)
    u = ss.Simulation(np.maximum(period.field(), 0.5), equation=HEAT).advance(2).field()
    assert (np.load(tmp_path / "out/field.npy") == u).all()
    program("run", "--spec", tmp_path / "out/spec.json", "--out", tmp_path / "again", "--quiet")
    assert (np.load(tmp_path / "again/field.npy") == u).all()


def test_of_two_arrays_at_one_step_the_later_counts(rng):
    sim = ss.Simulation(model="gray-scott", size=16).advance(3)
    for _ in range(5):
        sim.fields["v"] = a = rng.random((16, 16)).astype("float32")
    assert len(sim.spec["at"]) == 1 and (sim.field("v") == a).all()


@pytest.mark.parametrize(
    "name, value, kind, told",
    [
        ("w", 0, KeyError, "the components are u, v"),
        ("u", np.zeros((3, 4)), ValueError, r"u: an array of shape \(3, 4\): the field has \(16, 16\)"),
        ("u", np.full((16, 16), np.nan), ValueError, "256 of 256 cells are NaN"),
        ("u", np.zeros((16, 16), complex), TypeError, "u is real"),
        ("u", "sin(", ValueError, "missing"),
        ("u", "1/(u - u)", ValueError, "not finite"),
        ("u", "nowhere.npy", ValueError, "nowhere.npy"),
        ("u", object(), TypeError, "object"),
    ],
)
def test_what_a_field_cannot_take_changes_nothing(name, value, kind, told):
    sim = ss.Simulation(model="gray-scott", size=16).advance(3)
    before = sim.field("u")
    with pytest.raises(kind, match=told) as raised:
        sim.fields[name] = value
    assert "\n" not in str(raised.value).partition("\n  ")[0]
    assert (sim.field("u") == before).all() and "at" not in sim.spec


def test_a_value_beyond_the_range_of_the_built_in_diffusion_changes_nothing():
    sim = ss.Simulation("gaussian", coefficient=0.2, size=16, dtype="float32").advance(3)
    before = sim.field()
    with pytest.raises(ValueError, match="float32"):
        sim.fields["u"] = np.full((16, 16), 3e38)
    assert (sim.field() == before).all() and (sim.advance(5).field() >= 0).all()


def test_names_of_fields_are_formulas_too():
    sim = ss.Simulation(model="gray-scott", size=8)
    assert "u^2" in sim.fields and "u" in sim.fields and "w" not in sim.fields and 5 not in sim.fields
    with pytest.raises(KeyError) as raised:
        sim.fields["u +"]
    assert "\\n" not in str(raised.value)


# --- Arrays in formulas


@pytest.mark.parametrize("kind", [float, np.float32, int, bool])
def test_a_coefficient_is_an_array(rng, tmp_path, kind):
    d = (rng.random((16, 24)) * 2).astype(kind)
    sim = ss.Simulation(equation=HEAT, arrays={"D": d}, dtype="float64", boundary="insulated")
    start = sim.field()
    np.testing.assert_allclose(sim.advance(30).field(), flux_steps(start, d.astype(float), 30, 0.1), rtol=1e-12, atol=1e-14)
    np.save(tmp_path / "d.npy", d)
    by_file = ss.Simulation(equation=HEAT.replace("D = 1", f'D = array("{tmp_path}/d.npy")'), size=(24, 16), dtype="float64", boundary="insulated")
    assert (by_file.advance(30).field() == sim.field()).all()


def test_arrays_are_winds_masks_and_parameters_of_models(program, rng, tmp_path):
    mask = np.hypot(*np.indices((20, 20)) - 9.5) < 8
    text = "du/dt = lap(u) - a*dx(u); inside = mask > 0.5; u(0) = 1; dt = 0.1; edge: u = 0"
    sim = ss.Simulation(equation=text, arrays={"a": 0.1 * rng.random((20, 20)), "mask": mask}).advance(20)
    u = sim.field()
    assert sim.shape == (20, 20) and u[10, 10] > 0.5 and (u[~mask] == 1).all()
    again = pickle.loads(pickle.dumps(sim))
    assert (again.advance(5).field() == sim.advance(5).field()).all()
    assert (ss.Simulation(**sim.settings).advance(25).field() == sim.field()).all()
    sim.export(tmp_path, "spec.json")
    program("run", "--spec", tmp_path / "spec.json", "--steps", 25, "--out", tmp_path / "again", "--export", "field.npy", "--quiet")
    assert (np.load(tmp_path / "again/field.npy") == sim.field()).all()

    feed = np.full((32, 32), 0.037)
    spots = ss.Simulation(model="gray-scott", arrays={"F": feed}, size=32)
    assert "F" not in spots.parameters
    np.testing.assert_allclose(spots.advance(50).field("v"), ss.Simulation(model="gray-scott", size=32).advance(50).field("v"), rtol=1e-4)


@pytest.mark.parametrize(
    "words, kind, told",
    [
        ({"arrays": {"D": np.ones((4, 4))}}, ValueError, "equation= or model="),
        ({"arrays": [1], "equation": HEAT}, TypeError, "a dictionary"),
        ({"arrays": {"D": "x"}, "equation": HEAT}, TypeError, "arrays D"),
        ({"arrays": {"D": np.ones(4)}, "equation": HEAT}, ValueError, "two axes"),
        ({"arrays": {"D": np.ones((4, 4))}, "equation": HEAT, "size": 8}, ValueError, "4x4"),
        ({"D": np.ones((4, 4)), "equation": HEAT}, ValueError, "arrays={'D'"),
        ({"coefficient": np.ones((4, 4))}, TypeError, r"div\(D\*grad\(u\)\)"),
    ],
)
def test_arrays_that_cannot_be_taken(words, kind, told):
    with pytest.raises(kind, match=told):
        ss.Simulation(**words)


# --- Complex fields


def test_complex_arrays_go_in_and_out(rng):
    z = rng.random((8, 12)) + 1j * rng.random((8, 12))
    for start in (z, {"psi": z}):
        sim = ss.Simulation(start, equation=TURNING)
        assert sim.fields["psi"].dtype == complex and (sim.field("psi") == z).all()
    sim.advance(100)
    np.testing.assert_allclose(sim.fields["psi"], z * np.exp(0.5j), rtol=1e-9)
    sim.fields["psi"] = z
    assert (sim.fields["psi"] == z).all() and "psi" in sim.fields
    sim.fields["psi"] = "psi*1i"
    np.testing.assert_allclose(sim.fields["psi"], 1j * z, rtol=1e-15)
    sim.fields["psi"] = 2 - 1j
    assert (sim.fields["psi"] == 2 - 1j).all()
    assert (ss.Simulation(z.real.copy(), equation=TURNING).fields["psi"] == z.real).all()
    assert ss.Simulation(z.astype("complex64"), equation=TURNING).field("psi").dtype == np.complex64
    turned = ss.Simulation(np.ones((8, 12)), equation=TURNING, arrays={"w": z.real})
    np.testing.assert_allclose(turned.advance(100).field("psi"), np.exp(1j * z.real), rtol=1e-9)
    with pytest.raises(ValueError, match="u is real"):
        ss.Simulation(z, equation=HEAT)


@pytest.mark.parametrize("d", [0, -0.1])
def test_a_run_whose_diffusivity_is_not_positive_is_saved(d):
    sim = ss.Simulation("gaussian", equation="du/dt = D*lap(u); D = 0.1; dt = 0.1", size=12, dtype="float64", allow_unstable=True).advance(3)
    sim.set("D", d)
    sim.advance(2)
    sim.fields["u"] = "u + 1"
    again = pickle.loads(pickle.dumps(sim))
    assert (again.advance(4).field() == sim.advance(4).field()).all()
