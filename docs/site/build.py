"""Makes the site: gathers the pages, runs their blocks, writes the pages that the program knows, and starts Sphinx."""

import concurrent.futures
import importlib
import os
import posixpath
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import blocks
import gallery
import mermaid
import pages
import reference
from blocks import Block, Failure, Machine, Placed

ROOT = pages.ROOT
BUILD = ROOT / "build"
SOURCE, EXTRA, CACHE, SITE = BUILD / "docs-source", BUILD / "docs-extra", BUILD / "docs-cache", BUILD / "docs"
GENERATED = {"Tutorials": ["gallery/index"], "Reference": [f"reference/{name}" for name in reference.PAGES]}
KEPT_DAYS = 14


def relative(target: str, page: str) -> str:
    """The path from a page of the site to another of its files."""
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


class Assembly:
    """Turns the Markdown of the repository into that of the site."""

    def __init__(self, listed: list[str]):
        self.names = {path: pages.site_name(path) for path in listed}
        self.names["README.md"] = "index"
        self.models: dict[str, gallery.Subject] = {}

    def target(self, link: str, page: str, at: str) -> str | None:
        """Where a link of a page of the repository leads in the site; None if it has no such file there."""
        if re.match(r"[a-z]+:", link) or link.startswith("#"):
            return link
        path, hash, anchor = link.partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(page), path))
        if (ROOT / file).is_dir():
            file = posixpath.join(file, "README.md")
        if file == "README.md":  # the front page has its place, with other headings
            hash = anchor = ""
        if file in self.names:
            return relative(self.names[file] + ".md", at) + hash + anchor
        if not (ROOT / file).is_file():
            return None
        copy = SOURCE / "files" / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, copy)
        return relative(f"files/{file}", at)

    def linked(self, text: str, page: str, at: str) -> str:
        """Text of a page, with its links as they are in the site."""

        def change(match: re.Match) -> str:
            target, label = self.target(match[2], page, at), match[1][1:-1]
            if target is None:
                return label
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), match[2].partition("#")[0]))
            if label.endswith(".md") and path in self.names:  # on a page of a site a title says more than a file's name
                label = pages.title(pages.read(path))
            return (
                f"[{label}]({target}{match[3]})" if not match[1].startswith("!") else f"{match[1]}({target}{match[3]})"
            )

        lines = []
        for line, code in pages.lines_with_code(text):
            lines.append(line if code else pages.outside_code(line, lambda plain: pages.LINK.sub(change, plain)))
        return "\n".join(lines)

    def section(self, words: str, page: str, at: str, line: int) -> str:
        """The text below a heading of another page."""
        path, heading = words.split(" ", 1)
        text = pages.read(path)
        found = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^#{{1,6}} |\Z)", text, re.M | re.S)
        if not found:
            raise Failure(f"{page}:{line}: {path} has no heading '{heading}'")
        return self.linked(found[2].strip(), path, at)

    def placed(self, item: Placed, page: str, at: str, kept: Path, output: str) -> str:
        """What the site shows where a directive stands."""
        up = relative(".", at)
        if item.name == "films":
            unknown = [name for name in item.words.split() if name not in self.models]
            if unknown:
                raise Failure(f"{page}:{item.line}: no model or run is called {', '.join(unknown)}")
            return gallery.cards([self.models[name] for name in item.words.split()], f"{up}/")
        if item.name == "include":
            return self.section(item.words, page, at, item.line)
        if item.name == "site":
            return item.words
        file, _, rest = item.words.partition(" ")
        if item.name == "source":
            return f"```{rest}\n{pages.read(file).rstrip()}\n```"
        if item.name in ("picture", "film", "text") and not (kept / file).exists():
            return ""
        made = f"made/{at}/{file}"
        if item.name == "text":
            shown = blocks.shown((kept / file).read_text(), rest)
            return f"```{{code-block}} text\n:class: output\n:caption: {file}\n\n{shown}\n```"
        if item.name == "picture":
            (SOURCE / made).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(kept / file, SOURCE / made)
            return f"![{rest}]({relative(made, at)})"
        if item.name == "film":
            (EXTRA / made).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(kept / file, EXTRA / made)
            return f'<video class="film" src="{up}/{made}" controls muted loop playsinline preload="metadata" aria-label="{rest}"></video>'
        return ""

    def page(self, page: str, items: list[Block | Placed], outputs: dict[int, str], kept: Path) -> str:
        """The Markdown of a page for the site, with what its blocks made."""
        at = self.names[page]
        lines: list[str | None] = list(self.linked(pages.read(page), page, at).split("\n"))
        for number, line in enumerate(lines):
            if line and line.startswith("<!-- docs:"):
                lines[number] = None
        for item in items:
            if isinstance(item, Placed):
                text = self.placed(item, page, at, kept, outputs.get(item.line, ""))
                # Pictures whose directives follow one another stand beside each other.
                lines[item.line - 1] = text if item.name == "picture" else f"\n{text}\n"
            elif "output" in item.rules and outputs.get(item.line):
                shown = blocks.shown(outputs[item.line], item.rules["output"])
                lines[item.last - 1] = (
                    f"{lines[item.last - 1]}\n\n```{{code-block}} text\n:class: output\n\n{shown}\n```\n"
                )
        return mermaid.drawn("\n".join(line for line in lines if line is not None))


def write(name: str, text: str):
    path = SOURCE / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def toctree(names: list[str], caption: str) -> str:
    return f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(f"/{name}" for name in names) + "\n```\n"


def navigation(assembly: Assembly, listed: list[str]) -> str:
    """The trees of the front page: the parts of docs/README.md with the generated pages, and the folders of the source."""
    text, seen = "", {pages.FRONT}
    for part in pages.parts():
        names = [assembly.names[path] for path in part.pages if path not in seen]
        seen |= set(part.pages)
        text += toctree([*names, *GENERATED.get(part.caption, [])], part.caption) + "\n"
    rest = [path for path in listed if path not in seen and path != pages.LIST]
    folders = "# Folders of the source\n\nWhat each folder has, file by file.\n\n```{toctree}\n:maxdepth: 1\n\n"
    write("folders", folders + "\n".join(f"/{assembly.names[path]}" for path in rest) + "\n```\n")
    return text + toctree([assembly.names[pages.LIST], "folders"], "More")


def sphinx(version: str) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "sphinx",
            "-W",
            "--keep-going",
            "-q",
            "-j",
            "2",
            "-b",
            "html",
            "-c",
            ROOT / "docs" / "site",
        ]
        + ["-d", BUILD / "docs-doctrees", SOURCE, SITE],
        env=dict(os.environ, STENCILSCOPE_DOCS_VERSION=version, STENCILSCOPE_DOCS_EXTRA=str(EXTRA)),
    )
    if done.returncode:
        sys.exit("Sphinx found mistakes, see above")


def forget() -> None:
    """Removes what was made for earlier programs and pages, and not used for weeks."""
    for kept in CACHE.iterdir():
        if time.time() - kept.stat().st_mtime > KEPT_DAYS * 86400:
            shutil.rmtree(kept, ignore_errors=True)


def parsed(page: str) -> list[Block | Placed]:
    return blocks.parse(page, pages.read(page))


def mistakes() -> list[str]:
    """What can be found without the program: directives, syntax of the blocks, links and their anchors."""
    found = list(pages.broken_links())
    for page in [*pages.all_pages(), "README.md"]:
        try:
            parsed(page)
        except Failure as failure:
            found.append(str(failure))
    return found


def build(machine: Machine) -> None:
    start = time.monotonic()

    def say(what: str):
        print(f"{time.monotonic() - start:6.1f} s  {what}", flush=True)

    found = mistakes()
    if found:
        sys.exit("\n".join(found))
    shutil.rmtree(SOURCE, ignore_errors=True)
    shutil.rmtree(EXTRA, ignore_errors=True)
    for folder in (SOURCE / "reference" / "pictures", EXTRA, CACHE):
        folder.mkdir(parents=True, exist_ok=True)
    module = importlib.import_module("stencilscope") if machine.module else None
    if module is None:
        sys.exit(f"there is no Python module beside {machine.program}")
    program = reference.Program(machine.program, module, SOURCE / "reference" / "pictures")
    digest = blocks.digest_of(machine.program)
    listed = pages.all_pages()
    assembly = Assembly(listed)

    say("the gallery's films")
    assembly.models = gallery.make_all(program, digest, CACHE, EXTRA / "films")
    for one in assembly.models.values():
        write(f"gallery/{one.name}", gallery.page(one, EXTRA / "films"))
    write("gallery/index", gallery.index(assembly.models))

    say("the reference")
    for name, make in reference.PAGES.items():
        write(f"reference/{name}", make(program))
    shutil.rmtree(program.pictures / "_run", ignore_errors=True)

    say("the blocks of the pages")
    failures: list[str] = []

    def one_page(page: str):
        items = parsed(page)
        try:
            outputs, kept = blocks.run_page(page, items, machine, digest, CACHE)
            return page, assembly.page(page, items, outputs, kept)
        except Failure as failure:
            failures.append(str(failure))
            return page, ""

    readme = parsed("README.md")  # it is no page of the site, but its blocks are run
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        texts = dict(pool.map(one_page, listed))
        try:
            blocks.run_page("README.md", readme, machine, digest, CACHE)
        except Failure as failure:
            failures.append(str(failure))
    if failures:
        sys.exit("\n".join(failures))
    texts[pages.FRONT] += "\n" + navigation(assembly, listed)
    for page, text in texts.items():
        write(assembly.names[page], text)

    forget()
    say("Sphinx")
    sphinx(program("--version").strip().split()[-1])
    size = sum(file.stat().st_size for file in SITE.rglob("*") if file.is_file())
    say(f"{SITE.relative_to(ROOT)}/index.html, {len(list(SITE.rglob('*.html')))} pages, {size / 1e6:.1f} MB")
