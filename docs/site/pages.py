"""Which pages the site has, and how they are called there.

docs/README.md is the one list: each of its sections is a part of the navigation, each row of its tables a page. All other
Markdown files of the repository are pages too, in the part that lists the folders of the source.
"""

import posixpath
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
LIST = "docs/README.md"
FRONT = "docs/index.md"
FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^()\s]+)((?:\s+\"[^\"]*\")?)\)")
ATTRIBUTE = re.compile(r'(\b(?:src|srcset|href)=")([^"]+)(")')
CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")


class Part(NamedTuple):
    caption: str
    pages: list[str]  # paths in the repository


def read(path: str) -> str:
    return (ROOT / path).read_text()


def all_pages() -> list[str]:
    """Every Markdown file but README.md, whose place the front page has."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return sorted(path for path in set(listed.stdout.split()) if path != "README.md" and (ROOT / path).exists())


def parts() -> list[Part]:
    """The parts of the navigation, with the page of each row's links."""
    found: list[Part] = []
    for line in read(LIST).splitlines():
        heading = HEADING.match(line)
        if heading and len(heading[1]) == 2:
            found.append(Part(heading[2], []))
        elif line.startswith("|") and found:
            for _, target, _ in LINK.findall(line):
                path = posixpath.normpath(posixpath.join("docs", target.split("#")[0]))
                if path.endswith(".md") and all(path not in part.pages for part in found):
                    found[-1].pages.append(path)
    return found


def site_name(path: str) -> str:
    """The name of a page in the site, without its ending: docs/window/README.md is window/index."""
    if path in (FRONT, "README.md"):
        return "index"
    if path == LIST:
        return "contents"
    name = path.removeprefix("docs/").removesuffix(".md")
    folder, last = posixpath.split(name)
    return posixpath.join(folder, "index" if last == "README" else last.lower())


def lines_with_code(text: str):
    """Yields (line, whether it is in a fence or an indented block of code)."""
    fence = None
    indented, blank = False, True
    in_list = False
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if fence:
            yield line, True
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = None
            continue
        if mark:
            fence = mark[1]
            indented = False
            yield line, True
            continue
        if re.match(r"\s*([-*+]|\d+\.)\s", line):
            in_list = True
        elif line.strip() and not line.startswith(" "):
            in_list = False
        indented = line.startswith("    ") and not in_list and (indented or blank) if line.strip() else indented
        blank = not line.strip()
        yield line, indented and bool(line.strip())


def slug(heading: str) -> str:
    """The anchor that code hosts and MyST give a heading."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", lambda m: m[1] or "", heading)
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def anchors(text: str) -> set[str]:
    found: set[str] = set()
    for line, code in lines_with_code(text):
        heading = None if code else HEADING.match(line)
        if heading:
            name, count = slug(heading[2]), 0
            while name + (f"-{count}" if count else "") in found:
                count += 1
            found.add(name + (f"-{count}" if count else ""))
    return found


def title(text: str) -> str:
    for line, code in lines_with_code(text):
        heading = None if code else HEADING.match(line)
        if heading:
            return re.sub(r"`", "", heading[2])
    return ""


def outside_code(line: str, change) -> str:
    """Changes a line of text, but not what stands in `backticks` in it."""
    kept: list[str] = []

    def keep(match):
        kept.append(match[0])
        return f"\0{len(kept) - 1}\0"

    changed = change(CODE.sub(keep, line))
    return re.sub(r"\0(\d+)\0", lambda m: kept[int(m[1])], changed)


def links(text: str):
    """Yields (line number, target) of each link and picture of a page."""
    for number, (line, code) in enumerate(lines_with_code(text), 1):
        if not code:
            found: list[str] = []
            outside_code(line, lambda plain: LINK.sub(lambda m: found.append(m[2]) or m[0], plain))
            yield from ((number, target) for target in found)


def broken_links():
    """Yields a sentence for each relative link that leads to no file, or to no heading of it."""
    cached: dict[str, set[str]] = {}
    for page in [*all_pages(), "README.md"]:
        for number, target in links(read(page)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
            if not (ROOT / file).exists():
                yield f"{page}:{number}: the link to {target} leads nowhere"
            elif anchor and file.endswith(".md"):
                if file not in cached:
                    cached[file] = anchors(read(file))
                if anchor not in cached[file]:
                    yield f"{page}:{number}: {file} has no heading #{anchor}"
