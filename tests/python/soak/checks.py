"""Checks a problem in this process through the Python module. Differences raise Failure; refusals are returned as text."""

import itertools
import json
import os
import random
import tempfile

import numpy as np
from problems import Problem
from stepper import Run, Unsupported, formula

import stencilscope as ss


class Failure(Exception):
    pass


def simulation(p, start=None, **how):
    at = [f"{step}:{name}={value}" for step, name, value in p.events]
    settings = {"method": "cpu", "threads": 1, "dtype": p.dtype, "steps": p.steps, "seed": p.seed, **p.settings(), **how}
    return ss.Simulation(start, equation=p.text, size=(p.nx, p.ny), allow_unstable=True, allow_overflow=True, at=at, **settings)


def fields(sim):
    return {c: sim.field(c, numpy=True) for c in sim.components}


def require_same_bits(a, b, what):
    if list(a) != list(b):
        raise Failure(f"{what}: components {list(a)} and {list(b)}")
    for c in a:
        if a[c].shape != b[c].shape or a[c].dtype != b[c].dtype:
            raise Failure(f"{what}: {c} is {a[c].dtype} {a[c].shape}, or {b[c].dtype} {b[c].shape}")
        # The bits of a NaN depend on the order of operands in machine code, so field_hash takes all NaNs as one.
        first, second = (np.where(np.isnan(x[c]), x[c].dtype.type(np.nan), x[c]) for x in (a, b))
        if first.tobytes() != second.tobytes():
            different = ~((first == second) | (np.isnan(first) & np.isnan(second)))
            if not different.any():
                raise Failure(f"{what}: {c} has zeros of other signs")
            cell = tuple(int(i) for i in np.argwhere(different)[0])
            raise Failure(f"{what}: {c} differs in {different.sum()} cells, first at {cell}: {a[c][cell]!r} and {b[c][cell]!r}")


def executors(p):
    """Requires equal bits with one thread, several, cell by cell, changes by set(), and a resumed run. Returns the field."""
    sim = simulation(p).advance(p.steps)
    expected = fields(sim)
    ways = [{"threads": 2}, {"threads": 5}]
    # The reference steps in float64, and methods of diffusion each round in their own way.
    if not p.diffuses and not {"float32", "diffusion"} & {p.dtype, *(value for _, _, value in p.events)}:
        ways.append({"method": "reference", "threads": 2})
    for how in ways:
        require_same_bits(expected, fields(simulation(p, **how).advance(p.steps)), f"1 thread and {how}")
    if p.events and not any(name.startswith("paint") for _, name, _ in p.events):
        by_hand = Problem(p.seed, p.large)
        by_hand.__dict__.update(p.__dict__, events=[])
        other = simulation(by_hand)
        for step, name, value in p.events:
            other.advance(step - other.step)
            if name.startswith("field"):
                other.fields[name[6:] or other.components[0]] = value
            else:
                other.set(name, value)
        require_same_bits(expected, fields(other.advance(p.steps - other.step)), "at= and set()")
    with tempfile.TemporaryDirectory() as folder:
        cut = simulation(p, threads=2).advance(p.steps // 2)
        cut.save(folder)
        require_same_bits(expected, fields(ss.Simulation.load(folder).advance(p.steps - cut.step)), "whole and cut")
    if p.until is not None:
        ended_run(p)
    return sim, expected


def ended_run(p):
    """Requires that a run with an ending ends at one step with the same bits by several threads, in pieces, and cut and resumed."""
    until = p.until if isinstance(p.until, str) else p.until * simulation(p).advance(p.steps).time
    whole = simulation(p).run(until, steps=p.steps)
    if whole.step > p.steps:
        raise Failure(f"until {until}: at step {whole.step}, beyond {p.steps}")

    def require_end(other, how):
        if (other.step, other.time) != (whole.step, whole.time):
            raise Failure(f"until {until}, {how}: ends at step {other.step}, t {other.time}, whole at {whole.step}, {whole.time}")
        require_same_bits(fields(whole), fields(other), f"until {until}, {how}")

    require_end(simulation(p, threads=3).run(until, steps=p.steps), "3 threads")
    pieces = simulation(p)
    for _ in range(p.steps):
        before = pieces.step
        pieces.run(until, steps=1)
        if pieces.step == before:
            break
    require_end(pieces, "step by step")
    with tempfile.TemporaryDirectory() as folder:
        cut = simulation(p).run(until, steps=p.steps // 2)
        cut.save(folder)
        require_end(ss.Simulation.load(folder).run(until, steps=p.steps - cut.step), "cut")


def swept(p, r):
    """Requires that runs of a sweep have the bits that they have alone."""
    kinds = {"seed": [p.seed, p.seed + 1], "dx": ["0.8", "1"], **{name: ["0.25", "0.6", "1.1"] for name in p.parameters}}
    if not p.dt:
        kinds["dt"] = ["0.01", "0.004"]
    if p.stepper in ("euler", "heun", "rk4"):
        kinds["integrator"] = ["euler", "rk4"]
    vary = {name: kinds[name][: r.choice([2, 3])] for name in r.sample(list(kinds), r.choice([1, 2]))}
    at = [f"{step}:{name}={value}" for step, name, value in p.events]
    same = {"equation": p.text, "size": (p.nx, p.ny), "dtype": p.dtype, "allow_unstable": True, "allow_overflow": True, "at": at, "steps": p.steps}
    settings = {"method": "cpu", "threads": r.choice([1, 3]), "seed": p.seed, **same, **p.settings()}
    found = ss.sweep(vary=vary, **{name: value for name, value in settings.items() if name not in vary})
    for place in itertools.product(*[range(len(values)) for values in vary.values()]):
        own = {name: values[i] for (name, values), i in zip(vary.items(), place)}
        status = str(np.asarray(found["status"])[place])
        try:
            numbers = {name: float(value) for name, value in own.items() if name in p.parameters}
            alone = fields(simulation(p, parameters=numbers, **{name: value for name, value in own.items() if name not in numbers}).advance(p.steps))
        except ValueError:
            if status == "done":
                raise Failure(f"sweep: {own} is refused alone") from None
            continue
        if status != "done":
            raise Failure(f"sweep: {own} is {status}, and not alone")
        require_same_bits(alone, {c: np.asarray(found[c])[place] for c in alone}, f"alone and in a sweep, {own}")


def fitted(p):
    """Requires that a fit to a run's own field has no residuals, and that its derivatives are the sensitivities of the run alone."""
    alone = simulation(p).advance(p.steps)
    c = alone.components[0]
    target = alone.field(c, numpy=True)
    if not np.isfinite(target).all():
        return
    settings = {"equation": p.text, "size": (p.nx, p.ny), "seed": p.seed, "dtype": p.dtype, "method": "cpu", "allow_unstable": True, "allow_overflow": True, **p.settings()}
    try:
        f = ss.Residuals({"of": c, "values": target, "time": alone.time}, p.parameters, threads=2, **settings)
        residuals, jacobian = f(f.x0), f.jac(f.x0)
    except ValueError:
        return  # such as an integrator without sensitivities
    if (residuals != 0).any():
        raise Failure(f"fit: residuals up to {np.abs(residuals).max()} of a run from itself")
    if not f.exact:
        return
    beside = ss.Simulation(sensitivity=p.parameters, threads=1, steps=p.steps, **settings).advance(p.steps)
    for i, name in enumerate(p.parameters):
        column = beside.field(f"d({c})/d({name})", numpy=True).ravel()
        if not np.array_equal(jacobian[:, i], column.astype(jacobian.dtype), equal_nan=True):
            raise Failure(f"fit: the derivatives by {name} are not those of the run")


def fast(p, method="fast", backend="cuda"):
    """Requires that the method `fast` of a GPU is as near to the exact field as its rounding allows: runs whose starts are
    perturbed by about as much show how far that goes."""
    if p.dt or p.diffuses or any(name in ("size", "dtype", "model", "equation", "method", "threads") for _, name, _ in p.events):
        return
    exact = {"dtype": "float64", "threads": 1}
    start = fields(simulation(p, **exact))
    for dtype, rounding in (("float32", 3e-7), ("float64", 1e-15)):
        try:
            found = fields(simulation(p, dtype=dtype, method=method, backend=backend).advance(p.steps))
        except ValueError:
            continue  # such as an integrator that solves by transforms
        rng = np.random.default_rng(p.seed)
        runs = []
        for absolute in (0, 0, rounding, -rounding):
            run = simulation(p, **exact)
            relative = rounding if runs else 0
            for c, a in start.items():
                sign = rng.choice([-1, 1], a.shape)
                run.fields[c] = a * (1 + relative * sign) + absolute * sign
            runs.append(fields(run.advance(p.steps)))
        runs.append(fields(simulation(p, dtype=dtype, threads=1).advance(p.steps)))
        for c, a in found.items():
            b, scale = runs[0][c], max(1.0, np.nanmax(np.abs(runs[0][c]), initial=0, where=np.isfinite(runs[0][c])))
            own = np.max([np.abs(run[c] - b) for run in runs[1:]], axis=0)
            own = np.max([np.roll(own, shift, (0, 1)) for shift in itertools.product(range(-2, 3), repeat=2)], axis=0)
            # Where rounding decides, as at a jump of a formula, or has grown much, nothing is known.
            known = np.isfinite(b) & (own < 100 * rounding * scale)
            wrong = known & ~(np.abs(a - b) < 1e3 * rounding * scale + 1e2 * own)
            if wrong.any():
                cell = tuple(int(i) for i in np.argwhere(wrong)[0])
                raise Failure(f"fast: {c} in {dtype} differs in {wrong.sum()} cells, first at {cell}: {a[cell]!r}, exact {b[cell]!r}")


def beside(p):
    """Draws what stands on many runs: a sweep or a fit."""
    r = random.Random(f"{p.seed} beside")
    if r.random() < 0.5 and not any(name in ("size", "dtype", "model", "equation", "method", "threads") for _, name, _ in p.events):
        swept(p, r)
    elif r.random() < 0.7 and p.parameters and not (p.events or p.dt or p.diffuses or "map" in p.stepper):
        fitted(p)


def outputs(sim, expected, files):
    """Writes these exports after the run, and requires that spec.json repeats the bits."""
    with tempfile.TemporaryDirectory() as folder:
        sim.export(folder, files)
        written = ss.Simulation(spec=f"{folder}/spec.json")
        steps = json.loads(open(f"{folder}/spec.json").read())["steps"]
        require_same_bits(expected, fields(written.advance(steps)), "the run and its spec.json")


def by_numpy(p):
    """Compares with the independent stepper; returns why if that has no answer. Random starts come from the program."""
    if p.dt:
        return "dt follows the limit or the error"
    sim = simulation(p, dtype="float64")
    start = fields(sim)
    text = p.text.replace("\n\n", "\n")
    runs = []
    rng = np.random.default_rng(p.seed)
    # Perturbed starts and more digits show how far rounding may change this problem. Rounding of sums and differences
    # does not shrink with a tiny value, so some starts are perturbed by an absolute number.
    for relative, absolute, dtype in ((0, 0, np.float64), (1e-13, 0, np.float64), (1e-13, 1e-16, np.float64), (1e-13, 1e-18, np.float64), (0, 0, np.longdouble)):
        try:
            run = Run("\n".join(line for line in text.splitlines() if "(0) =" not in line), p.nx, p.ny, dtype=dtype)
            run.global_every = p.global_every
            sign = {c: rng.choice([-1, 1], a.shape) for c, a in start.items()}
            run.state = {c: (a + sign[c] * (relative * a + absolute * (a != 0))).astype(dtype) for c, a in start.items()}
            for step, name, value in sorted(p.events, key=lambda e: e[0]):
                run.advance(step - run.step)
                change(run, name, value)
            runs.append(run.advance(p.steps - run.step) or run.state)
        except Unsupported as why:
            return str(why)
    compared = 0
    for c, a in fields(sim.advance(p.steps)).items():
        b, scale = runs[0][c], max(1.0, np.nanmax(np.abs(runs[0][c]), initial=0))
        own = np.max([np.abs(r[c] - b) for r in runs[1:]], axis=0)
        # Where rounding decides in a cell, it does so in the cells beside it.
        own = np.max([np.roll(own, shift, (0, 1)) for shift in itertools.product(range(-2, 3), repeat=2)], axis=0)
        known = np.isfinite(b) & (own < 1e-9 * scale)
        wrong = known & ~(np.abs(a - b) < 1e-9 * scale + 1e4 * own)
        compared += known.sum()
        if wrong.any():
            cell = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise Failure(f"NumPy: {c} differs in {wrong.sum()} cells, first at {cell}: {a[cell]!r}, NumPy {b[cell]!r}")
    return "" if compared else "nothing of it is known"


def solved(p):
    """Requires equal bits by any number of threads of what a text without evolution solves for, and that it leaves no residual."""
    sim = simulation(p, dtype="float64")
    for threads in (2, 5):
        require_same_bits(fields(sim), fields(simulation(p, dtype="float64", threads=threads)), f"solved by 1 thread and {threads}")
    u = sim.field("u", numpy=True)
    run = Run("\n".join([p.residual, *p.lines[1:], "dt = 1"]), p.nx, p.ny)
    run.state = {"u": u}
    left = (run.advance(1) or run.state)["u"] - u
    if not np.abs(left).max() < 1e-9 * max(1, np.abs(u).max()):
        raise Failure(f"solved: the residual is {np.abs(left).max()}")
    read_back(p, sim)
    return ""


def read_back(p, sim):
    """Requires that the next run starts with the bits of a field that was written."""
    c = sim.components[0]
    written = sim.field(c, numpy=True)
    if not np.isfinite(written).all():
        return
    file = random.Random(f"{p.seed} file").choice(["field.vti", "field.csv", "field.h5", "field.nc"])
    with tempfile.TemporaryDirectory() as folder:
        try:
            sim.export(folder, file)
        except ValueError as why:
            if "library was not found" in str(why):
                return
            raise
        start = ss.Simulation(equation=f"d{c}/dt = 0", initial=f"{folder}/{file}", dtype=str(written.dtype))
        require_same_bits({c: written}, fields(start), f"{file} as the next start")


def change(run, name, value):
    if name in run.model.parameters or name in ("dx", "integrator", "stepper"):
        run.past = None  # rates before are those of other parameters
        run.keeps_globals = False
    if name in run.model.parameters:
        run.model.parameters[name] = float(value)
    elif name.startswith("field") and value != "noise":
        run.past, run.keeps_globals = None, False
        run.state = {**run.state, name[6:] or run.model.order[0]: run.whole(run.value(formula(value), 0))}
    elif name in ("dt", "dx"):
        setattr(run, name, float(value))
    elif name in ("integrator", "stepper"):
        run.stepper = value
    elif name not in ("threads", "method"):
        raise Unsupported(f"{name} in mid-run")


def check(p, files=True):
    """Runs all checks; returns what was not compared and why. `files` is optional, because pictures take long. A picture that
    the problem reads is written into the present folder."""
    p.write_picture()
    if p.is_steady:
        return solved(p)
    try:
        sim, expected = executors(p)
    except ValueError as refusal:
        for how in ({"threads": 3}, {"method": "reference"}):
            try:
                simulation(p, **how).advance(p.steps)
            except ValueError:
                continue
            raise Failure(f"refused by one executor alone: {refusal}") from None
        if "\n" in str(refusal).strip() and "^" not in str(refusal):
            raise Failure(f"several lines: {refusal}") from None
        return f"refused: {str(refusal).splitlines()[-1]}"
    read_back(p, sim)
    beside(p)
    if os.environ.get("CUDA_VISIBLE_DEVICES"):
        fast(p)
    if files or p.dt:
        outputs(sim, expected, "all" if files else "spec.json")
    return by_numpy(p)
