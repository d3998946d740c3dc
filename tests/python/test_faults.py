"""Lets the n-th write, fsync, rename or allocation of a run fail, for many n: one line, status 1, and whole files on disk."""

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
FILES = ["--checkpoint", "3", "--every", "4", "--export", "field.npy,field.png,statistics.csv,spec.json,frames.npy"]


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    library = tmp_path_factory.mktemp("shim") / "fail_call.so"
    source = pathlib.Path(__file__).with_name("fail_call.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


def run(shim, folder, call, *words):
    environment = {**os.environ, "LD_PRELOAD": str(shim), "FAIL_CALL": call, "FAIL_COUNT": str(folder.with_suffix(".count")),
                   "XDG_CACHE_HOME": str(folder.with_suffix(".cache"))}  # fmt: skip
    return subprocess.run([os.environ["STENCILSCOPE"], *words], env=environment, capture_output=True, text=True, timeout=120)


def require_whole(folder, expected):
    for path in folder.rglob("*"):
        if path.is_dir():
            continue
        whole = expected / path.relative_to(folder)
        assert whole.exists() or "checkpoint" in str(path), f"{path} is left over"
        if path.suffix == ".npy":
            cells = np.load(path)
            assert "checkpoint" in str(path) or np.array_equal(cells, np.load(whole)), path
        elif path.suffix == ".png":
            assert path.read_bytes().endswith(b"IEND\xaeB`\x82"), path
        elif path.suffix == ".json":
            json.loads(path.read_text())


@pytest.mark.parametrize("call", ["write", "fsync", "rename", "malloc"])
def test_a_call_that_fails_is_told_in_a_line_and_leaves_whole_files(shim, tmp_path, call):
    expected = tmp_path / "expected"
    assert run(shim, expected, f"{call} 0", *WORDS, *FILES, "--out", str(expected)).returncode == 0
    calls = int(expected.with_suffix(".count").read_text())
    assert calls >= 10
    count, ns = 10, []
    for n in sorted({1 + i * (calls - 1) // (count - 1) for i in range(count)}):
        for onwards in ("", "+"):
            ns.append(f"{call} {n}{onwards}")
    failed = 0
    for what in ns:
        folder = tmp_path / "run"
        shutil.rmtree(folder, ignore_errors=True)
        done = run(shim, folder, what, *WORDS, *FILES, "--out", str(folder))
        assert done.returncode in (0, 1), f"{what}: status {done.returncode}: {done.stderr}"
        if done.returncode == 0:  # the failed call was optional
            assert np.array_equal(np.load(folder / "field-u.npy"), np.load(expected / "field-u.npy")), what
        else:
            failed += 1
            lines = done.stderr.strip().splitlines()
            assert len(lines) == 1 and lines[0].startswith("stencilscope: "), f"{what}: {done.stderr}"
        if folder.exists():
            require_whole(folder, expected)
        if (folder / "checkpoint" / "run.json").exists():
            again = run(shim, folder, "none 0", "run", "--resume", str(folder), "--quiet")
            assert again.returncode == 0, f"{what}, then --resume: {again.stderr}"
            assert np.array_equal(np.load(folder / "field-u.npy"), np.load(expected / "field-u.npy")), what
    assert failed > len(ns) / 4
