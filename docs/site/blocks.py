"""The blocks of code of the pages: reads them with their directives, and runs them.

docs/site/README.md lists what the comments of a page, its directives, can say.
"""

import hashlib
import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from pages import FENCE, ROOT

DIRECTIVE = re.compile(r"^<!-- docs: (\w+)(?: (.*?))? -->$")
BEFORE = {"skip", "needs", "with", "before", "fails", "file", "output"}
PLACED = {"picture", "film", "text", "run", "include", "films", "site", "source"}
SHELL = {"sh", "bash"}
NO_GPU = "note: no NVIDIA driver found"
SECONDS = 120


class Block(NamedTuple):
    line: int  # of its fence, from 1
    last: int  # of the line that closes it
    language: str
    text: str
    rules: dict[str, str]

    def is_command(self) -> bool:
        return self.language in SHELL and any(line.startswith("stencilscope") for line in self.text.splitlines())

    def is_run(self) -> bool:
        return "file" in self.rules or self.language == "python" or self.is_command()


class Placed(NamedTuple):
    line: int
    name: str
    words: str


class Failure(Exception):
    pass


def parse(page: str, text: str) -> list[Block | Placed]:
    """The blocks and directives of a page in their order. Raises Failure for a directive that is unknown or stands alone."""
    found: list[Block | Placed] = []
    rules: dict[str, str] = {}
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line, number = lines[at], at + 1
        directive, fence = DIRECTIVE.match(line), FENCE.match(line)
        if line.startswith("<!-- docs:") and not directive:
            raise Failure(f"{page}:{number}: this directive is not closed on its line")
        if directive:
            name, words = directive[1], directive[2] or ""
            if name in BEFORE:
                rules[name] = words
            elif name in PLACED:
                found.append(Placed(number, name, words))
            else:
                raise Failure(f"{page}:{number}: no directive is called '{name}'")
        elif fence:
            end = at + 1
            while end < len(lines) and not re.match(r"^ {0,3}%s+\s*$" % re.escape(fence[1]), lines[end]):
                end += 1
            if end == len(lines):
                raise Failure(f"{page}:{number}: this block is not closed")
            block = Block(number, end + 1, fence[2].strip(), "\n".join(lines[at + 1 : end]), rules)
            if rules and not block.is_run():
                raise Failure(f"{page}:{number}: the block below a directive is none that is run")
            if rules.get("skip") == "":
                raise Failure(f"{page}:{number}: 'skip' needs a reason")
            if block.language == "python" and not rules.keys() & {"skip", "file"}:
                try:
                    compile(block.text, page, "exec")
                except SyntaxError as error:
                    raise Failure(f"{page}:{number + (error.lineno or 0)}: {error.msg}") from error
            if block.is_command() and "skip" not in rules:
                check = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True)
                if check.returncode:
                    raise Failure(f"{page}:{number}: bash does not take this: {check.stderr.strip()}")
            found.append(block)
            rules, at = {}, end
        elif line.strip() and rules:
            raise Failure(f"{page}:{number}: no block follows the directive '{next(iter(rules))}'")
        at += 1
    return found


# Runs the blocks of Python that come as lines of JSON, in one module, and says what each printed.
PYTHON = r"""
import contextlib, io, json, sys, traceback
names = {"__name__": "__main__"}
for line in sys.stdin:
    block = json.loads(line)
    out, error = io.StringIO(), ""
    with contextlib.redirect_stdout(out):
        try:
            exec(compile("\n" * block["line"] + block["text"], block["page"], "exec"), names)
        except BaseException:
            error = traceback.format_exc(limit=-1)
    print(json.dumps({"output": out.getvalue(), "error": error}), flush=True)
"""


# Stands before the program in the path. It adds the next line of `with`, of which the last serves all further commands;
# options that come last override.
WRAPPER = r"""#!/bin/bash
read -r words < {words}
if [ "$(wc -l < {words})" -gt 1 ]; then sed -i 1d {words}; fi
exec {program} "$@" $words
"""


class Machine(NamedTuple):
    program: Path
    module: Path | None  # the folder that holds the Python module
    display: str  # a screen on which the window can open; empty if there is none


def digest_of(program: Path) -> str:
    return hashlib.sha256(program.read_bytes()).hexdigest()


class Run:
    """Runs the blocks of one page, and keeps what they made in a folder."""

    def __init__(self, page: str, machine: Machine, kept: Path):
        self.page, self.machine, self.kept = page, machine, kept
        self.work = Path(tempfile.mkdtemp(prefix="stencilscope-docs-"))
        self.folder = self.work / "page"
        self.folder.mkdir()
        bin = self.work / "bin"
        bin.mkdir()
        script = bin / "stencilscope"
        script.write_text(WRAPPER.format(program=shlex.quote(str(machine.program)), words=self.work / "words"))
        script.chmod(0o755)
        self.environment = dict(
            os.environ,
            PATH=f"{bin}:{os.environ['PATH']}",
            HOME=str(self.work),
            XDG_CONFIG_HOME=str(self.work / "config"),
            DISPLAY=machine.display,
            OMPI_ALLOW_RUN_AS_ROOT="1",
            OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
            PYTHONPATH=str(machine.module or ""),
            STENCILSCOPE_ROOT=str(ROOT),
        )
        self.environment.setdefault("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
        self.python = None
        self.left_out = False  # a block, so that pictures may be missing

    def close(self):
        if self.python:
            self.python.stdin.close()
            self.python.wait()
        shutil.rmtree(self.work, ignore_errors=True)

    def shell(self, text: str, line: int, rules: dict[str, str]) -> str:
        sets = [words.strip() for words in rules.get("with", "").split("|")]
        (self.work / "words").write_text("".join(words + "\n" for words in sets))
        try:
            done = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", text],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired as error:
            raise Failure(f"{self.page}:{line}: took more than {SECONDS} s") from error
        if done.returncode != int(rules.get("fails", 0)):
            raise Failure(f"{self.page}:{line}: exit status {done.returncode}\n{text}\n{done.stdout[-2000:]}")
        return done.stdout

    def module(self, block: Block) -> str:
        if not self.machine.module:
            raise Failure(f"{self.page}:{block.line}: there is no Python module beside {self.machine.program}")
        if not self.python:
            self.python = subprocess.Popen(
                [sys.executable, "-c", PYTHON],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        texts = [(block.rules["before"], 0)] if "before" in block.rules else []
        output = ""
        for text, line in [*texts, (block.text, block.line)]:
            self.python.stdin.write(json.dumps({"text": text, "line": line, "page": self.page}) + "\n")
            self.python.stdin.flush()
            answer = self.python.stdout.readline()
            if not answer:
                raise Failure(f"{self.page}:{block.line}: Python ended")
            result = json.loads(answer)
            if result["error"]:
                raise Failure(f"{self.page}:{block.line}: {result['error']}")
            output = result["output"]
        return output

    def leave_out(self, line: int, reason: str) -> str:
        self.left_out = True
        print(f"note: {self.page}:{line}: not run, because {reason}")
        return ""

    def lacks_screen(self, text: str, line: int) -> bool:
        opens_window = re.search(r"^stencilscope( --|$)", text, re.M)
        if opens_window and not self.machine.display:
            self.leave_out(line, "there is no screen (Xvfb)")
        return bool(opens_window) and not self.machine.display

    def step(self, item: Block | Placed) -> str:
        """Runs one item and returns what it printed."""
        if isinstance(item, Placed):
            name, file = item.name, item.words.split(" ")[0]
            if name == "run":
                return "" if self.lacks_screen(item.words, item.line) else self.shell(item.words, item.line, {})
            if name in ("picture", "film", "text"):
                source = self.folder / file
                if not source.is_file() and self.left_out:
                    return ""
                if not source.is_file():
                    made = ", ".join(sorted(str(p.relative_to(self.folder)) for p in self.folder.rglob("*"))[:60])
                    raise Failure(f"{self.page}:{item.line}: no block made {file}, but {made}")
                (self.kept / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, self.kept / file)
            return ""
        if "skip" in item.rules or not item.is_run():
            return ""
        if "file" in item.rules:
            (self.folder / item.rules["file"]).write_text(item.text + "\n")
            return ""
        needed = item.rules.get("needs")
        if needed and not shutil.which(needed):
            return self.leave_out(item.line, f"there is no {needed}")
        if item.language == "python":
            return self.module(item)
        if self.lacks_screen(item.text, item.line):
            return ""
        return self.shell(item.text, item.line, item.rules)


def run_page(
    page: str, items: list[Block | Placed], machine: Machine, digest: str, cache: Path
) -> tuple[dict[int, str], Path]:
    """Returns what the items printed, by their line, and the folder with the files that the page shows.

    What was run before by the same program is taken from the cache.
    """
    described = json.dumps(
        [
            inspect.getsource(Run),
            page,
            [[i.language, i.text, i.rules] if isinstance(i, Block) else [i.name, i.words] for i in items],
        ]
    )
    key = hashlib.sha256((digest + described).encode()).hexdigest()[:24]
    kept = cache / key
    order = kept / "outputs.json"
    if order.exists():
        outputs = json.loads(order.read_text())
    else:
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir(parents=True)
        run = Run(page, machine, kept)
        try:
            outputs = [run.step(item) for item in items]
        finally:
            run.close()
        order.write_text(json.dumps(outputs))
    os.utime(kept)
    return {item.line: output for item, output in zip(items, outputs, strict=True)}, kept


def shown(output: str, words: str) -> str:
    """The part of an output that a page shows."""
    unwanted = re.compile(NO_GPU + r"| *\d+%  ")  # the second: how far a command is
    lines = [line.rstrip() for line in output.rstrip().splitlines() if not unwanted.match(line)]
    most = int(words) if words else len(lines)
    return "\n".join(lines[:most] + (["..."] if len(lines) > most else []))
