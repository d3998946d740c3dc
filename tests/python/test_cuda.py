import numpy as np
import pytest

import stencilscope as ss

cupy = pytest.importorskip("cupy", reason="CuPy is not here")
pytestmark = pytest.mark.skipif(not ss._core.has_cuda, reason="a build without CUDA")


@pytest.fixture(autouse=True)
def gpu():
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError:
        pytest.skip("no GPU")


@pytest.mark.parametrize("layout", [lambda a: a, lambda a: cupy.asfortranarray(a), lambda a: cupy.pad(a, 3)[3:-3, 3:-3]])
def test_an_array_of_the_gpu_comes_and_goes(rng, layout):
    a = cupy.asarray(rng.random((40, 56)))
    sim = ss.Simulation(layout(a), backend="cuda")
    u = cupy.from_dlpack(sim.field())
    cupy.testing.assert_array_equal(u, a)
    with pytest.raises(ValueError, match="ascontiguousarray"):
        ss.Simulation(a[::2, ::2])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_was_got_stays_while_it_steps_on_and_outlives_it(rng, dtype):
    u0 = rng.random((70, 90)).astype(dtype)
    sim = ss.Simulation(u0, backend="cuda", method="naive")
    before = cupy.from_dlpack(sim.field())
    sim.advance(20)
    cupy.testing.assert_array_equal(before, u0)
    after = sim.field()
    expected = sim.field(numpy=True)
    assert isinstance(expected, np.ndarray)
    del sim
    np.testing.assert_array_equal(cupy.asnumpy(cupy.from_dlpack(after)), expected)


def test_typed_equations_have_the_bits_of_the_cpu():
    settings = {"model": "gray-scott", "size": 64}
    on_gpu = ss.Simulation(backend="cuda", **settings).advance(200)
    on_cpu = ss.Simulation(backend="cpu", **settings).advance(200)
    for name in "uv":
        np.testing.assert_array_equal(on_gpu.field(name, numpy=True), on_cpu.field(name))
    np.testing.assert_array_equal(on_gpu.laplacian("v", numpy=True), cupy.asnumpy(cupy.from_dlpack(on_gpu.laplacian("v"))))
