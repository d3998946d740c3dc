"""Steps random problems by every execution path, for hours or for one seed, and finally lists failures. Run by scripts/soak.

Each problem is checked in a child process. A failing one is reduced while it fails in the same way, and stored in the
folder --keep with the command that repeats it.
"""

import argparse
import copy
import csv
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

os.environ["CUDA_VISIBLE_DEVICES"] = os.environ.get("CUDA_VISIBLE_DEVICES", "")
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import checks  # noqa: E402
from problems import SIZES, Problem, at_words  # noqa: E402

PROGRAM = os.environ.get("STENCILSCOPE", "stencilscope")
TILES = os.environ.get("SOAK_TILES")  # tests/soak/tiles.cpp
LIMIT_SECONDS = 300


def run(*words, timeout=LIMIT_SECONDS):
    """Returns exit status and output; raises Failure for crashes, hangs and error messages of several lines."""
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=timeout)
    if done.returncode not in (0, 1, 2):
        raise checks.Failure(f"exit status {done.returncode}: {done.stderr[-300:]}")
    return done.returncode, done.stderr


def own_values(p):
    """Returns what a sweep may vary: each name with the problem's own value."""
    own = [(name, re.search(rf"^{name} = (\S*)", p.text, re.M)[1]) for name in p.parameters]
    return [("seed", str(p.seed)), *own]


def swept_by_program(p, name, values, folder, *words):
    """Makes a sweep over one or two settings; returns the rows of its table."""
    vary = [word for one, of in zip(name, values) for word in ("--vary", f"{one}={','.join(of)}")]
    status, said = run("sweep", *p.words(), *words, *vary, "--export", "csv", "--quiet", "--out", folder)
    if status != 0:
        raise checks.Failure(f"sweep: exit status {status}: {said[:300]}")
    with open(f"{folder}/sweep.csv", newline="") as table:
        return list(csv.DictReader(table))


def tiles(p, folder, backend):
    """Requires that tiles which are watched, stepped in pieces, sent back and forth and coloured anew have the files of the
    sweep, and that an opened tile has its run's field."""
    r = random.Random(f"{p.seed} tiles {backend}")
    chosen = r.sample(own_values(p), min(r.choice([1, 2]), len(own_values(p))))
    values = [[value, *(str(p.seed + i) if name == "seed" else f"{r.uniform(0.1, 1.5):.3g}" for i in range(1, r.choice([2, 3, 5])))] for name, value in chosen]
    rows = swept_by_program(p, [name for name, _ in chosen], values, f"{folder}/tiled {backend}", "--backend", backend)
    watched = f"{folder}/watched {backend}"
    words = [TILES, f"{folder}/tiled {backend}/spec.json", watched, str(p.seed)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    if done.returncode != 0:
        raise checks.Failure(f"tiles: exit status {done.returncode}: {done.stderr[-300:]}")
    files = [pathlib.Path(one, "sweep.csv").read_text() for one in (f"{folder}/tiled {backend}", watched)]
    if files[0] != files[1]:
        different = next((a, b) for a, b in zip(files[0].splitlines(), files[1].splitlines()) if a != b)
        raise checks.Failure(f"tiles: a row of the sweep is {different[0]}, and of its tiles {different[1]}")
    if done.stdout:
        number, found = done.stdout.split()
        if rows[int(number)]["field_hash"] != found:
            raise checks.Failure(f"tiles: run {number} of {values} has field_hash {found} when its tile is opened, not {rows[int(number)]['field_hash']}")


def batches(p, folder):
    """Requires that runs which a GPU steps together have the bits of each run alone."""
    r = random.Random(f"{p.seed} batches")
    name, value = r.choice(own_values(p))
    others = [str(p.seed + i) if name == "seed" else f"{r.uniform(0.1, 1.5):.3g}" for i in range(1, r.choice([3, 6, 20]))]
    rows = swept_by_program(p, [name], [[value, *others]], f"{folder}/batch", "--backend", "cuda")
    for i in {0, r.randrange(len(rows)), len(rows) - 1}:
        words = ["--seed", rows[i][name]] if name == "seed" else ["--set", f"{name}={rows[i][name]}"]
        status, said = run("run", *p.words(), "--backend", "cuda", *words, "--quiet", "--export", "timings.json", "--out", f"{folder}/alone {i}")
        if (rows[i]["status"] == "done") != (status == 0):
            raise checks.Failure(f"batches: {name}={rows[i][name]} is {rows[i]['status']}, alone exit status {status}: {said[:300]}")
        if status == 0 and (alone := json.load(open(f"{folder}/alone {i}/timings.json"))["field_hash"]) != rows[i]["field_hash"]:
            raise checks.Failure(f"batches: {name}={rows[i][name]} has field_hash {rows[i]['field_hash']}, alone {alone}")


def by_program(p, folder):
    """Checks all files of `run`, sweeps and their tiles, several processes, resuming after a kill, and every executor of this machine."""
    hashes = {}

    def step(name, *words):
        status, said = run("run", *words, "--quiet", "--out", f"{folder}/{name}")
        if status != 0:
            raise checks.Failure(f"{name}: exit status {status}: {said[:300]}")
        hashes[name] = json.load(open(f"{folder}/{name}/timings.json"))["field_hash"]
        if hashes[name] != hashes["run"]:
            raise checks.Failure(f"{name}: field_hash {hashes[name]}, not {hashes['run']}")

    rates = "/dt =" in p.text and not any(name in ("model", "equation") for _, name, _ in p.events)
    step("run", *p.words(), "--method", "cpu", "--export", "all,dispersion.csv,dispersion.svg" if rates else "all")
    step("spec", "--spec", f"{folder}/run/spec.json", "--export", "timings.json")
    plain = [*p.words(), "--method", "cpu", "--threads", "1", "--export", "timings.json"]
    transforms = any(word in p.text + str(p.events) for word in ("imex", "implicit", "crank", "psi", "conv("))
    if shutil.which("mpirun"):
        for processes in ("2", "3"):
            if min(p.ny, *[int(v.split("x")[1]) for _, n, v in p.events if n == "size"], 99) >= 8 * int(processes):
                step(f"processes {processes}", *plain, "--processes", processes)
    if os.environ["CUDA_VISIBLE_DEVICES"] and not transforms and "diffusion" not in str(p.events):
        step("cuda", *p.words(), "--backend", "cuda", "--export", "timings.json")
    if not any(name in ("size", "dtype", "model", "equation") for _, name, _ in p.events):
        # Also along a parameter, whose first value is its own.
        name, value = random.Random(f"{p.seed} vary").choice(own_values(p))
        other = str(p.seed + 1) if name == "seed" else "0.45"
        found = swept_by_program(p, [name], [[value, other]], f"{folder}/sweep", "--backend", "cpu")[0]["field_hash"]
        if found != hashes["run"]:
            raise checks.Failure(f"sweep: field_hash {found}, not {hashes['run']}")
        if os.environ["CUDA_VISIBLE_DEVICES"]:
            batches(p, folder)
        # Tiles have neither events nor an end.
        if TILES and not p.events and not p.until:
            tiles(p, folder, "cpu")
            if os.environ["CUDA_VISIBLE_DEVICES"]:
                tiles(p, folder, "cuda")
    words = [PROGRAM, "run", *plain, "--checkpoint", "1", "--quiet", "--out", f"{folder}/killed"]
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    time.sleep(random.Random(p.seed).uniform(0.02, 0.3))
    process.kill()
    process.wait()
    if os.path.exists(f"{folder}/killed/checkpoint/run.json"):
        step("killed", "--resume", f"{folder}/killed")
    half = p.steps // 2
    later = [event for event in p.events if event[0] >= half]
    if later and half and not p.until:
        cut = f"{folder}/cut"
        status, said = run("run", *p.words([event for event in p.events if event[0] < half], half), "--method", "cpu", "--checkpoint", str(half), "--quiet", "--out", cut)
        if status != 0:
            raise checks.Failure(f"cut: exit status {status}: {said[:300]}")
        step("cut", "--resume", cut, "--steps", str(p.steps), *at_words(later))
    if not p.events:
        pathlib.Path(folder, "model.txt").write_text(p.text)
        # A formula with jumps or roots makes much of the rounding of transforms, in which a GPU differs.
        gpu = os.environ["CUDA_VISIBLE_DEVICES"]
        os.environ["CUDA_VISIBLE_DEVICES"] = "" if transforms else gpu
        status, said = run("verify", "--model", f"{folder}/model.txt", "--quiet")
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu
        if status != 0:
            raise checks.Failure(f"verify: exit status {status}: {said[:600]}")


def outcome(p, program):
    """Runs the checks in a child process; returns ("ok" | "refused" | "FAILED", text)."""
    with tempfile.TemporaryDirectory() as folder:
        child = os.fork()
        if child == 0:
            os.chdir(folder)
            try:
                os.dup2(os.open("said", os.O_WRONLY | os.O_CREAT), 2)
                said = checks.check(p)
                if program and not said.startswith("refused") and not p.is_steady:
                    by_program(p, folder)
                text = ("refused", said) if said.startswith("refused") else ("ok", said)
            except BaseException as error:  # noqa: BLE001
                known = isinstance(error, checks.Failure)
                text = ("FAILED", str(error) if known else traceback.format_exc(limit=-3))
            pathlib.Path(folder, "outcome").write_text(json.dumps(text))
            os._exit(0)
        limit = time.monotonic() + LIMIT_SECONDS
        while (done := os.waitpid(child, os.WNOHANG)) == (0, 0) and time.monotonic() < limit:
            time.sleep(0.01)
        if done == (0, 0):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "FAILED", f"not done after {LIMIT_SECONDS} s"
        if done[1] != 0:
            return "FAILED", f"ended by signal {os.WTERMSIG(done[1])}"
        return json.loads(pathlib.Path(folder, "outcome").read_text())


def smaller(p):
    """Yields reduced versions of the problem."""
    def but(**changes):
        other = copy.copy(p)
        other.__dict__.update(changes)
        return other

    for i in range(len(p.events)):
        yield but(events=p.events[:i] + p.events[i + 1 :])
    for steps in {p.steps // 2, p.steps - 1, 1} - {0, p.steps}:
        yield but(steps=steps, events=[(min(s, steps), n, v) for s, n, v in p.events])
    for i in range(len(p.lines)):
        yield but(lines=p.lines[:i] + p.lines[i + 1 :])
    for nx, ny in SIZES:
        if nx * ny < p.nx * p.ny:
            yield but(nx=nx, ny=ny)


def reduced(p, text, program, seconds=60):
    kind, end = text.split(":")[0], time.monotonic() + seconds
    again = True
    while again and time.monotonic() < end:
        again = False
        for other in smaller(p):
            if time.monotonic() > end:
                break
            state, said = outcome(other, program)
            if state == "FAILED" and said.split(":")[0] == kind:
                p, text, again = other, said, True
                break
    return p, text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--seed", type=int, help="this problem alone")
    parser.add_argument("--first", type=int, default=int(time.time()) % 10**8, help="the seed of the first problem")
    parser.add_argument("--count", type=int, help="so many problems instead of hours")
    parser.add_argument("--module", action="store_true", help="the Python module alone, without starting the program")
    parser.add_argument("--keep", default="build/soak")
    given = parser.parse_args()
    end = time.monotonic() + 3600 * given.hours
    seed = given.first if given.seed is None else given.seed
    count = 1 if given.seed is not None else given.count
    tally = {"ok": 0, "refused": 0, "FAILED": 0}
    compared, done = 0, 0
    while done < count if count else time.monotonic() < end:
        p = Problem(seed, large=seed % 10 == 0)
        state, said = outcome(p, not given.module)
        tally[state] += 1
        compared += state == "ok" and said == ""
        if state == "FAILED":
            p, said = reduced(p, said, not given.module)
            folder = pathlib.Path(given.keep, str(seed))
            folder.mkdir(parents=True, exist_ok=True)
            command = "stencilscope run " + shlex.join(p.words())
            again = f"scripts/soak --seed {seed}"
            (folder / "problem.txt").write_text(f"{said}\n\n{again}\n{command}\n\n{p.text}")
            print(f"seed {seed} FAILED: {said}\n  {again}   (made smaller: {folder}/problem.txt)", flush=True)
        elif given.seed is not None:
            print(p.text, p.nx, p.ny, p.steps, p.dtype, p.events, state, said)
        seed, done = seed + 1, done + 1
        if done % 100 == 0:
            print(f"{done} problems, last seed {seed - 1}: {tally}, {compared} agree with NumPy", flush=True)
    print(f"{done} problems: {tally['ok']} right, {compared} of them by NumPy too, {tally['refused']} refused, {tally['FAILED']} failed")
    return tally["FAILED"] > 0


if __name__ == "__main__":
    sys.exit(main())
