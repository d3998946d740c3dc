#!/usr/bin/env python3
"""Times many small fields of Gray-Scott, each with an F and a K of its own, as other tools step them.

  python3 measure.py                                    every tool that can be imported: 1024 fields of 128 x 128 cells
  python3 measure.py --fields 4096 --size 64 --tool jax
  python3 measure.py --program build/release/bin/stencilscope

float32, periodic sides, dt = 1, Du = 0.16, Dv = 0.08. Each tool is a file *_fields.py beside this one, with

  make(u, v, F, K)    an object for the fields u and v, (fields, n, n) float32, with F and K, (fields,) float32, that has
    step(n)           enqueues n steps of all fields
    wait()            returns when they are done
    fields()          u and v as NumPy arrays
  all_at_once         whether one call steps all fields; else only the first few are stepped, one after the other, and
                      the figure is per field

Warm-up steps, which also compile, do not count. A repeat makes as many steps as take 0.5 s; the median of 5 repeats counts. The error is
the relative 2-norm of the difference of v from the same steps in float64 with NumPy, after 20 steps of 4 fields. `--program` adds two rows:
`stencilscope sweep` for all fields (its own figure for the steps, with the copies), and `stencilscope run` in a loop (the whole time of a
process, from 4 runs of 20000 steps)."""
import argparse
import importlib
import re
import statistics
import subprocess
import tempfile
import time

import numpy as np

TOOLS = ("cupy", "jax", "pde")
SECONDS, REPEATS, ERROR_STEPS, FEW = 0.5, 5, 20, 4
RUN_STEPS = 20000


def start(fields, n):
    noise = np.random.default_rng(42).random((fields, n, n), dtype=np.float32)
    seeds = np.zeros((n, n), np.float32)
    seeds[2 * n // 5 : 3 * n // 5, 2 * n // 5 : 3 * n // 5] = 1
    v = (0.25 * seeds * (0.9 + 0.2 * noise)).astype(np.float32)
    F, K = np.linspace(0.02, 0.06, fields, dtype=np.float32), np.linspace(0.05, 0.063, fields, dtype=np.float32)
    return (1 - 2 * v).astype(np.float32), v, F, K


def float64_steps(u, v, F, K, steps):
    u, v, F, K = u.astype(np.float64), v.astype(np.float64), F.astype(np.float64)[:, None, None], K.astype(np.float64)[:, None, None]

    def lap(a):
        return sum(np.roll(a, by, axis) for axis in (1, 2) for by in (-1, 1)) - 4 * a

    for _ in range(steps):
        u, v = (
            u + np.float64(np.float32(0.16)) * lap(u) - u * v * v + F * (1 - u),
            v + np.float64(np.float32(0.08)) * lap(v) + u * v * v - (F + K) * v,
        )
    return u, v


def error_of(make, n):
    fields = start(FEW, n)
    stepped = make(*fields)
    stepped.step(ERROR_STEPS)
    stepped.wait()
    true = float64_steps(*fields, ERROR_STEPS)[1]
    return np.linalg.norm(stepped.fields()[1] - true) / np.linalg.norm(true)


def seconds_of(stepped, steps):
    stepped.wait()
    begin = time.perf_counter()
    stepped.step(steps)
    stepped.wait()
    return time.perf_counter() - begin


def speed_of(make, fields, n):
    """GCells/s: the median of the repeats."""
    stepped = make(*start(fields, n))
    steps = 2
    seconds_of(stepped, steps)  # compiles
    while (seconds := seconds_of(stepped, steps)) < SECONDS / 4:
        steps *= 2
    steps = max(2, round(steps * SECONDS / seconds))
    median = statistics.median(seconds_of(stepped, steps) for _ in range(REPEATS))
    return fields * n * n * steps / median / 1e9


def row(tool, version, gcells, error):
    print(f"{tool:<20} {version:<10} {gcells:>9.4g} {error:>9}", flush=True)


def program_rows(program, fields, n):
    cells = float(fields) * n * n * RUN_STEPS
    across = max(1, round(fields**0.5))
    vary = ["--vary", f"F=0.02:0.06:{fields // across}", "--vary", f"K=0.05:0.063:{across}"]
    common = ["--model", "gray-scott", "--size", str(n), "--steps", str(RUN_STEPS), "--dtype", "float32"]
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        said = subprocess.run(
            [program, "sweep", *common, *vary, "--export", "csv", "--out", f"{folder}/sweep"], check=True, capture_output=True, text=True)
        whole = time.perf_counter() - begin
        if found := re.search(r"([0-9.e+]+) GCells/s", said.stdout):
            row("stencilscope sweep", "", float(found[1]), "")
        row("... from the shell", "", cells / whole / 1e9, "")
        begin = time.perf_counter()
        for i in range(FEW):
            subprocess.run([program, "run", *common, "--export", "spec.json", "--out", f"{folder}/run{i}"], check=True, capture_output=True)
        row("a loop of runs", "", FEW * float(n) * n * RUN_STEPS / (time.perf_counter() - begin) / 1e9, "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fields", type=int, default=1024)
    parser.add_argument("--size", type=int, default=128, help="cells along each side of a field")
    parser.add_argument("--tool", default=",".join(TOOLS), help="separated by commas: " + ", ".join(TOOLS))
    parser.add_argument("--program", help="the path of stencilscope, for rows of its own")
    options = parser.parse_args()
    if options.size < 5 or options.fields < 1:
        parser.error("--size is at least 5, --fields at least 1")
    tools = [tool for tool in options.tool.split(",") if tool]
    for tool in tools:
        if tool not in TOOLS:
            parser.error(f"--tool {tool}: there is no such tool; allowed: {', '.join(TOOLS)}")
    print(f"{'tool':<20} {'version':<10} {'GCells/s':>9} {'error':>9}")
    for tool in tools:
        try:
            made = importlib.import_module(tool + "_fields")
        except Exception as missing:  # of whatever kind a package raises that does not fit another one
            print(f"{tool:<20} cannot be imported: {missing}")
            continue
        error = error_of(made.make, options.size)
        fields = options.fields if made.all_at_once else 1
        row(tool, made.version, speed_of(made.make, fields, options.size), f"{error:.2g}")
    if options.program:
        program_rows(options.program, options.fields, options.size)


if __name__ == "__main__":
    main()
