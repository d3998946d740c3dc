import copy
import os
import signal
import threading

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


@pytest.mark.parametrize("stream", ["null", "own"])
def test_what_is_still_being_computed_is_waited_for(stream):
    with cupy.cuda.Stream(non_blocking=True) if stream == "own" else cupy.cuda.Stream.null:
        a = cupy.random.random((4096, 4096))
        b = a
        for _ in range(20):
            b = b @ a / 2048
        u = ss.Simulation(b, backend="cuda").field(numpy=True)
        np.testing.assert_array_equal(u, cupy.asnumpy(b))


def test_jax_takes_a_field_without_a_copy(rng):
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX has no GPU")
    a = rng.random((50, 60)).astype("float32")
    field = ss.Simulation(a, backend="cuda").field()
    assert field.__dlpack_device__() == (2, 0)
    u = jax.dlpack.from_dlpack(field)
    assert isinstance(u, jax.Array)
    np.testing.assert_array_equal(np.asarray(u), a)


def test_an_array_of_torch_comes_and_goes():
    torch = pytest.importorskip("torch")
    a = torch.rand((60, 70), device="cuda")
    u = torch.from_dlpack(ss.Simulation(a, backend="cuda").field())
    assert u.is_cuda and torch.equal(u, a)
    with pytest.raises(ValueError, match="NaN"):
        ss.Simulation(a / 0 - a / 0)
    with pytest.raises(TypeError, match="astype"):
        ss.Simulation(a.half())


def test_it_starts_on_the_gpu_and_goes_on_elsewhere(rng, tmp_path):
    u0 = rng.random((128, 96)).astype(np.float32)
    sim = ss.Simulation(cupy.asarray(u0), coefficient=0.2, boundary="periodic", backend="cuda").advance(100)
    assert sim.settings["backend"] == "cuda" and "cuda" in repr(sim)
    assert "data:image/png;base64,iVBOR" in sim._repr_html_()
    other = copy.deepcopy(sim)
    sim.save(tmp_path)
    for one in (sim, other, loaded := ss.Simulation.load(tmp_path)):
        one.advance(50)
    for one in (other, loaded):
        np.testing.assert_array_equal(one.field(numpy=True), sim.field(numpy=True))
    u = sim.field(numpy=True)
    assert sim.statistics()["max"] == u.max()
    sim.set("backend", "cpu")
    np.testing.assert_array_equal(sim.field(), u)


def test_a_run_has_the_bits_of_the_programs(program, tmp_path):
    program("run", "--size", "200x120", "--steps", 300, "--backend", "cuda", "--export", "field.npy", "--out", tmp_path)
    sim = ss.Simulation(size=(200, 120), steps=300, backend="cuda").advance(300)
    np.testing.assert_array_equal(np.load(tmp_path / "field.npy"), sim.field(numpy=True))


def test_a_jump_stays_on_the_gpu(rng):
    u0 = rng.random((64, 80))
    jumped = cupy.asnumpy(cupy.from_dlpack(ss.jump(u0, steps=500, coefficient=0.2, backend="cuda")))
    np.testing.assert_allclose(jumped, ss.jump(u0, steps=500, coefficient=0.2, backend="cpu"), rtol=1e-11)


def test_ctrl_c_ends_it_between_two_steps(rng):
    u0 = rng.random((300, 200)).astype(np.float32)
    sim = ss.Simulation(u0, backend="cuda")
    threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        sim.advance(10**9)
    steps = sim.step
    assert 0 < steps < 10**9
    again = ss.Simulation(u0, backend="cuda", method=sim.settings["method"]).advance(steps)
    np.testing.assert_array_equal(sim.field(numpy=True), again.field(numpy=True))


def test_threads_have_simulations_of_their_own(rng):
    u0 = rng.random((90, 90)).astype(np.float32)
    ends = [None] * 4

    def work(i):
        ends[i] = ss.Simulation(u0, backend="cuda").advance(200).field(numpy=True)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(ends))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for end in ends[1:]:
        np.testing.assert_array_equal(end, ends[0])
