import os
import signal
import threading

import numpy as np
import pytest

import stencilscope as ss

FOREVER = 10**9  # steps: takes hours


def interrupt_when(ready):
    def watch():
        while not ready():
            pass
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def test_ctrl_c_ends_it_between_two_steps(rng):
    u0 = rng.random((200, 200)).astype(np.float32)
    sim = ss.Simulation(u0)
    thread = interrupt_when(lambda: sim.step > 100)
    with pytest.raises(KeyboardInterrupt):
        sim.advance(FOREVER)
    thread.join()
    assert 100 < sim.step < FOREVER
    np.testing.assert_array_equal(sim.field(), ss.Simulation(u0).advance(sim.step).field())


def test_other_threads_look_on_while_it_steps():
    sim = ss.Simulation(size=300)
    stop = threading.Event()

    def goes_on(done, steps):
        if stop.is_set():
            raise StopIteration

    def work():
        with pytest.raises(StopIteration):
            sim.advance(FOREVER, progress=goes_on)

    thread = threading.Thread(target=work)
    thread.start()
    steps = [0]
    while len(steps) < 5:
        assert np.isfinite(sim.field()).all()
        if sim.step > steps[-1]:
            steps.append(sim.step)
    stop.set()
    thread.join()


def test_threads_share_the_steps(rng):
    u0 = rng.random((50, 50))
    sim = ss.Simulation(u0)
    threads = [threading.Thread(target=lambda: [sim.advance(1) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sim.step == 200
    np.testing.assert_array_equal(sim.field(), ss.Simulation(u0).advance(200).field())


def test_progress_tells_of_all_steps():
    sim = ss.Simulation(size=64)
    seen = []
    sim.advance(500, progress=lambda done, steps: seen.append((done, steps, sim.step)))
    assert seen[-1] == (500, 500, 500) and all(a[0] < b[0] for a, b in zip(seen, seen[1:]))
    with pytest.raises(ZeroDivisionError):
        sim.advance(500, progress=lambda done, steps: 1 / 0)
    assert 500 < sim.step <= 1000
    with pytest.raises(ValueError):
        sim.advance(-1)


def test_a_fork_is_told():
    sim = ss.Simulation(size=16)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            sim.advance(1)
        except RuntimeError as error:
            del sim
            os.write(writing, str(error).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    assert b"fork" in os.read(reading, 1000)
    os.close(reading)


def test_ctrl_c_ends_a_measurement():
    thread = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        ss.bench(size=256, repeats=1000, steps=10**4, method="cpu", backend="cpu")
