"""The pages that the program writes of itself: options, settings, functions, initial conditions, colour tables, the Python module.

Each function takes a Program and returns the text of its page. Nothing here repeats what the program knows.
"""

import html
import inspect
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Program(NamedTuple):
    path: Path
    module: object  # stencilscope
    pictures: Path  # a folder for pictures, beside the pages

    def __call__(self, *words: str) -> str:
        done = subprocess.run([self.path, *words], capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
        return done.stdout


class Option(NamedTuple):
    name: str
    value: str
    help: str
    group: str  # heading above it; "" for the first ones


class Command(NamedTuple):
    name: str
    about: str
    options: list[Option]
    lists: list[tuple[str, list[str]]]  # of its footer: a title, and lines


def plain(roff: str) -> str:
    return re.sub(r"\\f[BIR]", "", roff.replace("\\-", "-").replace("\\e", "\\").replace("\\&", ""))


def commands(program: Program) -> list[Command]:
    """The commands as their manual page has them."""
    found: list[Command] = []
    for section in program("options", "--format", "man").split("\n.SH ")[1:]:
        name, body = section.split("\n", 1)
        name = name.strip('"')
        if not name.startswith("stencilscope"):
            continue
        body, _, footer = body.partition("\n.PP\n.nf\n")
        about, *entries = body.split("\n.TP\n")
        options = []
        about, _, group = about.partition("\n.SS ")
        for entry in entries:
            entry, _, next_group = entry.partition("\n.SS ")
            head, _, help = entry.partition("\n")
            word, _, value = head.partition(" ")
            options.append(Option(plain(word), plain(value), plain(help).replace("\n", " ").strip(), plain(group)))
            group = next_group or group
        lists: list[tuple[str, list[str]]] = []
        for line in plain(footer).removesuffix("\n.fi").split("\n"):
            if line.endswith(":") and not line.startswith(" "):
                lists.append((line[:-1], []))
            elif line.strip() and line != ".fi" and lists:
                lists[-1][1].append(line)
        found.append(Command(name, plain(about).strip(), options, lists))
    return found


def cell(text: str) -> str:
    """Text for a cell of a table, in which nothing is markup, and long lists without spaces may break."""
    plain_text = re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", html.unescape(text)).replace("\n", " ")
    return re.sub(r"\S{30,}", lambda m: m[0].replace(",", ",<wbr>"), plain_text)


def code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")


def table(header: list[str], rows: list[list[str]]) -> str:
    return "".join("| " + " | ".join(row) + " |\n" for row in [header, ["---"] * len(header), *rows])


def command_line(program: Program) -> str:
    found = commands(program)
    page = (
        "# Every command and option\n\nMade from the program: `stencilscope options --format man`. The same stands in its manual page, and "
        "`stencilscope COMMAND --help` prints it.\n"
    )
    lists: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    shown: set[Option] = set()
    for command in found:
        page += f"\n## {command.name}\n\n{cell(command.about)}\n"
        own = [option for option in command.options if option.name != "--help"]
        inherited = [option for option in own if option in shown] if command.name == "stencilscope run" else []
        own = [option for option in own if option not in inherited]
        if inherited:
            page += f"\nIt takes the {len(inherited)} settings that [the window](#stencilscope) takes, from `{inherited[0].name}` on, and:\n"
        for group in dict.fromkeys(option.group for option in own):
            rows = [[code(f"{o.name} {o.value}".strip()), cell(o.help)] for o in own if o.group == group]
            page += "\n" + table([group or "option", "what it does"], rows)
        shown |= set(command.options)
        for title, lines in command.lists:
            lists.setdefault((title, tuple(lines)), []).append(command.name)
    page += "\n## What options take\n"
    for (title, lines), _ in lists.items():
        page += f"\n### {title}\n\n```text\n" + "\n".join(lines) + "\n```\n"
    return page


def settings(program: Program) -> str:
    rows = json.loads(program.module._core.setting_table())
    body = [[code(row["name"]), code(row["value"]), cell(row["help"])] for row in rows]
    return (
        f"# Every setting\n\nA run is its settings. These {len(rows)} have one name everywhere: `--name` on the command line, `name` in "
        "[spec.json](../files.md), `name=` in [Python](../app/python/index.md) (with `_` for `-`), and `STEP:name=value` in `--at`. "
        "This page is made from the program's table.\n\n" + table(["setting", "value", "what it is"], body)
    )


# An example for functions that `f(v)` does not show.
EXAMPLES = {
    "div": "div(v*grad(v))",
    "grad": "dot(grad(v), grad(v))",
    "dot": "dot(vec(v, 1), grad(v))",
    "vec": "div(vec(v, v^2))",
    "up": "-up(v)*dx(v)",
    "advect": "advect(v, 1, 2)",
    "image": "",
    "array": "",
    "d(u)/d(F)": "",
    "ind": "ind(v > 0.5)",
    "where": "where(v > 0, v, 1)",
    "select": "select(1, v, v > 0)",
    "Bump": "",
    "Gauss": "",
    "smoothstep": "smoothstep(0, 1, v)",
    "random": "random",
    "normal": "normal",
    "mean": "v - mean(v)",
    "integral": "integral(v)",
    "step": "step(0.5, v)",
    "H": "",
}
ARGUMENTS = ("v", "v, 2", "v, 2, 3")
GROUPS = [
    (
        "Derivatives",
        [
            "lap",
            "lap2",
            "div",
            "grad",
            "grad2",
            "dot",
            "vec",
            *"dx dy dxx dyy dxy dxf dxb dyf dyb up advect sum8".split(),
        ],
    ),
    ("The whole field", ["mean", "integral"]),
    (
        "Conditions",
        "where ind heaviside step smoothstep select isgreater isgreaterequal isless islessequal sign H".split(),
    ),
    ("Chance", ["random", "normal"]),
    ("Pictures, arrays and shapes", ["image", "array", "Bump", "Gauss"]),
]


def compiled(program: Program, formula: str) -> str:
    """What the compiler makes of a formula, in neighbours and arithmetic; empty where the formula is refused."""
    text = f"du/dt = {formula}; v' = v; dt = 0.001"
    done = subprocess.run(
        [program.path, "models", "--equation", text, "--code", *"--size 16 --backend cpu".split()],
        capture_output=True,
        text=True,
    )
    if done.returncode:
        return ""
    printed = re.split(r"^==== .*\n", done.stdout, flags=re.M)[1]  # the stages
    stages = printed.split("\n\nFor all cells")[0].split("\n\nOf a ")[0]
    rows = [line.strip() for line in stages.splitlines() if line.startswith("  ") and not line.startswith("  v' =")]
    constants = printed.partition("For all cells, in float64 and rounded once:\n")[2].partition("\n\n")[0]
    rows += [line.strip() for line in constants.splitlines()]
    return "\n".join(rows) if len(rows) <= 8 else ""


def functions(program: Program) -> str:
    listed = program("models", "--help").partition("Functions of formulas:\n")[2]
    entries: list[tuple[str, str]] = []
    for line in listed.splitlines():
        match = re.match(r"  (\S+)\s+(.*)$", line)
        if not match:
            break
        entries.append((match[1], match[2].replace("`", "")))
    names = {name for _, members in GROUPS for name in members}
    groups = [*GROUPS, ("Arithmetic", [name for name, _ in entries if name not in names])]
    page = (
        "# Every function of formulas\n\nMade from the program. The last column is what the compiler makes of the example as a rate of `u`: "
        "`u'` is the next value, `v[+1,0]` the cell to the right, `v[0,+1]` the one below, and `c1`, `c2` are numbers that are "
        "computed once. `stencilscope models --equation TEXT --code` prints it for any text of yours.\n\n"
        "[Typing an equation](../equations.md) has the statements around them, [sides](../sides.md) the conditions at the boundary.\n"
    )
    seen: set[str] = set()
    for title, members in groups:
        rows = []
        for name, help in entries:
            if name not in members:
                continue
            example, made = EXAMPLES.get(name), ""
            if name in seen and example is None:  # such as max(f) of the whole field after max(a, b)
                example = f"v - {name}(v)"
            seen.add(name)
            if example:
                made = compiled(program, example)
            elif example is None:
                for arguments in ARGUMENTS:
                    example = f"{name}({arguments})"
                    made = compiled(program, example)
                    if made:
                        break
                else:
                    example = ""
            shown = "<br>".join(code(line) for line in made.splitlines())
            rows.append([code(name), cell(help), code(example) if example and made else "", shown])
        if rows:
            page += f"\n## {title}\n\n" + table(["function", "what it is", "example", "becomes"], rows)
    return page


def picture(program: Program, name: str, *words: str) -> str:
    """Runs the program and keeps its picture of the field; returns the picture's path beside the page."""
    folder = program.pictures / "_run"
    program("run", *words, "--steps", "0", "--backend", "cpu", "--export", "field.png", "--quiet", "--out", str(folder))
    target = program.pictures / f"{name}.png"
    (folder / "field.png").replace(target)
    return target.name


def initial_conditions(program: Program) -> str:
    run = next(command for command in commands(program) if command.name == "stencilscope run")
    lines = next(lines for title, lines in run.lists if title.startswith("Initial conditions"))
    page = (
        "# Every initial condition\n\nFor `--initial`, made from the program. [The command line](../command-line.md) says how formulas, "
        "pictures and arrays are given instead.\n"
    )
    name = ""
    for line in lines:
        match = re.match(r"  (\S+)\s+(.*)$", line)
        if match and not line.startswith("   "):
            name = match[1]
            file = picture(program, f"initial-{name}", "--initial", name, "--size", "200x120")
            page += f"\n## {name}\n\n![{name}](pictures/{file})\n\n{cell(match[2])}\n\n"
        else:
            option, _, help = line.strip().partition(": ")
            page += f"- {code(option)}: {cell(help)}\n"
    return page


def colour_tables(program: Program) -> str:
    run = next(command for command in commands(program) if command.name == "stencilscope run")
    (line,) = next(lines for title, lines in run.lists if title == "Colour tables")
    rows = []
    for name in re.findall(r"[a-z]\w*(?= |$)", re.sub(r"\([^)]*\)", "", line)):
        words = ["--initial", "x", "--equation", "du/dt = 0*u", "--size", "400x24", "--colormap", name]
        kind = "diverging, centred at 0" if re.search(rf"\b{name} \(diverging", line) else ""
        if kind:
            words[1] = "x - 200"
        rows.append([code(name), f"![{name}](pictures/{picture(program, 'colours-' + name, *words)})", kind])
    return (
        "# Every colour table\n\nFor `--colormap`, in the window's colour bar, and in texts (`colormap = ice`). `NAME_r` is reversed. "
        "[Where they come from](../assets/colormaps/index.md).\n\n"
        + table(["name", "from the least value to the largest", ""], rows)
    )


def docstring(text: str | None) -> str:
    """A docstring as Markdown: its indented lists as code, so that no word of it is markup."""
    result = ""
    for line in inspect.cleandoc(text or "").split("\n"):
        item = re.match(r"    (\w+): (.*)$", line)
        result += (f"- {code(item[1])}: {cell(item[2])}" if item else cell(line.strip())) + "\n"
    result = re.sub(r":\n- ", ":\n\n- ", result, count=1)
    return re.sub(r"(?:\\`)+(.*?)(?:\\`)+", lambda m: "`" + re.sub(r"\\(.)", r"\1", m[1]) + "`", result)


def python(program: Program) -> str:
    module = program.module
    page = (
        "# Every class and function of the Python module\n\nMade from the module's documentation. [Its guide](../app/python/index.md) has examples, and "
        "[every setting](settings.md) what keyword arguments there are.\n"
    )
    for name in sorted(module.__all__, key=lambda name: name != "Simulation"):  # it comes first
        member = getattr(module, name)
        if not inspect.isclass(member) and not inspect.isfunction(member):
            continue
        if not (member.__module__ or "").startswith("stencilscope"):
            continue
        page += f"\n## {name}\n"
        if inspect.isclass(member):
            about = inspect.cleandoc(member.__doc__ or "")
            about = re.sub(
                r"\n\s*size: columns x rows.*", "", about, flags=re.S
            )  # the settings, which have their own page
            page += f"\n```python\n{name}{signature(member.__init__, True)}\n```\n\n{docstring(about)}"
            for own, method in inspect.getmembers(member):
                if own.startswith("_") or own not in vars(member):
                    continue
                page += f"\n### {name}.{own}\n"
                plain_method = (
                    method.fget if isinstance(method, property) else inspect.unwrap(getattr(method, "__func__", method))
                )
                if callable(plain_method) and not isinstance(method, property):
                    page += f"\n```python\n{own}{signature(plain_method, True)}\n```\n"
                page += f"\n{docstring(method.__doc__)}"
        else:
            page += f"\n```python\n{name}{signature(member, False)}\n```\n\n{docstring(member.__doc__)}"
    return page


def signature(function, method: bool) -> str:
    found = inspect.signature(function)
    kept = list(found.parameters.values())[1 if method else 0 :]
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in kept]
    return str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def json_files(program: Program) -> str:
    """The files that programs read, each as this program writes it."""
    folder = program.pictures / "_run"
    model = ["--model", "gray-scott", "--size", "64", "--backend", "cpu", "--quiet"]
    program(
        "run", *model, "--steps", "100", "--at", "50:F=0.03", "--export", "spec.json,timings.json", "--out", str(folder)
    )
    program("bench", "--size", "64", "--method", "cpu", "--repeats", "5", "--quiet", "--out", str(folder))
    program("example", "dot", "--length", "1000", "--backend", "cpu", "--quiet", "--out", str(folder))
    about = {
        "spec.json": "The settings that repeat a run, here `stencilscope run --model gray-scott --size 64 --steps 100 --at 50:F=0.03`.",
        "timings.json": "What that run was, and how fast.",
        "bench.json": "What `stencilscope bench --size 64 --method cpu --out DIR` measured.",
        "report.json": "What `stencilscope example dot --length 1000 --out DIR` measured.",
    }
    page = "# Every JSON file\n\nWritten by the program when this site was built. [Files](../files.md) says what the names mean, [numbers](../numbers.md) how they are defined.\n"
    for name, what in about.items():
        text = json.dumps(json.loads((folder / name).read_text()), indent=2, ensure_ascii=False)
        text = re.sub(
            r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m[1]) + "]", text
        )  # lists of numbers on a line
        page += f"\n## {name}\n\n{what}\n\n```json\n{text}\n```\n"
    return page


PAGES: dict[str, Callable[[Program], str]] = {
    "command-line": command_line,
    "settings": settings,
    "functions": functions,
    "initial-conditions": initial_conditions,
    "colour-tables": colour_tables,
    "json-files": json_files,
    "python": python,
}
