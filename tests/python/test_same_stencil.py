"""assets/kernels/same-stencil: the diffusion step in other tools, timed by one protocol."""

import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "assets/kernels/same-stencil"


def measure(*words):
    return subprocess.run([sys.executable, FOLDER / "measure.py", *words], capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("tool", ["numpy", "numba", "cupy", "jax", "torch", "triton"])
def test_each_tool_that_is_here_has_a_speed_and_the_error_of_float32(tool):
    result = measure("--size", "48", "--tool", tool)
    assert result.returncode == 0, result.stderr
    row = result.stdout.splitlines()[1].split()
    assert row[0] == tool
    if "cannot be imported" in result.stdout:
        pytest.skip(result.stdout.splitlines()[1])
    assert float(row[2]) > 0
    assert 0 < float(row[4]) < 1e-6


def test_a_tool_that_there_is_not_is_told():
    result = measure("--tool", "numpy,fortran")
    assert result.returncode == 2
    assert "--tool fortran: there is no such tool; allowed: numpy" in result.stderr
