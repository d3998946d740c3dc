"""Lets the n-th write, fsync, rename, allocation and so on of a run fail, and calls of MPI, NVRTC and CUDA: one line, status 1, whole files."""

import errno
import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(shutil.which("cc") is None or not sys.platform.startswith("linux"), reason="needs cc and LD_PRELOAD")

WORDS = ["run", "--model", "gray-scott", "--size", "24x16", "--steps", "8", "--threads", "1", "--backend", "cpu", "--quiet"]
EXPORTS = "field.npy,field.png,field.h5,web.html,statistics.csv,spec.json,frames.npy,frames.vti"
FILES = ["--checkpoint", "3", "--every", "4", "--export", EXPORTS]

# Calls of the C library, and whether a run fails where one of them does.
CALLS = {
    "write": True, "pwrite": True, "fsync": True, "rename": True, "link": True, "mkdir": True, "close": True, "open": True, "malloc": True,
    "any_malloc": True, "unlink": False, "fopen": False, "read": False, "memfd": False, "fork": False, "thread": False,
}  # fmt: skip


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    library = tmp_path_factory.mktemp("shim") / "fail_call.so"
    source = pathlib.Path(__file__).with_name("fail_call.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


def faults(shim, folder, call, rank=None):
    given = {"LD_PRELOAD": str(shim), "FAIL_CALL": call, "FAIL_COUNT": str(folder.with_suffix(".count"))}
    return given | ({} if rank is None else {"FAIL_RANK": str(rank)})


def run(shim, folder, call, *words, **environment):
    environment = {**os.environ, **faults(shim, folder, call), "XDG_CACHE_HOME": str(folder.with_suffix(".cache")), **environment}
    program = [os.environ["STENCILSCOPE"], *words]
    return subprocess.run(program, env=environment, capture_output=True, text=True, errors="replace", timeout=120)


def require_whole(folder, expected):
    for path in folder.rglob("*"):
        if path.is_dir():
            continue
        whole = expected / path.relative_to(folder)
        if "checkpoint" not in str(path):
            assert whole.exists(), f"{path} is left over"
            assert path.read_bytes() == whole.read_bytes() or path.suffix == ".json", path
        elif path.suffix == ".npy":
            np.load(path)
        if path.suffix == ".json":
            json.loads(path.read_text())


def require_told(done, what, start="stencilscope: "):
    may_say = "malloc" in str(what) or "Fontconfig" in done.stderr  # libraries that lack memory, or read nothing
    lines = [line for line in done.stderr.strip().splitlines() if line.startswith(start) or not may_say]
    status = 2 if f"{start}--out " in done.stderr else 1  # a folder that cannot be written is another's choice
    assert done.returncode == status and len(lines) == 1 and lines[0].startswith(start), f"{what}: {done.returncode}: {done.stderr}"


@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_fails_is_told_in_a_line_and_leaves_whole_files(shim, tmp_path, call):
    expected = tmp_path / "expected"
    words, ways = [*WORDS, *FILES], ("", "+")
    if call in ("malloc", "any_malloc"):  # H5Fcreate of libhdf5 1.10 uses a block that it did not get
        words = [word.replace("field.h5,", "") for word in words]
    if call == "any_malloc":  # without memory libfontconfig, which the page's formulas are set by, tries for ever or crashes
        words = [word.replace("web.html,", "") for word in words]
    if call in ("memfd", "fork", "thread"):  # they start the compiler, in a run that is long enough for it
        words, ways = [*WORDS, "--size", "64x64", "--steps", "120000", "--export", "field.npy"], ("",)
    assert run(shim, expected, f"{call} 0", *words, "--out", str(expected)).returncode == 0
    calls = int(expected.with_suffix(".count").read_text())
    assert calls > 0
    count = int(os.environ.get("STENCILSCOPE_FAULTS", 5))  # of the call's, spread over the run
    ns = sorted({1 + i * (calls - 1) // (count - 1) for i in range(count)})
    failed = resumed = 0
    for i, what in enumerate(f"{call} {n}{onwards}" for n in ns for onwards in ways):
        folder = tmp_path / "run"
        shutil.rmtree(folder, ignore_errors=True)
        error = {} if i % 4 < 2 or call == "any_malloc" else {"FAIL_ERROR": str(errno.EIO if i % 8 < 4 else errno.ENOSPC)}
        done = run(shim, folder, what, *words, "--out", str(folder), **error)
        if done.returncode != 0:
            failed += 1
            require_told(done, what)
        else:  # the program can do without
            names = [{path.name for path in each.rglob("*")} - {"checkpoint.last"} for each in (expected, folder)]
            assert names[0] == names[1], what
        if folder.exists():
            require_whole(folder, expected)
        if done.returncode != 0 and (folder / "checkpoint" / "run.json").exists() and resumed < 2:
            resumed += 1
            again = run(shim, folder, "none 0", "run", "--resume", str(folder), "--quiet")
            assert again.returncode == 0, f"{what}, then --resume: {again.stderr}"
            require_whole(folder, expected)
    assert failed > len(ns) / 2 or not CALLS[call]


def test_a_failure_of_nvrtc_is_told_in_a_line(shim, tmp_path):
    words = ["models", "gray-scott", "--code", "--backend", "cuda"]
    whole = run(shim, tmp_path / "run", "nvrtc 0", *words)
    calls = int((tmp_path / "run.count").read_text())
    if calls == 0:
        pytest.skip("no NVRTC")
    assert whole.returncode == 0
    for what in ["nvrtcCreateProgram 1", "nvrtcCompileProgram 1", *(f"nvrtc {n}" for n in range(1, min(calls, 12)))]:
        done = run(shim, tmp_path / "run", what, *words)
        if "nvrtcDestroy" not in what and done.returncode != 0:
            require_told(done, what, "stencilscope: NVRTC: ")
        assert done.returncode == 1 or done.stdout == whole.stdout, what  # what an ended compilation leaves can be done without


@pytest.mark.parametrize("call", ["cuMemAlloc", "cuMemcpy", "cuLaunchKernel", "cuModuleLoad", "cuLibraryLoad", "cuStreamCreate", "cuEventRecord"])
def test_a_failure_of_cuda_is_told_in_a_line_and_leaves_whole_files(shim, tmp_path, call):
    visible = os.environ.get("STENCILSCOPE_TEST_GPU", "0")  # conftest.py hides the GPU from all but test_cuda.py
    words = [*WORDS, *FILES, "--backend", "cuda"]
    expected = tmp_path / "expected"
    done = run(shim, expected, f"{call} 0", *words, "--out", str(expected), CUDA_VISIBLE_DEVICES=visible)
    if done.returncode != 0:
        assert os.environ.get("STENCILSCOPE_REQUIRE_GPU") != "1", done.stderr
        pytest.skip(f"no GPU: {done.stderr.strip()}")
    calls = int(expected.with_suffix(".count").read_text())
    for n in sorted({1 + i * (calls - 1) // 5 for i in range(6)} if calls else ()):
        folder = tmp_path / "run"
        shutil.rmtree(folder, ignore_errors=True)
        done = run(shim, folder, f"{call} {n}", *words, "--out", str(folder), CUDA_VISIBLE_DEVICES=visible)
        if done.returncode == 0:  # something that can be done without
            assert np.array_equal(np.load(folder / "field-u.npy"), np.load(expected / "field-u.npy")), n
        else:
            require_told(done, f"{call} {n}")
        if folder.exists():
            require_whole(folder, expected)


@pytest.mark.parametrize("rank", [0, 1])
def test_a_failure_of_mpi_ends_all_processes_and_leaves_whole_files(shim, tmp_path, rank):
    if shutil.which("mpirun") is None or "Open MPI" not in subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout:
        pytest.skip("no Open MPI")
    words = ["run", "--model", "gray-scott", "--size", "40x140", "--steps", "12", "--backend", "cpu", "--quiet", *FILES]
    words[words.index("--every") : words.index("--every") + 2] = []
    words[-1] = "field.npy,statistics.csv,spec.json"

    def spread(what, folder):
        shutil.rmtree(folder, ignore_errors=True)
        given = faults(shim, folder, what, rank)
        launch = ["mpirun", "-n", "2", "--bind-to", "none", "--oversubscribe", *(word for name in given for word in ("-x", f"{name}={given[name]}"))]
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return subprocess.run([*launch, os.environ["STENCILSCOPE"], *words, "--out", str(folder)], env={**os.environ, **root},
                              capture_output=True, text=True, timeout=120)  # fmt: skip

    expected = tmp_path / "expected"
    done = spread("MPI_Bcast 0", expected)
    assert done.returncode == 0, done.stderr
    if int(expected.with_suffix(".count").read_text()) == 0:
        pytest.skip("this build has no MPI")
    for what in ["MPI_Bcast 3", "MPI_Ibcast 9", "MPI_Isend 2", "MPI_Waitall 2", "MPI_Waitall 3!"]:
        folder = tmp_path / "run"
        done = spread(what, folder)
        assert done.returncode != 0, what
        own = [line for line in done.stderr.splitlines() if line.startswith("stencilscope: ")]
        if not what.endswith("!"):  # mpirun tells the rest, and all where a process was killed
            assert done.returncode == 1 and len(own) == 1 and "MPI" in own[0], f"{what}: {done.stderr}"
        if folder.exists():
            require_whole(folder, expected)
