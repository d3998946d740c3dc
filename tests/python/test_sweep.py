"""Many runs at once."""

import numpy as np
import pytest

import stencilscope as ss


def values(found, name):
    return np.asarray(found[name])


def test_a_sweep_has_the_bits_of_each_run_alone_over_the_axes_of_what_varies():
    found = ss.sweep("gray-scott", vary={"F": [0.03, 0.05], "seed": [1, 2, 3]}, observe=["mean(v)"], size=(24, 16), steps=30)
    assert values(found, "v").shape == (2, 3, 16, 24)
    for i, feed in enumerate([0.03, 0.05]):
        for j, seed in enumerate([1, 2, 3]):
            alone = ss.Simulation(model="gray-scott", size=(24, 16), seed=seed, parameters={"F": feed})
            alone.advance(30)
            np.testing.assert_array_equal(values(found, "v")[i, j], alone.field("v", numpy=True))
            assert values(found, "mean(v)")[i, j] == pytest.approx(alone.field("v", numpy=True).mean(dtype=float), rel=1e-5)
    assert (values(found, "status") == "done").all()
    assert list(values(found, "F")) == [0.03, 0.05]


def test_runs_end_at_a_time_or_by_a_condition_and_an_overflow_stops_no_other():
    decay = "du/dt = -K*u; u(0) = 1; K = 1; dt = 0.01"
    found = ss.sweep(equation=decay, vary={"K": [1, 2]}, until="max(u) < 0.5", size=8)
    np.testing.assert_array_equal(values(found, "steps"), [np.ceil(np.log(0.5) / np.log(1 - 0.01 * k)) for k in (1, 2)])
    assert values(ss.sweep(equation=decay, vary={"K": [1, 2]}, until=0.255, size=8), "time") == pytest.approx(0.255)
    found = ss.sweep(equation="du/dt = K*u^2; u(0) = 1; K = 1; dt = 0.1", vary={"K": [0, 9]}, steps=50, size=8)
    assert values(found, "status")[0] == "done" and "not finite at step" in values(found, "status")[1]


def test_what_cannot_vary_is_refused():
    with pytest.raises(ValueError, match="did you mean 'F'"):
        ss.sweep("gray-scott", vary={"f": [1, 2]}, size=8, steps=1)
    with pytest.raises(ValueError, match="vary"):
        ss.sweep("gray-scott", vary={}, size=8)
