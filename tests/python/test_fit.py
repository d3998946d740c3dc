"""Fits, and residuals as functions for scipy.optimize."""

import math

import numpy as np
import pytest

import stencilscope as ss

DECAY = "du/dt = -k*u; u(0) = A; k = 1; A = 1; dt = 0.01; integrator = rk4"
TIMES = np.linspace(0, 3, 13)


def decay_target(noise=0.0, seed=1):
    values = 2 * np.exp(-0.7 * TIMES) + noise * np.random.default_rng(seed).standard_normal(len(TIMES))
    return {"of": "mean(u)", "time": TIMES, "values": values}


def test_a_series_gives_the_parameters_of_its_closed_form():
    found = ss.fit(decay_target(), {"k": 1.0, "A": (1.0, 0.1, 10)}, log=["A"], equation=DECAY, size=4, dtype="float64")
    assert found.success and found["success"] and found.message == "converged" and found.exact
    assert found.names == ["k", "A"] and abs(found.x - [0.7, 2]).max() < 1e-7
    assert found.residual.shape == (13,) and found.cov.shape == (2, 2) and found.nfev == found.njev == len(found.history)
    assert "std. error" in repr(found) and "stderr" in dir(found)
    with pytest.raises(AttributeError):
        found.nothing
    assert ss.Simulation(spec=found.spec).parameters["k"] == found.x[0]


def test_the_errors_are_those_of_the_normal_equations():
    found = ss.fit(decay_target(0.02), ["k", "A"], equation=DECAY, size=4, dtype="float64")
    k, a = found.x
    jacobian = np.stack([-TIMES * a * np.exp(-k * TIMES), np.exp(-k * TIMES)], axis=1)
    residual = a * np.exp(-k * TIMES) - decay_target(0.02)["values"]
    cov = np.linalg.inv(jacobian.T @ jacobian) * (residual @ residual) / (len(TIMES) - 2)
    assert np.allclose(found.cov, cov, rtol=1e-4)
    assert np.allclose(found.stderr**2, np.diag(found.cov))
    assert abs(jacobian.T @ residual).max() < 1e-6


def test_fields_points_and_gaps_are_targets():
    text = "du/dt = D*lap(u); u(0) = exp(-((x - 8)^2 + (y - 6)^2)/4); D = 0.3; dt = 0.1"
    run = ss.Simulation(equation=text, size=(16, 12), dtype="float64").advance(20)
    field = run.field(numpy=True).copy()
    field[3, 4] = np.nan
    points = {"of": "u", "time": [2.0, 2.0], "x": [8, 3], "y": 6, "values": [run.field(numpy=True)[6, 8], run.field(numpy=True)[6, 3]]}
    found = ss.fit([{"values": field, "time": 2.0}, points], {"D": 0.2}, noise=[0.1, 0.01], equation=text, dtype="float64")
    assert found.success and abs(found.x[0] - 0.3) < 1e-8 and len(found.residual) == 16 * 12 - 1 + 2
    whole = ss.fit(run.field(numpy=True), {"D": 0.2}, equation=text, dtype="float64", time=2)
    assert abs(whole.x[0] - 0.3) < 1e-8


def test_a_start_may_be_an_array():
    start = np.random.default_rng(3).random((9, 10))
    text = "du/dt = D*lap(u); D = 0.2; dt = 0.1"
    end = ss.Simulation(start, equation=text).advance(10).field(numpy=True)
    found = ss.fit(end, {"D": 0.1}, initial=start, equation=text, steps=10)
    assert found.success and abs(found.x[0] - 0.2) < 1e-8


def test_the_jacobian_is_that_of_differences():
    f = ss.Residuals(decay_target(), {"k": 0.6, "A": (2.1, 1, 3)}, noise=0.5, equation=DECAY, size=4, dtype="float64")
    assert f.exact and list(f.x0) == [0.6, 2.1] and f.bounds[0][1] == 1 and math.isinf(f.bounds[1][0])
    for i in range(2):
        step = np.eye(2)[i] * 1e-6
        assert np.allclose((f(f.x0 + step) - f(f.x0 - step)) / 2e-6, f.jac(f.x0)[:, i], atol=1e-8)
    with pytest.raises(TypeError, match="2 parameters: k, A"):
        f([1.0])


def test_least_squares_of_scipy_takes_the_function_and_its_jacobian():
    optimize = pytest.importorskip("scipy.optimize")
    f = ss.Residuals(decay_target(0.02), {"k": (1.0, 0, 5), "A": 1.0}, equation=DECAY, size=4, dtype="float64")
    theirs = optimize.least_squares(f, f.x0, jac=f.jac, bounds=f.bounds, xtol=1e-12, ftol=1e-12, gtol=1e-12)
    ours = ss.fit(decay_target(0.02), ["k", "A"], equation=DECAY, size=4, dtype="float64")
    assert theirs.success and np.allclose(theirs.x, ours.x, rtol=1e-5) and np.allclose(theirs.cost, ours.cost, rtol=1e-8)


def test_what_is_no_fit_is_refused():
    field = np.zeros((4, 4))
    for targets, starts, part in (
        (field, {"q": 1.0}, "unknown parameter 'q'"),
        (np.zeros((5, 4)), {"k": 1.0}, "the array is 4x5 and the field 4x4"),
        ({"of": "u", "values": [1.0], "time": [1.0]}, {"k": 1.0}, r"mean\(u\)"),
        ({"value": field}, {"k": 1.0}, "values"),
        ({"values": [1.0, 2.0]}, {"k": 1.0}, "time"),
        (field, {"k": (1.0, 2, 3)}, "outside of its bounds"),
        (field, {"k": "much"}, "NAME=START"),
        ("none.npy", {"k": 1.0}, "none.npy"),
    ):
        with pytest.raises(ValueError, match=part):
            ss.fit(targets, starts, equation=DECAY, size=4, time=1)
    with pytest.raises(ValueError, match="log"):
        ss.fit(field, {"k": 1.0}, log=["A"], equation=DECAY, size=4)
    both = ss.fit({"of": "mean(u)", "values": TIMES, "time": TIMES}, {"k": 1.0, "b": 1.0}, equation="du/dt = -k*b*u; u(0) = 1; k = 1; b = 1; dt = 0.01", size=4)
    assert not both.success and "not identifiable" in both.message and np.isnan(both.stderr).all()
