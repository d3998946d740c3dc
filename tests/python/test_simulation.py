import copy
import json
import pickle

import numpy as np
import pytest

import stencilscope as ss


@pytest.mark.parametrize("boundary", ["zero", "insulated", "periodic"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_steps_are_those_of_the_formula(rng, plain_diffusion, boundary, dtype):
    u0 = rng.random((37, 53)).astype(dtype)
    sim = ss.Simulation(u0, coefficient=0.2, boundary=boundary)
    sim.advance(60)
    u = sim.field()
    assert u.shape == u0.shape and u.dtype == u0.dtype and sim.step == 60
    expected = plain_diffusion(u0, 60, 0.2, boundary)
    error = np.linalg.norm(u - expected) / np.linalg.norm(expected)
    assert error < (1e-6 if dtype == "float32" else 1e-13)


def test_settings_are_those_of_the_command_line():
    sim = ss.Simulation(size=(40, 30), initial="gaussian:sigma=0.2", coefficient=0.1, dtype=np.float64, threads=1, seed=7)
    now = sim.settings
    assert now["size"] == (40, 30) and now["initial"] == "gaussian:sigma=0.2" and now["dtype"] == "float64"
    assert now["coefficient"] == 0.1 and now["threads"] == 1 and now["seed"] == 7 and now["backend"] == "cpu"
    assert sim.shape == (30, 40) and sim.field().shape == (30, 40)


@pytest.mark.parametrize(
    "settings, told",
    [
        ({"coefficient": 0.3}, "allow_unstable"),
        ({"coefficient": -1}, "above 0"),
        ({"colour": "red"}, "unknown setting"),
        ({"globl_every": 2}, "did you mean 'global_every'"),
        ({"boundary": "open"}, "insulated"),
        ({"size": "0x10"}, "size"),
        ({"dtype": "float16"}, "float32"),
        ({"model": "grey-scot"}, "gray-scott"),
        ({"parameters": {"F": 1}}, "unknown parameter"),
        ({"method": "tilde"}, "unknown method"),
        ({"initial": "no/such.npy"}, "no/such"),
        ({"initial": {"v": "noise"}}, "v"),
        ({"equation": "du/dt = lap(w)"}, "w"),
        ({"equation": ["du/dt = lap(u)", "du/dt = 0"]}, "u"),
        ({"spec": "no-such-run"}, "no-such-run"),
        ({"initial": {"": np.ones((4, 4)), "u": np.ones((4, 4))}, "model": "gray-scott"}, "u is given twice"),
        ({"initial": {"": "x", "u": "y"}, "model": "gray-scott"}, "u is given twice"),
        ({"initial": {"w": "gaussian"}, "model": "gray-scott"}, "unknown component 'w'.*allowed: u, v"),
        ({"initial": "no/range-per-frame.npy"}, "no/range-per-frame.npy"),
        ({"probe": "16,3"}, "no cell"),
        ({"every": 5}, "every: .*export"),
        ({"model": "gray-scott", "equation": "du/dt = lap(u)"}, "model beside equation"),
        ({"checkpoint": 5}, "checkpoint: .*save"),
        ({"model": "gray-scott", "dt": 0}, "^dt 0: must be above 0"),
        ({"global_every": 0}, "^global_every 0: must be a whole number"),
        ({"model": "gray-scott", "tolerance": 1e-4}, "^tolerance: euler does not estimate its error: take integrator"),
        ({"view": "sideways"}, "^view: unknown view 'sideways'"),
        ({"initial": "gaussian:sigma=x"}, "^initial gaussian:sigma x: must be a finite number"),
    ],
)
def test_what_is_not_allowed_is_a_value_error_that_names_it(settings, told):
    with pytest.raises(ValueError, match=told) as raised:
        ss.Simulation(**{"size": 4 if "twice" in told else 16, **settings})
    assert "--" not in str(raised.value)


@pytest.mark.parametrize(
    "call, told",
    [
        (lambda sim: sim.advance(3.5), "float"),
        (lambda sim: sim.advance("3"), "str"),
        (lambda sim: sim.advance(3, progress=5), "progress"),
        (lambda sim: sim.field(3), "formula"),
        (lambda sim: sim.statistics(None), "formula"),
        (lambda sim: sim.set("coefficient", {}), "coefficient.*dict"),
        (lambda sim: ss.Simulation(size=16, parameters=3), "parameters.*int"),
        (lambda sim: ss.Simulation(size=16, threads=object()), "threads.*object"),
        (lambda sim: ss.Simulation(size=16, colormap=b"magma"), "colormap.*bytes"),
    ],
)
def test_what_is_of_another_kind_is_a_type_error_of_one_line(call, told):
    sim = ss.Simulation(size=16)
    with pytest.raises(TypeError, match=told) as raised:
        call(sim)
    assert "\n" not in str(raised.value) and sim.step == 0


def test_more_steps_than_there_can_be():
    with pytest.raises(ValueError, match="steps"):
        ss.Simulation(size=16).advance(10**30)
    with pytest.raises(ValueError, match="-7 steps"):
        ss.Simulation(size=16).advance(-7)


def test_settings_may_be_numpys():
    sim = ss.Simulation(size=np.array([40, 30]), coefficient=np.array(0.125), seed=np.uint64(7), range_per_frame=np.True_)
    assert sim.shape == (30, 40) and sim.parameters["coefficient"] == 0.125 and sim.settings["seed"] == 7


def test_a_field_that_does_not_fit_is_a_memory_error():
    with pytest.raises(MemoryError, match="64000x64000"):
        ss.Simulation(size=64000, memory_limit="1GB")


def test_a_model_with_several_components(gray_scott):
    sim = gray_scott
    assert sim.components == ["u", "v"] and list(sim.fields) == ["u", "v"] and len(sim.fields) == 2
    assert sim.parameters["F"] == 0.055
    sim.set("F", 0.04)
    assert sim.parameters["F"] == 0.04
    sim.advance(100)
    v = sim.fields["v"]
    assert v.shape == (48, 64) and v.dtype == np.float32 and v.max() > 0
    np.testing.assert_array_equal(sim.field(), v)  # as in the model's text
    np.testing.assert_array_equal(sim.field("u + v"), sim.fields["u"] + v)
    sim.set("show", "u")
    np.testing.assert_array_equal(sim.field(), sim.fields["u"])
    assert sim.laplacian("v").shape == v.shape
    assert sim.statistics("v")["max"] == v.max()
    assert sim.spec["set"] == ["F=0.04"]  # no steps were made before it
    with pytest.raises(KeyError):
        sim.fields["w"]
    with pytest.raises(ValueError, match="unknown setting 'G'"):
        sim.set("G", 1)


def test_each_formula_has_its_own_colours():
    sim = ss.Simulation(model="gray-scott", size=32, colors=["u=magma,0:2", "u + v=ice,0:4"], range="0:3")
    high = lambda formula: sim._held.image(formula, 0)["high"]
    assert [high(formula) for formula in ("u", "v", "u + v", "")] == [2, 3, 4, 3]
    sim.set("show", "u")
    assert high("") == 2
    sim.set("range", "0:1")
    sim.set("show", "v")
    assert [high(""), high("u")] == [3, 1]
    assert sim.spec["colors"] == ["u=magma,0:1", "u + v=ice,0:4"]
    with pytest.raises(ValueError, match="w"):
        ss.Simulation(model="gray-scott", size=32, colors="w=magma")
    with pytest.raises(ValueError, match="w"):
        sim.set("colors", "w=magma")
    sim.set("colors", ["u=ice", "v=oslo"])
    assert sim.settings["colors"] == ["u=ice", "u + v=ice,0:4", "v=oslo"]


def test_a_component_can_begin_as_an_array(rng):
    v0 = 0.1 * rng.random((24, 32))
    sim = ss.Simulation({"v": v0, "u": "1 - 0.5*x/Lx"}, model="gray-scott")
    np.testing.assert_array_equal(sim.fields["v"], v0)
    assert sim.fields["u"][0, 0] == 1 - 0.5 * 0.5 / 32
    both = ss.Simulation({"u": v0, "v": v0[::-1]}, model="gray-scott", dtype="float32")
    np.testing.assert_array_equal(both.fields["v"], v0[::-1].astype(np.float32))


def test_an_array_depends_on_no_parameter():
    text = "da/dt = k*a; db/dt = k*b; k = 0.5; dt = 0.1; a(0) = 3*k; b(0) = 2*k; sensitivity = k"
    ones = np.ones((4, 5))
    for initial, a, b in ((None, 3, 2), (ones, 0, 2), ({"a": ones}, 0, 2), ({"b": ones}, 3, 0), ({"a": ones, "da_dk": 7 * ones}, 7, 2)):
        sim = ss.Simulation(initial, equation=text, size=(5, 4), dtype="float64")
        assert (sim.field("da_dk", numpy=True) == a).all() and (sim.field("db_dk", numpy=True) == b).all()


def test_a_diffusivity_of_0_keeps_the_field():
    sim = ss.Simulation(equation="du/dt = D*lap(u); D = 0.2; u(0) = exp(-x^2)", size=32).advance(3)
    before = sim.field(numpy=True).copy()
    sim.set("D", 0.0)
    assert (sim.advance(5).field(numpy=True) == before).all()
    sim.set("D", -0.01)
    assert np.isfinite(sim.advance(2).field(numpy=True)).all() and (sim.field(numpy=True) != before).any()


def test_a_field_that_overflows_raises_at_its_first_step():
    text = {"equation": "u' = u*u; u(0) = 10", "size": 16}
    for end in (lambda sim: sim.advance(5000), lambda sim: sim.run(steps=5000)):
        sim = ss.Simulation(**text)
        with pytest.raises(FloatingPointError, match="u is not finite at step 6; allow_overflow=True"):
            end(sim)
        assert sim.step == 6
    assert ss.Simulation(**text, allow_overflow=True).advance(20).step == 20


def test_a_run_ends_at_a_time_by_a_condition_or_where_a_function_says_so():
    text = {"equation": "du/dt = -u; u(0) = 1; dt = 0.3", "size": 16}
    assert ss.Simulation(**text).run(1).time == 1
    assert ss.Simulation(**text).run("max(u) < 0.5").step == 2
    assert ss.Simulation(**text).run(100, steps=7).step == 7
    seen = []
    sim = ss.Simulation(**text).run(100, every="0.5t", look=lambda s: seen.append(s.time) or s.step >= 5)
    assert seen == pytest.approx([0.6, 1.2, 1.5]) and sim.step == 5
    for wrong in ({"until": "u < 1"}, {"until": "max(w) < 1"}, {"steps": -1}, {"until": 1, "every": "x", "look": print}):
        with pytest.raises(ValueError):
            ss.Simulation(**text).run(**wrong)
    with pytest.raises(TypeError):
        ss.Simulation(**text).run()


def test_a_formula_of_unknown_names_is_refused():
    sim = ss.Simulation(size=16)
    with pytest.raises(ValueError):
        sim.field("w")


def test_the_laplacian_is_that_of_the_boundary(rng):
    u = rng.random((20, 30))
    p = np.pad(u, 1, mode="wrap")
    expected = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u
    np.testing.assert_allclose(ss.Simulation(u, boundary="periodic").laplacian(), expected, atol=1e-14)


def test_statistics_are_numpys(rng):
    u = rng.random((64, 65)) - 0.3
    s = ss.Simulation(u).statistics()
    assert s["min"] == u.min() and s["max"] == u.max() and s["not_finite"] == 0
    assert s["mean"] == pytest.approx(u.mean(), rel=1e-14) and s["total"] == pytest.approx(u.sum(), rel=1e-14)


def test_timings_are_those_of_the_program():
    sim = ss.Simulation(size=64).advance(50)
    t = sim.timings()
    assert t["steps"] == 50 and t["nx"] == 64 and t["seconds"] > 0 and t["gcells_per_s"] > 0
    assert t["method"] == sim.settings["method"] and t["method_choice"].startswith(f"auto: {t['method']} ")
    assert ss.Simulation(size=16, method="reference").timings()["method_choice"] == "as asked for"


def test_a_setting_changes_from_the_next_step_on(rng, plain_diffusion):
    u0 = rng.random((32, 32))
    sim = ss.Simulation(u0, coefficient=0.2)
    sim.advance(5)
    sim.set("coefficient", 0.1)
    sim.set("boundary", "periodic")
    sim.advance(5)
    expected = plain_diffusion(plain_diffusion(u0, 5, 0.2, "zero"), 5, 0.1, "periodic")
    np.testing.assert_allclose(sim.field(), expected, rtol=1e-13)
    with pytest.raises(ValueError):
        sim.set("coefficient", 0.5)
    assert sim.parameters["coefficient"] == 0.1
    sim.reset()
    assert sim.step == 0
    np.testing.assert_array_equal(sim.field(), u0)


def test_a_field_that_was_got_is_a_copy(rng):
    sim = ss.Simulation(rng.random((16, 16)))
    before = sim.field()
    kept = before.copy()
    sim.advance(3)
    np.testing.assert_array_equal(before, kept)
    before[:] = 0
    assert sim.field().max() > 0
    del sim
    assert before.sum() == 0


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda sim: pickle.loads(pickle.dumps(sim))])
def test_a_copy_goes_on_with_the_same_bits(gray_scott, copied):
    gray_scott.advance(30)
    other = copied(gray_scott)
    assert other.step == 30
    gray_scott.advance(30)
    np.testing.assert_array_equal(other.field("v"), ss.Simulation.field(copied(other), "v"))
    other.advance(30)
    for name in "uv":
        np.testing.assert_array_equal(other.fields[name], gray_scott.fields[name])


def test_it_shows_itself(gray_scott):
    gray_scott.advance(3)
    assert "gray-scott" in repr(gray_scott) and "step 3" in repr(gray_scott)
    page = gray_scott._repr_html_()
    assert "data:image/png;base64,iVBOR" in page


def test_a_jump_is_as_many_steps(rng, plain_diffusion):
    u0 = rng.random((32, 40))
    expected = plain_diffusion(u0, 300, 0.2, "insulated")
    np.testing.assert_allclose(ss.jump(u0, steps=300, coefficient=0.2, boundary="insulated"), expected, rtol=1e-11)
    assert abs(ss.jump(u0, steps=10**6, coefficient=0.2)).max() < 1e-100


def test_a_dt_that_follows_the_limit_is_in_the_spec_that_repeats_it(tmp_path):
    text = "du/dt = K*lap(u + u^3) + 1.5 + sin(t/3) - u; K = 0.2; u(0) = 0.3 + 0.1*random; dx = 1"
    settings = {"equation": text, "size": (24, 18), "steps": 700, "dt": "follow:0.8limit"}
    sim = ss.Simulation(**settings).advance(300)
    sim.set("K", 0.4)
    sim.advance(400)
    assert sim.spec["at"] == ["300:K=0.4"] and sim.spec["dt"] == "follow:0.8limit"
    assert len(sim.spec["dt_log"]) > 3 and all(dt > 0 for _, dt in sim.spec["dt_log"])
    (tmp_path / "spec.json").write_text(json.dumps(sim.spec))
    again = ss.Simulation(spec=tmp_path / "spec.json")
    for steps in (1, 63, 200, 436):
        again.advance(steps)
    np.testing.assert_array_equal(again.field(), sim.field())
    assert again.spec["dt_log"] == sim.spec["dt_log"] and again.timings()["time"] == sim.timings()["time"]
    with pytest.raises(ValueError, match="follow:0.8limit"):
        sim.set("dt", "follow:0.8")


def test_values_of_the_whole_field_lag_by_whole_strides(rng):
    start = rng.uniform(-1, 1, (18, 24))
    text = "du/dt = 0.2*lap(u) + u - u^3 - mean(u - u^3); dt = 0.1; dx = 1; boundary = periodic"
    sim = ss.Simulation(start, equation=text, dtype="float64", global_every=7, steps=40)
    u = start.copy()
    for step in range(40):
        if step % 7 == 0:
            mean = np.mean(u - u**3)
        p = np.pad(u, 1, mode="wrap")
        lap = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u
        u = u + 0.1 * (0.2 * lap + u - u**3 - mean)
    for steps in (1, 12, 3, 24):
        sim.advance(steps)
    assert np.abs(np.asarray(sim.field()) - u).max() < 1e-13
    assert sim.spec["global-every"] == 7


def test_a_dt_that_a_tolerance_chooses_is_in_the_spec_that_repeats_it(tmp_path):
    text = "du/dt = 0.2*lap(u) + 20*exp(-4*(t - 2)^2)*u - u^3; u(0) = 0.3 + 0.1*sin(x); dx = 1; stepper = dp54"
    sim = ss.Simulation(equation=text, size=(24, 18), steps=100, tolerance=1e-5).advance(100)
    assert "at" not in sim.spec and sim.spec["dt"].startswith("tolerance:1e-")
    assert len(sim.spec["dt_log"]) > 3
    (tmp_path / "spec.json").write_text(json.dumps(sim.spec))
    np.testing.assert_array_equal(ss.Simulation(spec=tmp_path / "spec.json").advance(100).field(), sim.field())
    with pytest.raises(ValueError, match="tolerance: heun does not estimate"):
        ss.Simulation(equation=text, size=(24, 18), stepper="heun", tolerance=1e-5)


def test_a_spec_may_be_the_dictionary_of_another_simulation():
    sim = ss.Simulation(model="gray-scott", size=32, parameters={"F": 0.05})
    sim.advance(20)
    sim.set("F", 0.03)
    sim.advance(20)
    again = ss.Simulation(spec=sim.spec).advance(40)
    assert (again.field() == sim.field()).all()
    with pytest.raises(ValueError, match="spec"):
        ss.Simulation(spec={"size": "0x0"})


def test_the_time_sums_dt_as_it_changed():
    sim = ss.Simulation(equation="du/dt = lap(u); dt = 0.125", size=32).advance(8)
    sim.set("dt", 0.0625)
    assert sim.advance(16).time == 2
    sim.reset()
    assert sim.time == 0 and ss.Simulation(size=8).advance(3).time == 3


def test_a_copy_keeps_probes_that_a_smaller_field_does_not_have():
    sim = ss.Simulation("gaussian", size=32, probe=["30,30", "2,2"])
    sim.set("size", 16)
    other = copy.deepcopy(sim)
    assert other.shape == (16, 16) and other.settings["probe"] == [(30, 30), (2, 2)]


def test_what_an_import_leaves_out_is_a_warning(tmp_path):
    (tmp_path / "waves.json").write_text('{"reactionStr_1": "-u", "brushValue": "1"}')
    with pytest.warns(UserWarning, match="not carried over: brush settings"):
        ss.Simulation(model=tmp_path / "waves.json", size=16)


def test_a_jump_has_one_method():
    with pytest.raises(ValueError, match="spectral"):
        ss.jump("gaussian", 10, size=16, method="naive")


def test_options_that_a_benchmark_lacks_are_told_with_its_own():
    with pytest.raises(ValueError, match="unknown option 'repeat': did you mean 'repeats'.*memory_limit"):
        ss.bench(repeat=5)


def test_help_spells_settings_as_keyword_arguments():
    text = ss.Simulation.__doc__
    assert "`dt` is the first one" in text and "--dt" not in text and "see below" not in text
    assert {"Simulation", "models", "bench"} <= set(dir(ss)) and "Mapping" not in dir(ss)


def test_a_thin_layer_of_a_coefficient_is_noted():
    with pytest.warns(UserWarning, match="mean = harmonic"):
        ss.Simulation(equation="du/dt = div(D*grad(u)); D = where(abs(x - 15.5) < 0.6, 1e-3, 1); dt = 0.1", size=30)


def test_a_field_that_is_solved_for_alone_is_the_state():
    with pytest.warns(UserWarning, match="`u` is solved for, and a run needs no steps"):
        sim = ss.Simulation(equation="lap(u) = 0; all: u = k*x*y; k = 1 in [0, 2]; dx = 0.5", size=(24, 17), dtype="float64")
    y, x = np.mgrid[0:17, 0:24] * 0.5 + 0.25
    assert np.abs(sim.field("u", numpy=True) - x * y).max() < 1e-12
    sim.set("k", 2)
    sim.advance(1)  # a step solves again
    assert np.abs(sim.field("u", numpy=True) - 2 * x * y).max() < 1e-12
