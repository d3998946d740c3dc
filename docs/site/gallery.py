"""The gallery: a page, a picture and a film of every model and every ready run, all made by the program."""

import concurrent.futures
import hashlib
import html
import inspect
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

LONGEST = 256  # cells of a film's longer side
SECONDS, FRAMES = 3, 20
PIXELS = 384
LIVE = 128  # cells of the longer side of a page that runs: its start is part of the page
MOST_WORK = 1.2e9  # cells times steps of a film
STAGES, TILE = 6, "48x48"  # frames of a sweep's film, and cells of a tile
SOLVE = 25  # how many times as long a step takes that solves for a field
# Cells of films that show too little at 256, or need more steps than those would leave time for.
WIDTHS = {"island": 384, "gray-scott-map": 384, "fitzhugh-nagumo": 512, "turbulence": 96, "cahn-hilliard-flow": 128}
# Ranges of the colours of films of which a range for each frame says too little (--video-range, --range of sweeps).
RANGES = {"sandpile": "0:4", "zakharov-kuznetsov": "0:5", "phase-gray-scott": "0:0.5", "phase-fitzhugh-nagumo": "-1:1", "phase-swift-hohenberg": "-2.5:2.5"}


class Subject(NamedTuple):
    name: str
    kind: str  # model or run
    title: str
    about: str
    source: str
    text: str  # the equation; empty for runs of the default model
    sweeps: bool  # many runs, as tiles
    size: tuple[int, int]
    steps: int

    def option(self) -> str:
        return f"--model {self.name}" if self.kind == "model" else f"--spec {self.name}"


def quoted(text: str, name: str) -> str:
    found = re.search(rf'^{name} = "(.*)"$', text, re.M)
    return found[1] if found else ""


def subject(name: str, kind: str, text: str, spec: dict) -> Subject:
    size = re.search(r"\bsize = (\d+)x(\d+)", text)
    own = str(spec.get("size", "")).split("x") if spec.get("size") else size.groups() if size else ("512", "512")
    steps = re.search(r"\bsteps = (\d+)", text)
    title = spec.get("title") or quoted(text, "title") or name.replace("-", " ").capitalize()
    about = spec.get("about") or quoted(text, "about")
    return Subject(
        name, kind, title, about, quoted(text, "source"), text,
        "sweep" in spec, (int(own[0]), int(own[-1])), int(spec.get("steps", steps[1] if steps else 10000)),
    )  # fmt: skip


def subjects(program) -> list[Subject]:
    listed = [line.split()[0] for line in program("models").splitlines() if line and not line.startswith(" ")]
    found = [subject(name, "model", program("models", name), {}) for name in listed]
    runs = program("run", "--help").partition("Ready runs (--spec NAME):\n")[2].partition("\n\n")[0]
    for line in runs.splitlines():
        name = line.split()[0]
        text = program("models", name)
        spec_file = Path(__file__).resolve().parent.parent.parent / "assets" / "runs" / f"{name}.json"
        spec = json.loads(spec_file.read_text())
        found.append(subject(name, "run", text if "equation" in spec else "", spec))
    return found


def has_web_export(program) -> bool:
    return bool(re.search(r"^ +(web|run\.html|web\.html|page\.html)\b", program("run", "--help"), re.M))


def smaller(size: tuple[int, int], longest: int) -> tuple[int, int]:
    share = min(1.0, longest / max(size))
    nx, ny = (max(16, round(side * share)) for side in size)
    return nx, ny


def small(one: Subject) -> tuple[tuple[int, int], int]:
    """Size and steps of the film: fewer cells, and fewer steps where those would take long."""
    nx, ny = smaller(one.size, WIDTHS.get(one.name, LONGEST))
    solves = re.search(r"^[^#\n=]*\b(?:lap2?|dxx)\(\w+\)[^=\n]*=|integrator = (?:imex|implicit|crank)|\bconv\(", one.text, re.M)
    most = MOST_WORK / (SOLVE if solves else 1)
    return (nx, ny), min(one.steps, int(most / (nx * ny)))


def range_words(one: Subject) -> list[str]:
    return ["--video-range", RANGES[one.name]] if one.name in RANGES else []


def ffmpeg(*words: str):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *words], check=True)


def poster_frame(film: Path, target: Path):
    """Keeps the film's last frame as a picture; of a run that ends flat the frame with the most contrast."""
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", film, "-vf", "scale=32:32", "-f", "rawvideo", "-pix_fmt", "gray", "-"],
        capture_output=True, check=True,
    ).stdout  # fmt: skip
    frames = [raw[i : i + 1024] for i in range(0, len(raw), 1024)]

    def contrast(frame: bytes) -> float:
        mean = sum(frame) / len(frame)
        return sum((value - mean) ** 2 for value in frame)

    contrasts = [contrast(frame) for frame in frames]
    last = len(frames) - 1
    best = last if contrasts[last] > 0.01 * max(contrasts) else contrasts.index(max(contrasts))
    ffmpeg(
        "-i",
        str(film),
        "-vf",
        f"select=eq(n\\,{best}),scale='min({PIXELS},iw)':-2:flags=area",
        "-frames:v",
        "1",
        "-q:v",
        "4",
        str(target),
    )


def make_sweep(program, one: Subject, folder: Path):
    """Makes NAME.mp4 and NAME.jpg of a sweep: its picture after more and more steps."""
    with tempfile.TemporaryDirectory() as scratch:
        for i in range(1, STAGES + 1):
            out = Path(scratch) / str(i)
            words = ["sweep", *one.option().split(), "--size", TILE, "--steps", str(one.steps * i // STAGES), "--backend", "cpu", "--range", RANGES.get(one.name, "auto")]
            done = subprocess.run([program.path, *words, "--export", "png", "--quiet", "--out", out], capture_output=True, text=True, timeout=300)
            if done.returncode:
                raise RuntimeError(f"gallery: {one.option()}: {done.stderr}")
            shutil.copyfile(out / "sweep.png", Path(scratch) / f"{i}.png")
        raw = Path(scratch) / "raw.mp4"
        even = "scale=trunc(iw/2)*2:trunc(ih/2)*2"
        ffmpeg("-framerate", str(STAGES / SECONDS), "-i", str(Path(scratch) / "%d.png"), "-vf", even, "-r", str(FRAMES), "-c:v", "libx264", "-crf", "26", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(raw))
        poster_frame(raw, folder / f"{one.name}.jpg")
        shutil.copyfile(raw, folder / f"{one.name}.mp4")
        (folder / f"{one.name}.why").write_text("it is a sweep of many runs")


def make(program, one: Subject, folder: Path, web: bool):
    """Makes NAME.mp4, NAME.jpg and, if the program can, NAME.html in a folder."""
    if one.sweeps:
        return make_sweep(program, one, folder)
    (nx, ny), steps = small(one)
    with tempfile.TemporaryDirectory() as scratch:
        raw = Path(scratch) / "raw.mp4"
        words = ["run", *one.option().split(), "--steps", str(steps), "--threads", "1", "--backend", "cpu", "--quiet"]
        size = ["--size", f"{nx}x{ny}"] if (nx, ny) != one.size else []
        film = [
            "--video",
            str(raw),
            *range_words(one),
            "--video-seconds",
            str(SECONDS),
            "--fps",
            str(FRAMES),
            "--export",
            "spec.json",
            "--out",
            scratch,
        ]
        done = subprocess.run([program.path, *words, *size, *film], capture_output=True, text=True, timeout=300)
        if done.returncode or not raw.exists():
            raise RuntimeError(f"gallery: {one.option()}: {done.stderr}")
        poster_frame(raw, folder / f"{one.name}.jpg")
        rate = ["-c:v", "libx264", "-preset", "slow", "-crf", "29", "-maxrate", "700k", "-bufsize", "1400k"]
        scaled = f"scale='min({PIXELS},iw)':-2:flags=area"
        ffmpeg(
            "-i",
            str(raw),
            "-vf",
            scaled,
            *rate,
            "-pix_fmt",
            "yuv420p",
            "-movflags",
            "+faststart",
            str(folder / f"{one.name}.mp4"),
        )
        if web:
            out = Path(scratch) / "web"
            live_size = ["--size", "x".join(str(side) for side in smaller(one.size, LIVE))]
            live = [
                "run",
                *one.option().split(),
                *live_size,
                "--steps",
                "0",
                "--backend",
                "cpu",
                "--quiet",
                "--export",
                "web",
                "--out",
                str(out),
            ]
            done = subprocess.run([program.path, *live], capture_output=True, text=True, timeout=300)
            pages = sorted(out.glob("*.html")) if done.returncode == 0 else []
            if pages:
                shutil.copyfile(pages[0], folder / f"{one.name}.html")
            else:  # web.html: WHY: what to do
                (folder / f"{one.name}.why").write_text(done.stderr.partition("web.html: ")[2].partition(":")[0])


def key(one: Subject, digest: str, web: bool) -> str:
    """Names what is kept of a subject: it changes with the program, the text, and the code that makes the files."""
    code = "".join(inspect.getsource(function) for function in (make, make_sweep, small, poster_frame))
    return "gallery-" + hashlib.sha256(f"{digest} {code} {small(one)} {range_words(one)} {LIVE} {web} {one}".encode()).hexdigest()[:24]


def make_all(program, digest: str, cache: Path, target: Path) -> dict[str, Subject]:
    """Fills the target folder, from the cache what the same program has made before."""
    found = subjects(program)
    web = has_web_export(program)
    target.mkdir(parents=True, exist_ok=True)

    def one(subject: Subject):
        kept = cache / key(subject, digest, web)
        if not (kept / "ready").exists():
            shutil.rmtree(kept, ignore_errors=True)
            kept.mkdir(parents=True)
            make(program, subject, kept, web)
            (kept / "ready").touch()
        os.utime(kept)
        for file in kept.glob(subject.name + ".*"):
            shutil.copyfile(file, target / file.name)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for _ in pool.map(one, found):
            pass
    return {subject.name: subject for subject in found}


def card(one: Subject, up: str) -> str:
    words = html.escape(f"{one.title} {one.name} {one.about}".lower(), quote=True)
    page = f"{up}gallery/{one.name}.html"
    return (
        f'<a class="model-card" href="{page}" data-words="{words}"><video src="{up}films/{one.name}.mp4" poster="{up}films/{one.name}.jpg" '
        f'muted loop playsinline preload="none" aria-hidden="true"></video><span>{html.escape(one.title)}</span></a>'
    )


def cards(models: list[Subject], up: str) -> str:
    return '<div class="model-cards">\n' + "\n".join(card(one, up) for one in models) + "\n</div>\n"


def index(models: dict[str, Subject]) -> str:
    presets = sorted((one for one in models.values() if one.kind == "model"), key=lambda one: one.title.lower())
    runs = [one for one in models.values() if one.kind == "run"]
    return (
        "# Gallery\n\nEvery model and every ready run of the program. Point at a picture, or touch it, to see it move; the page behind it has the "
        "equation and the command. All were made by the program when this site was built.\n\n"
        '<input class="model-filter" type="search" placeholder="Find a model" aria-label="Find a model">\n\n'
        f"## Models\n\n{cards(presets, '../')}\n## Ready runs\n\nA run with everything in it: start, sides, strokes of the brush, colours.\n\n{cards(runs, '../')}\n"
        "```{toctree}\n:hidden:\n\n" + "\n".join(one.name for one in [*presets, *runs]) + "\n```\n"
    )


def parameters(text: str) -> list[list[str]]:
    """Rows of a table: the sliders of a text, with their ranges."""
    return [list(found) for found in re.findall(r"(?:^|;)\s*(\w+) = ([-+\d.e]+) in \[([^\]]+)\]", text, re.M)]


def page(one: Subject, films: Path) -> str:
    why = films / f"{one.name}.why"
    (nx, ny), steps = small(one)
    film = f"../films/{one.name}"
    same = (nx, ny) == one.size and steps == one.steps
    size = "" if (nx, ny) == one.size else f" --size {nx}x{ny}"
    parts = [f"# {one.title}\n"]
    if one.about:
        parts.append(one.about.replace("*", r"\*").replace("<", "&lt;") + "\n")
    parts.append(
        f'<video class="film" src="{film}.mp4" poster="{film}.jpg" controls muted loop playsinline preload="none" aria-label="Film: {html.escape(one.title, quote=True)}"></video>\n'
    )
    if (films / f"{one.name}.html").exists():
        parts.append(
            f'<p><a class="live" href="{film}.html">Run it here</a>, in this browser, with sliders and a brush (needs WebGL 2).</p>\n'
        )
    elif why.exists() and why.read_text():
        parts.append(f"It runs in the program alone: {why.read_text()}.\n")
    if one.sweeps:
        parts.append(
            f"```sh\nstencilscope {one.option()}                       # in the window: the tiles run\nstencilscope sweep {one.option()} --out {one.name}   # table and picture\n```\n"
        )
        return "\n".join(parts)
    parts.append(
        f"```sh\nstencilscope {one.option()}                  # in the window, live\nstencilscope run {one.option()} --out {one.name}  # its files\n"
        f"stencilscope run {one.option()}{size} --steps {steps} {' '.join([*range_words(one), ''])}--video film.mp4   # this film\n```\n"
    )
    keyword = "model" if one.kind == "model" else "spec"
    parts.append(
        f'```python\nimport stencilscope as ss\n\nsim = ss.Simulation({keyword}="{one.name}")\nsim.advance({one.steps})\nsim.figure("{one.name}.png")\n```\n'
    )
    if not same:
        parts.append(
            f"The film has {nx} x {ny} cells and {steps} steps, the model itself {one.size[0]} x {one.size[1]} and {one.steps}.\n"
        )
    if one.text:
        body = "\n".join(
            line for line in one.text.rstrip().splitlines() if not re.match(r'(title|source|about) = "', line)
        )
        parts.append(
            f"## Its equation\n\n```equation\n{body}\n```\n\n`stencilscope models {one.name}` prints it; [typing an equation](../equations.md) explains it.\n"
        )
        rows = parameters(one.text)
        if rows:
            parts.append(
                "## Its parameters\n\n| parameter | value | range |\n| --- | --- | --- |\n"
                + "".join(f"| `{a}` | {b} | {c} |\n" for a, b, c in rows)
            )
    if one.source:
        parts.append(f"**Source.** {one.source}\n")
    return "\n".join(parts)
