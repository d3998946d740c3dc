#!/usr/bin/env python3
"""Times one step of diffusion as other tools write it, by the protocol of `stencilscope bench`.

  python3 measure.py                               every tool that can be imported, 8192 x 8192 cells
  python3 measure.py --size 2000 --tool cupy,jax   some of them, on another square

u <- u + c (north + south + west + east - 4 u) in float32, with zeros outside. Each tool is a file *_stencil.py beside this one, with

  make(u, c)    an object for the field u, (ny, nx) float32, that has
    step(n)     enqueues n steps
    wait()      returns when they are done
    field()     the field as a NumPy array

Warm-up steps, which also compile, do not count. A repeat makes as many steps as take 0.2 s; the median of 7 repeats counts. The error is
the relative 2-norm of the difference from the same steps in float64 with NumPy, after 20 steps on 512 x 512 cells."""
import argparse
import importlib
import statistics
import time

import numpy as np

TOOLS = ("numpy", "numba", "cupy", "jax", "torch", "triton")
COEFFICIENT = 0.2
SECONDS, REPEATS, ERROR_STEPS = 0.2, 7, 20


def start(n):
    return np.random.default_rng(42).random((n, n), dtype=np.float32)


def float64_steps(u, steps):
    u = np.pad(u.astype(np.float64), 1)
    for _ in range(steps):
        u[1:-1, 1:-1] += COEFFICIENT * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
    return u[1:-1, 1:-1]


def error_of(make):
    u = start(512)
    stencil = make(u, COEFFICIENT)
    stencil.step(ERROR_STEPS)
    stencil.wait()
    true = float64_steps(u, ERROR_STEPS)
    return np.linalg.norm(stencil.field() - true) / np.linalg.norm(true)


def seconds_of(stencil, steps):
    stencil.wait()
    begin = time.perf_counter()
    stencil.step(steps)
    stencil.wait()
    return time.perf_counter() - begin


def speed_of(make, size):
    """GCells/s: the median of the repeats."""
    stencil = make(start(size), COEFFICIENT)
    steps = 1
    seconds_of(stencil, steps)  # compiles
    while (seconds := seconds_of(stencil, steps)) < SECONDS / 4:
        steps *= 2
    steps = max(1, round(steps * SECONDS / seconds))
    median = statistics.median(seconds_of(stencil, steps) for _ in range(REPEATS))
    return size * size * steps / median / 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=8192, help="cells along each side")
    parser.add_argument("--tool", default=",".join(TOOLS), help="separated by commas: " + ", ".join(TOOLS))
    options = parser.parse_args()
    if options.size < 1:
        parser.error(f"--size {options.size}: at least 1")
    for tool in options.tool.split(","):
        if tool not in TOOLS:
            parser.error(f"--tool {tool}: there is no such tool; allowed: {', '.join(TOOLS)}")
    print(f"{'tool':<8} {'version':<10} {'GCells/s':>9} {'GB/s':>7} {'error':>9}")
    for tool in options.tool.split(","):
        try:
            made = importlib.import_module(tool + "_stencil")
        except Exception as missing:  # of whatever kind a package raises that does not fit another one
            print(f"{tool:<8} cannot be imported: {missing}")
            continue
        error, gcells = error_of(made.make), speed_of(made.make, options.size)
        print(f"{tool:<8} {made.version:<10} {gcells:>9.4g} {8 * gcells:>7.4g} {error:>9.2g}", flush=True)


if __name__ == "__main__":
    main()
