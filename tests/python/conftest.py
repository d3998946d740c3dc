import os
import subprocess
import sys

import numpy as np
import pytest

# All files but test_cuda.py, which runs by itself, test the CPU: on a GPU, fields would not be NumPy arrays.
if not any(word.endswith("test_cuda.py") and not word.startswith("-") for word in sys.argv):
    os.environ["CUDA_VISIBLE_DEVICES"] = ""

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "soak"))

import stencilscope as ss  # noqa: E402


@pytest.fixture
def rng():
    seed = int(os.environ.get("STENCILSCOPE_TEST_SEED", np.random.SeedSequence().entropy % 2**32))
    print("STENCILSCOPE_TEST_SEED =", seed)
    return np.random.default_rng(seed)


@pytest.fixture
def program():
    """Runs the program with these arguments."""
    path = os.environ.get("STENCILSCOPE", "stencilscope")

    def run(*words):
        return subprocess.run([path, *map(str, words)], check=True, capture_output=True, text=True)

    return run


def steps_of_diffusion(u, steps, coefficient, boundary):
    """Steps diffusion by the plain formula in float64."""
    u = u.astype(np.float64)
    for _ in range(steps):
        mode = {"zero": "constant", "insulated": "edge", "periodic": "wrap"}[boundary]
        p = np.pad(u, 1, mode=mode)
        u = u + coefficient * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * u)
    return u


@pytest.fixture
def plain_diffusion():
    return steps_of_diffusion


@pytest.fixture
def gray_scott():
    return ss.Simulation(model="gray-scott", size=(64, 48), parameters={"F": 0.055}, dtype="float32")
