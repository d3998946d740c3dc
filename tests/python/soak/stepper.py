"""Steps a model's text with NumPy, following docs/equations.md, integrators.md and boundaries.md; shares no code with the program.

Python's parser reads the formulas, whose grammar is Python's except for `^` and neighbours `u[+1,0]`. Cases that the
documentation leaves open, and random numbers, raise Unsupported: such problems are only compared between executors.
"""

import ast
import copy
import math
import re

import numpy as np

SETTINGS = "dx dt integrator stepper size origin steps colormap show laplacian mean title source about sensitivity".split()
AXES = {"left": 1, "right": 1, "top": 0, "bottom": 0}  # the array axis that each side bounds


def smooth(a, b, c):
    share = np.minimum(np.maximum((c - a) / (b - a), 0), 1)
    return share**2 * (3 - 2 * share)


def erf(a):
    return np.vectorize(math.erf, otypes=[float])(a).astype(a.dtype if isinstance(a, np.ndarray) else float)


def table(at):
    """Returns the values of the table that problems name."""
    return np.interp(np.asarray(at, float), [-1, 0, 0.25, 0.3, 1.5], [0.5, 0, 0.7, -0.2, 1]).astype(at.dtype if isinstance(at, np.ndarray) else float)


FUNCTIONS = {
    "erf": erf,
    "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "sin": np.sin, "cos": np.cos, "tan": np.tan, "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "abs": np.abs, "floor": np.floor, "ceil": np.ceil, "sign": np.sign,
    "atan": lambda a, b=1.0: np.arctan2(a, b), "atan2": np.arctan2, "round": lambda a: np.floor(a + 0.5),
    "mod": np.mod, "heaviside": lambda a: np.where(a > 0, 1.0, 0.0), "ind": lambda a: np.where(a != 0, 1.0, 0.0),
    "clamp": lambda a, b, c: np.minimum(np.maximum(a, b), c), "step": lambda a, b: np.where(a <= b, 1.0, 0.0), "fmod": np.fmod,
    "fract": lambda a: a - np.floor(a), "trunc": np.trunc, "mix": lambda a, b, c: a + c * (b - a), "smoothstep": lambda a, b, c: smooth(a, b, c),
    "hypot": np.hypot, "log2": np.log2, "log10": np.log10, "exp2": np.exp2, "cbrt": np.cbrt, "rsqrt": lambda a: 1 / np.sqrt(a),
    "asin": np.arcsin, "acos": np.arccos, "sech": lambda a: 1 / np.cosh(a), "degrees": np.degrees, "radians": np.radians,
    "mad": lambda a, b, c: a * b + c, "select": lambda a, b, c: np.where(c != 0, b, a), "isgreater": lambda a, b: np.where(a > b, 1.0, 0.0),
    "isless": lambda a, b: np.where(a < b, 1.0, 0.0), "H": lambda a, b=0.0: smooth(-0.01, 0.01, a - b),
    "real": np.real, "imag": np.imag, "conj": np.conj, "arg": np.angle,
    "where": lambda a, b, c: np.where(a != 0, b, c), "pow": lambda a, b: a**b,
    "min": lambda *a: np.minimum.reduce(np.broadcast_arrays(*a)), "max": lambda *a: np.maximum.reduce(np.broadcast_arrays(*a)),
}  # fmt: skip
COMPARE = {ast.Lt: np.less, ast.Gt: np.greater, ast.LtE: np.less_equal, ast.GtE: np.greater_equal, ast.Eq: np.equal, ast.NotEq: np.not_equal}
ARITHMETIC = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.Pow: np.power}


# Butcher's tableaus; the last row has the weights.
TABLEAUS = {
    "bs32": [[], [1 / 2], [0, 3 / 4], [2 / 9, 1 / 3, 4 / 9]],
    "dp54": [
        [], [1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9], [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656], [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ],
}  # fmt: skip


def is_global(node):
    """Tells whether it is a value of the whole field: a mean, integral, min or max of one argument."""
    return isinstance(node, ast.Call) and (node.func.id in ("mean", "integral") or (node.func.id in ("min", "max") and len(node.args) == 1))


class Unsupported(Exception):
    pass


def in_order(node):
    """Visits a formula's parts from left to right."""
    yield node
    for part in ast.iter_child_nodes(node):
        yield from in_order(part)


def formula(text):
    try:
        text = re.sub(r"\b(\d[\d.]*)i\b", r"\1j", re.sub(r"\blambda\b", "lambda_", text))
        return ast.parse(text.strip().replace("^", "**"), mode="eval").body
    except SyntaxError as why:  # other keywords of Python are names in models
        raise Unsupported(f"{text}: {why}") from None


def statements(text):
    """Splits statements at line ends and `;`; open brackets and trailing operators continue a statement."""
    text = re.sub(r"#.*", "", re.sub(r'"[^"]*"', '""', text))
    whole = ""
    for part in re.split(r"[;\n]", text):
        whole += " " + part.strip()
        if whole.count("(") + whole.count("[") > whole.count(")") + whole.count("]") or whole.rstrip().endswith(tuple("+-*/,=^")):
            continue
        if whole.strip():
            yield whole.strip()
        whole = ""


def in_parts(text):
    """Writes the statements of complex components for their parts."""
    lines, names = [], []
    for line in statements(text):
        if m := re.match(r"complex\s+(.*)", line):
            names += re.findall(r"\w+", m[1])
            lines += [f"{name} = {name}_re + 1i*{name}_im" for name in names]
            continue
        whole = next((n for n in names if re.match(rf"d{n}/dt\s*=|{n}'|{n}\(0\)|[\w\s,]+:.*\b{n}\b", line)), None)
        for part, of in ("re", "real"), ("im", "imag"):
            if whole is None or (":" in line and "=" not in line):
                lines.append(line)
                break
            left, right = line.split("=")
            lines.append(re.sub(rf"\b(d?){whole}\b", rf"\1{whole}_{part}", left) + f"= {of}({right})")
    return "\n".join(lines)


class OwnFunctions(ast.NodeTransformer):
    """Replaces calls of a text's own functions by their formulas."""

    def __init__(self):
        self.known = {}

    def visit_Call(self, node):
        node = self.generic_visit(node)
        if node.func.id not in self.known:
            return node
        names, body = self.known[node.func.id]
        arguments = dict(zip(names, node.args))

        class Arguments(ast.NodeTransformer):
            def visit_Name(self, name):
                return arguments.get(name.id, name)

        return Arguments().visit(copy.deepcopy(body))


class Model:
    def __init__(self, text):
        own = OwnFunctions()
        self.rates, self.nexts, self.starts, self.definitions, self.parameters = {}, {}, {}, {}, {}
        self.settings, self.sides, self.edges, self.inside, self.order = {}, [], [], None, []
        self.equations = []  # without a time derivative, as pairs of formulas
        for line in statements(in_parts(text)):
            if m := re.match(r"edge\s*:\s*(.*)", line):
                self.edges.append(m[1])
            elif m := re.match(r"((?:left|right|top|bottom|x|y|all)[\s,]*)+:\s*(.*)", line):
                sides = re.findall(r"\w+", re.sub(r"\bx\b", "left, right", re.sub(r"\by\b", "top, bottom", line.split(":")[0].replace("all", "x, y"))))
                self.sides += [(side, m[2].strip(), len(sides)) for side in sides]
            elif m := re.match(r"(own)\((\w+), (\w+)\)\s*=(.*)", line):
                own.known[m[1]] = (m[2], m[3]), formula(m[4])
            elif m := re.match(r"2\*d(\w+)/dt\s*=(.*)", line):
                self.rates[m[1]] = formula(f"({m[2]})/2")
                self.order.append(m[1])
            elif m := re.match(r"2\*(\w+)_tt \+ 0.1\*\w+_t\s*=(.*)", line):
                self.rates.update({m[1]: formula(f"{m[1]}_t"), f"{m[1]}_t": formula(f"({m[2]} - 0.1*{m[1]}_t)/2")})
                self.order += [m[1], f"{m[1]}_t"]
            elif m := re.match(r"d(\w+)/dt\s*=(.*)", line) or re.match(r"(\w+)_t\s*=(.*)", line):
                self.rates[m[1]] = formula(m[2])
                self.order.append(m[1])
            elif m := re.match(r"(\w+)'\s*=(.*)", line):
                self.nexts[m[1]] = formula(m[2])
                self.order.append(m[1])
            elif m := re.match(r"(\w+)\(0\)\s*=(.*)", line):
                self.starts[m[1]] = formula(m[2])
            elif m := re.match(r"(\w+)\s*=\s*(.*)", line):
                self.named(*m.groups())
            elif re.match(r"[^=]*lap2?\(\w+\)[^=]*=[^=]*$", line):
                self.equations.append([formula(part) for part in line.split("=")])
            else:
                raise Unsupported(line)
        for formulas in self.rates, self.nexts, self.definitions, self.starts:
            formulas.update({name: own.visit(f) for name, f in formulas.items()})
        known = {*self.order, *self.parameters, *self.definitions, "x", "y", "t", "pi", "dx"}
        called = lambda f: {n.func.id for n in ast.walk(f) if isinstance(n, ast.Call)}  # noqa: E731
        names = [{n.id for n in ast.walk(left) if isinstance(n, ast.Name)} - known - called(left) for left, _ in self.equations]
        if any(len(unknown) != 1 for unknown in names):
            raise Unsupported("an equation in another form")
        self.solved = {unknown.pop(): equation for unknown, equation in zip(names, self.equations)}
        self.fields = [*self.order, *self.solved]  # what has sides

    def named(self, name, value):
        number = re.fullmatch(r"([-+]?[0-9.]+(?:[eE][-+]?\d+)?)(\s+in\s*\[.*\])?(\s+\S+)?", value)
        if name == "boundary":
            self.sides = [(side, value, 5) for side in AXES] + self.sides
        elif name == "inside":
            self.inside = formula(value)
        elif name in SETTINGS:
            self.settings[name] = value
        elif number:
            self.parameters["lambda_" if name == "lambda" else name] = float(number[1])
        else:
            self.definitions[name] = formula(value)


class Run:
    """A run whose state maps components to arrays of shape (ny, nx). Every term is computed in `dtype`."""

    def __init__(self, text, nx, ny, dt=None, dx=None, dtype=np.float64):
        self.model = m = Model(text)
        self.nx, self.ny, self.step, self.t, self.dtype = nx, ny, 0, 0.0, dtype
        self.dx = float(dx or eval(str(m.settings.get("dx", 1)), {"pi": np.pi}))
        self.dt = float(dt or m.settings.get("dt", 1))
        self.isotropic = m.settings.get("laplacian") == "isotropic"
        self.fourth = m.settings.get("laplacian") == "fourth"
        self.harmonic = m.settings.get("mean") == "harmonic"
        self.flat = None if (nx == 1) == (ny == 1) else 0 if ny == 1 else 1  # the array axis without sides of a line
        self.measure = self.dx if self.flat is not None else self.dx**2
        self.stepper, self.past = m.settings.get("integrator", m.settings.get("stepper", "euler")), None
        self.origin = [self.dtype(part) for part in m.settings.get("origin", "0, 0").split(",")]
        self.conditions = {(c, s): "periodic" for c in m.fields for s in AXES}
        self.held, self.named = {}, {}  # the value at a side that has a value and a flux; how many sides the statement names
        for side, what, named in m.sides:
            self.set_side(side, what, named)
        self.edges = {c: condition for c, condition in map(self.edge_of, m.edges) if condition}
        self.shape, self.face = None, None  # the mask of `inside` in this step; the neighbour beyond the edge that is worked out
        self.state, self.time, self.first_axis = {}, {}, 1
        self.globals, self.at_start = {}, ({}, 0.0)
        self.global_every, self.keeps_globals = 1, False
        self.state = {c: self.whole(self.value(m.starts[c], 0) if c in m.starts else 0.0) for c in m.order}

    def quantity(self, what):
        """Returns what a condition is about, the first whose flux it names, else the first that it names, and both sides of it."""
        left, right = (formula(part) for part in what.split("="))
        parts = [node for side in (left, right) for node in in_order(side)]
        fluxes = [n.args[0] for n in parts if isinstance(n, ast.Call) and n.func.id == "flux"]
        named = [n.id for n in fluxes or parts if isinstance(n, ast.Name) and (n.id in self.model.fields or n.id in self.model.definitions)]
        if not named or named[0] not in self.model.fields or {n.id for n in fluxes} - {named[0]}:
            raise Unsupported("a condition of a definition")
        return named[0], (left, right)

    def set_side(self, side, what, named):
        """A condition for fewer sides, or an equation rather than a word, holds whichever comes first; a value and a flux both do."""
        word = "=" not in what
        one = None if word else self.quantity(what)
        for c in self.model.fields if word else [one[0]]:
            other, count = self.conditions[c, side], self.named.get((c, side), 6)
            narrower = named < count or (not word and isinstance(other, str))
            wider = count < named or (word and not isinstance(other, str))
            if narrower or not wider:
                if not narrower and not word:
                    both = sorted([one[1], other], key=lambda pair: "flux" in "".join(map(ast.dump, pair)))
                    self.held[c, side], self.conditions[c, side] = both
                    continue
                self.conditions[c, side], self.named[c, side] = what if word else one[1], named
                self.held.pop((c, side), None)

    def edge_of(self, what):
        """Returns the component that a condition at the edge of `inside` is for, and both sides of the equation; None where
        nothing flows."""
        c, (left, right) = self.quantity(what)
        nothing = ast.unparse(left) == f"flux({c})" and ast.unparse(right) == "0"
        return c, None if nothing else (left, right)

    def mask(self):
        return None if self.model.inside is None else self.whole(self.value(self.model.inside, 0)) != 0

    def whole(self, value):
        dtype = np.result_type(self.dtype, np.complex64) if np.iscomplexobj(value) else self.dtype
        return np.broadcast_to(np.asarray(value, dtype), (self.ny, self.nx)).copy()

    # --- Beyond the sides: values are mirrored about the side's value, or continued with the side's slope.

    def condition(self, c, side, places, time, cells, what=None):
        """Returns ("value", r), ("flux", q) or ("both", a, b, r) for the cells along a side, whose values are `cells`."""
        what = what or self.conditions[c, side]
        if what in ("insulated", "zero"):
            return ("flux", 0.0) if what == "insulated" else ("zero",)
        across = {"left": 0.0, "right": self.nx * self.dx, "top": 0.0, "bottom": self.ny * self.dx}[side]
        x, y = (across, places) if AXES[side] == 1 else (places, across)
        x, y = x + self.origin[0], y + self.origin[1]

        names = {**self.model.parameters, **cells, "x": x, "y": y, "t": time, "pi": np.pi, "dx": self.dx,
                 "Lx": self.nx * self.dx, "Ly": self.ny * self.dx}  # fmt: skip
        value, flux, right = self.linear(what, c, names)
        if np.all(flux == 0) or np.all(value == 0):
            return ("value", right / value) if np.all(flux == 0) else ("flux", right / flux)
        return ("both", value, flux, right)

    def linear(self, what, c, names):
        """Returns the factors of c and of flux(c), and all else, which is taken in the cell, of an equation."""

        def parts(node):
            if isinstance(node, ast.Name) and node.id == c:
                return 1.0, 0.0, 0.0
            if isinstance(node, ast.Call) and node.func.id in ("real", "imag") and "flux" in ast.dump(node):
                raise Unsupported("the flux of a complex condition")
            if isinstance(node, ast.Call) and node.func.id == "flux":
                return 0.0, 1.0, 0.0
            if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
                return tuple(-part for part in parts(node.operand))
            if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
                return tuple(ARITHMETIC[type(node.op)](a, b) for a, b in zip(parts(node.left), parts(node.right)))
            if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
                has = [any(isinstance(n, ast.Name) and n.id in (c, "flux") for n in ast.walk(side)) for side in (node.left, node.right)]
                if has == [True, False]:
                    return tuple(ARITHMETIC[type(node.op)](part, self.plain(node.right, names)) for part in parts(node.left))
                if has == [False, True] and isinstance(node.op, ast.Mult):
                    return tuple(self.plain(node.left, names) * part for part in parts(node.right))
            return 0.0, 0.0, self.plain(node, names)

        with np.errstate(all="ignore"):
            value, flux, rest = (a - b for a, b in zip(parts(what[0]), parts(what[1])))
        return value, flux, -rest

    def global_value(self, node):
        """Returns a value of the whole field at the step's start."""
        key = ast.dump(node)
        if key not in self.globals:
            now = self.state, self.t, self.time, self.first_axis, self.face
            (self.state, self.t), self.time, self.first_axis, self.face = self.at_start, {}, 1, None
            cells, mask = self.whole(self.value(node.args[0], 0)), self.mask()
            wide = np.float64 if self.dtype != np.longdouble else self.dtype
            cells = (cells if mask is None else cells[mask]).astype(np.result_type(wide, np.complex64) if np.iscomplexobj(cells) else wide)
            self.state, self.t, self.time, self.first_axis, self.face = now
            with np.errstate(all="ignore"):
                combined = {"mean": np.mean, "integral": lambda a: np.sum(a) * self.measure, "min": np.min, "max": np.max}[node.func.id]
                if cells.size == 0:
                    raise Unsupported("no cell is inside")
                self.globals[key] = cells.dtype.type(combined(cells)) if np.iscomplexobj(cells) else self.dtype(combined(cells))
        return self.globals[key]

    def plain(self, node, names):
        if is_global(node):
            return self.global_value(node)
        if isinstance(node, ast.Call) and node.func.id == "flux":
            return names["flux"]
        if isinstance(node, ast.Name):
            return self.plain(self.model.definitions[node.id], names) if node.id not in names else names[node.id]
        return self.cellwise(node, lambda part: self.plain(part, names))

    # --- Beyond the edge of `inside`: each component of a formula follows its condition on the face there.

    def names(self, node, c):
        """Tells whether the formula, with the definitions in it, has the component."""
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        return any(n == c or (n in self.model.definitions and self.names(self.model.definitions[n], c)) for n in names)

    def has_edge(self, node):
        return any(self.names(node, c) for c in self.edges)

    def beyond_edge(self, node, column, row):
        """Returns a formula's value in the ghost cell this way of each cell."""
        if self.face is not None:
            raise Unsupported("beyond the edge of what is beyond it")
        self.face = column, row
        try:
            return self.value(node, 0)
        finally:
            self.face = None

    def ghost(self, c):
        """Returns a component's values in the ghost cells towards self.face."""
        cells = self.state[c]
        if c not in self.edges:
            return cells
        (column, row), self.face = self.face, None
        x, y = self.name("x", 0) + column * self.dx / 2, self.name("y", 0) + row * self.dx / 2
        self.face = column, row
        known = {**self.model.parameters, "x": x, "y": y, "t": self.time.get(c, self.t), "pi": np.pi, "dx": self.dx,
                 "Lx": self.nx * self.dx, "Ly": self.ny * self.dx, **self.state}  # fmt: skip
        value, flux, right = self.linear(self.edges[c], c, known)
        return ((flux / self.dx - value / 2) * cells + right) / (flux / self.dx + value / 2)

    def has_others(self, c, side):
        """Tells whether a condition has values of the cell."""
        what = self.conditions[c, side]
        if isinstance(what, str):
            return False
        value, flux, right = self.linear(what, c, dict.fromkeys(self.state, np.full(1, np.nan)) | {**self.model.parameters, "x": 0.1, "y": 0.1, "t": 0.1,
                                         "pi": np.pi, "dx": self.dx, "Lx": 1.0, "Ly": 1.0})  # fmt: skip
        return bool(np.any(np.isnan(value + flux + right)))

    def padded(self, c, pad, axes=2):
        """Pads a component with `pad` rings of ghost cells: those of `first_axis` first. With `axes` 1 only those."""
        cells, time = self.state[c], self.time.get(c, self.t)
        sides = [(1, "left", "right"), (0, "top", "bottom")]
        for axis, *ends in (sides if self.first_axis == 1 else sides[::-1])[:axes]:
            a = np.moveaxis(cells, axis, 0)
            n = a.shape[0]
            if self.wraps(c, axis):
                ghosts = [a[np.arange(-pad, 0) % n], a[np.arange(n, n + pad) % n]]
            elif pad > n:
                raise Unsupported("mirrored at both sides")
            else:
                places = np.arange(a.shape[1]) - (0 if axis == self.first_axis else pad)
                if axis != self.first_axis and self.wraps(c, self.first_axis):
                    places = places % (self.nx if axis == 0 else self.ny)
                places, ghosts = ((places + 0.5) * self.dx).astype(self.dtype), []
                for side, at, rows in zip(ends, (0, -1), (a[:pad], a[::-1][:pad])):
                    beside = {}
                    if self.has_others(c, side):
                        if pad > 1 and (c, side) not in self.held:
                            raise Unsupported("nested derivatives at a side with values of the cell")
                        whole = self.state if axis == self.first_axis else {e: self.padded(e, pad, 1) for e in self.state}
                        beside = {e: np.moveaxis(values, axis, 0)[at] for e, values in whole.items()}
                    ghosts.append(self.beyond(self.condition(c, side, places, time, beside), rows))
                ghosts[0] = ghosts[0][::-1]
            cells = np.moveaxis(np.concatenate([ghosts[0], a, ghosts[1]]), 0, axis).astype(self.dtype)
        return cells

    def beyond(self, condition, edges):
        """Returns the ghost rows, outwards, from the rows counted inwards from the edge."""
        kind, *numbers = condition
        if kind == "value":
            return 2 * numbers[0] - edges
        if kind == "flux":
            return edges + np.multiply.outer(2 * np.arange(len(edges)) + 1, np.broadcast_to(numbers[0], edges[0].shape)) * self.dx
        if len(edges) > 1:
            raise Unsupported("nested derivatives at a Robin or zero side")
        if kind == "zero":
            return 0 * edges
        value, flux, right = numbers
        return ((flux / self.dx - value / 2) * edges + right) / (flux / self.dx + value / 2)

    def wraps(self, c, axis):
        return axis == self.flat or self.conditions[c, "top" if axis == 0 else "left"] == "periodic"

    # --- Formulas, evaluated with `pad` rings of ghost cells around the field

    def value(self, node, pad):
        if isinstance(node, ast.Name):
            return self.name(node.id, pad)
        if is_global(node):
            return self.global_value(node)
        wind = self.wind(node, pad)
        if wind is not None:
            return wind
        if isinstance(node, ast.Subscript) or (isinstance(node, ast.Call) and node.func.id not in (*FUNCTIONS, "table")):
            return self.operator(node, pad)
        return self.cellwise(node, lambda part: self.value(part, pad))

    def cellwise(self, node, value):
        result = self.combined(node, value)
        if np.ndim(result):
            return result
        return complex(result) if np.iscomplexobj(result) else float(result)  # NumPy scalars would widen a float32 array

    def combined(self, node, value):
        with np.errstate(all="ignore"):
            if isinstance(node, ast.Constant) and not isinstance(node.value, str):
                return node.value if isinstance(node.value, complex) else float(node.value)
            if isinstance(node, ast.BinOp):
                if isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant):
                    return value(node.left) ** node.right.value
                return ARITHMETIC[type(node.op)](value(node.left), value(node.right))
            if isinstance(node, ast.UnaryOp):
                a = value(node.operand)
                return np.where(a != 0, 0.0, 1.0) if isinstance(node.op, ast.Not) else -a if isinstance(node.op, ast.USub) else a
            if isinstance(node, ast.BoolOp):
                both = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
                return both.reduce(np.broadcast_arrays(*[np.asarray(value(v)) != 0 for v in node.values])) * 1.0
            if isinstance(node, ast.Compare) and len(node.ops) == 1:
                return COMPARE[type(node.ops[0])](value(node.left), value(node.comparators[0])) * 1.0
            if isinstance(node, ast.Call) and node.func.id == "table":
                return table(value(node.args[1]))
            if isinstance(node, ast.Call) and node.func.id in FUNCTIONS:
                return FUNCTIONS[node.func.id](*map(value, node.args))
        raise Unsupported(ast.dump(node))

    def name(self, name, pad):
        m = self.model
        if name in self.state and self.face is not None:
            return self.ghost(name)
        if name in m.solved and name not in self.state:
            self.solve(name)
        if name in self.state:
            return self.padded(name, pad) if pad else self.state[name]
        if name in m.parameters:
            return m.parameters[name]
        if name in m.definitions:
            return self.value(m.definitions[name], pad)
        if name in ("x", "y"):
            n, axis = (self.nx, 1) if name == "x" else (self.ny, 0)
            places = np.arange(-pad, n + pad) + (0 if self.face is None else self.face[1 - axis])
            if pad or self.face is not None:
                wraps = {self.wraps(c, axis) for c in m.fields}
                if len(wraps) > 1:
                    raise Unsupported("places beyond a side that is periodic for some")
                places = places % n if wraps == {True} else places
            return np.expand_dims(((places + 0.5) * self.dx).astype(self.dtype), 1 - axis) + self.origin[1 - axis]
        known = {"t": self.t, "step": self.step, "dt": self.dt, "dx": self.dx, "pi": np.pi, "nx": self.nx, "ny": self.ny,
                 "Lx": self.nx * self.dx, "Ly": self.ny * self.dx}  # fmt: skip
        if name in known:
            return float(known[name])
        raise Unsupported(name)

    def solve(self, name):
        """Adds the solution of an equation to the state. The left side is affine in it: its matrix is made of the residuals
        of single cells, and inverted where it is not singular, the mean and other open modes being 0."""
        if self.model.inside is not None:
            raise Unsupported("transforms beside `inside`")
        cells = self.nx * self.ny
        if cells > 600:
            raise Unsupported("too many cells to solve for")
        left, right = self.model.solved[name]
        state, first_axis, dtype = self.state, self.first_axis, self.dtype
        self.first_axis, self.dtype = 1, np.float64

        def residual(values):
            self.state = {**state, name: values.reshape(self.ny, self.nx)}
            return self.whole(self.value(left, 0) - self.value(right, 0)).ravel()

        base = residual(np.zeros(cells))
        matrix = np.stack([residual(unit) - base for unit in np.eye(cells)], axis=1)
        self.state, self.first_axis, self.dtype = state, first_axis, dtype
        solution = -np.linalg.pinv(matrix, rcond=1e-11) @ base
        self.state = {**state, name: solution.reshape(self.ny, self.nx).astype(dtype)}

    def convolution(self, node, kernel, pad):
        """Adds up the kernel times the field and what lies outside of it, which mirrored sides repeat once."""
        fields = [c for c in self.model.order if self.names(node, c)]
        rules = {tuple("periodic" if self.wraps(c, axis) else self.conditions[c, "top" if axis == 0 else "left"] for axis in (0, 1)) for c in fields}
        (rule, *others), around = rules, ("periodic", "periodic")
        if others or not set(rule) <= {"periodic", "insulated", "zero"} or (self.derives(node) and rule != around):
            raise Unsupported("sides of what is convolved")
        first_axis, self.first_axis = self.first_axis, 1
        cells = self.whole(self.value(node, 0))
        self.first_axis = first_axis
        for axis, kind in enumerate(rule):
            if kind != "periodic":
                beyond = np.flip(cells, axis) if kind == "insulated" else np.zeros_like(cells)
                cells = np.concatenate([cells, beyond], axis)
        counts = [np.minimum(np.arange(n), n - np.arange(n)) * np.where(np.arange(n) <= n // 2, 1, -1) for n in cells.shape]
        halves = [np.where(2 * np.abs(c) == n, -c, c) for c, n in zip(counts, cells.shape)]  # half a length has the mean of both signs
        table = sum(self.kernel(kernel, rows * self.dx, columns * self.dx) for rows in (counts[0], halves[0]) for columns in (counts[1], halves[1])) / 4
        factors, spectrum = np.fft.rfft2(np.broadcast_to(table, cells.shape)), np.fft.rfft2(cells)
        spectrum *= factors.astype(spectrum.dtype)
        result = np.fft.irfft2(spectrum, s=cells.shape)[: self.ny, : self.nx] * self.measure
        if pad and rule != around:
            raise Unsupported("beyond a convolution")
        return self.whole(result) if pad == 0 else np.pad(self.whole(result), pad, mode="wrap")

    def kernel(self, node, ry, rx):
        """Returns a kernel's values at offsets along y and along x."""
        ry, rx = np.meshgrid(ry, rx, indexing="ij")
        names = {**self.model.parameters, "rx": rx, "ry": ry, "r": np.hypot(rx, ry), "pi": np.pi, "dx": self.dx}

        def value(part):
            if is_global(part):
                nx, ny = rx.shape[1], rx.shape[0]
                even = lambda n: np.minimum(np.arange(n), n - np.arange(n))  # noqa: E731
                return np.sum(self.kernel(part.args[0], even(ny) * self.dx, even(nx) * self.dx)) * self.measure
            if isinstance(part, ast.Name):
                return value(self.model.definitions[part.id]) if part.id in self.model.definitions else names[part.id]
            return self.combined(part, value)

        return value(node)

    def surrounded(self, node, pad):
        """Returns the values with ghost cells. Beyond each side a derivative is mirrored whole, as if there were no
        corner: left and right it is made of components whose rows were padded first."""
        shape = (self.ny + 2 * pad, self.nx + 2 * pad)
        a, corners_count = np.broadcast_to(self.value(node, pad), shape).copy(), self.first_axis
        if corners_count == 0:
            return a, False
        self.first_axis = 0
        b = np.broadcast_to(self.value(node, pad), shape)
        self.first_axis = 1
        inner = (slice(1, -1), slice(1, -1))
        differ = not np.array_equal(a[1:-1], b[1:-1], equal_nan=True) and self.derives(node)
        if differ and (pad > 1 or not np.array_equal(a[inner], b[inner], equal_nan=True)):
            raise Unsupported("corners of a derivative that is derived twice, or of a diagonal one")
        if differ:
            a[1:-1, [0, -1]] = b[1:-1, [0, -1]]
        return a, differ

    def derives(self, node):
        """Tells whether the formula reads neighbours."""
        if is_global(node):
            return False
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        return (
            any(isinstance(n, ast.Subscript) or (isinstance(n, ast.Call) and n.func.id not in FUNCTIONS) for n in ast.walk(node))
            or any(self.derives(self.model.definitions[name]) for name in names & {*self.model.definitions})
        )  # fmt: skip

    def hold(self, a, node, pad):
        """Sets the ghost cells of the Laplacian of a component that has a value r and a flux q at a side: by Taylor's series the
        cell beside it has r - q dx/2 + dx^2/8 times the second derivative across."""
        fields = {c for c, side in self.held if self.names(node, c)}
        if not fields or not self.derives(node):
            return
        if pad or ast.unparse(node) not in (f"lap({c})" for c in fields) or self.isotropic or self.fourth:
            raise Unsupported("a value and a flux beside another derivative")
        (c,) = fields
        for _, side in (key for key in self.held if key[0] == c):
            axis, at = AXES[side], 0 if side in ("left", "top") else -1
            n = a.shape[1 - axis] - 2
            places = (np.arange(n + 2) - 0.5) * self.dx
            beside = {e: np.moveaxis(cells, axis, 0)[at] for e, cells in self.state.items()}
            time = self.time.get(c, self.t)
            _, r = self.condition(c, side, places, time, {}, self.held[c, side])
            _, q = self.condition(c, side, places[1:-1], time, beside)
            r = np.broadcast_to(r, n + 2)
            np.moveaxis(a, axis, 0)[at][1:-1] = (8 * (beside[c] - r[1:-1] + q * self.dx / 2) + r[2:] + r[:-2] - 2 * r[1:-1]) / self.dx**2

    def ring(self, node, pad, beside=()):
        """Returns a function (columns, rows) -> the field shifted by that offset. `beside` are the other formulas whose
        neighbours the operator reads."""
        nx, ny = self.nx + 2 * pad, self.ny + 2 * pad
        face, self.face = self.face, None
        a, corners_differ = self.surrounded(node, pad + 1)
        self.face = face
        self.hold(a, node, pad)
        mask = self.shape
        has_edge = mask is not None and any(map(self.has_edge, (node, *beside)))
        if has_edge and (pad or face is not None or self.derives(node)):
            raise Unsupported("derivatives of derivatives beside a condition at the edge")
        if mask is not None:  # beyond a side its condition applies
            if pad and not all(self.wraps(c, axis) for c in self.model.order for axis in (0, 1)):
                raise Unsupported("nested derivatives beside `inside` at sides")
            read = [c for c in self.model.order if any(self.names(part, c) for part in (node, *beside))] or self.model.order
            for axis in (0, 1):  # the ghost cell of a cell inside is inside
                width = [(pad + 1, pad + 1) if i == axis else (0, 0) for i in (0, 1)]
                mask = np.pad(mask, width, mode="wrap" if all(self.wraps(c, axis) for c in read) else "edge")

        def at(column, row):
            if column and row and corners_differ:
                raise Unsupported("the corner cell of a derivative")
            rows, columns = slice(1 + row, ny + 1 + row), slice(1 + column, nx + 1 + column)
            if mask is None or (column, row) == (0, 0):
                return a[rows, columns]
            beyond = self.beyond_edge(node, column, row) if has_edge else a[1:-1, 1:-1]
            return np.where(mask[rows, columns], a[rows, columns], beyond)

        return at

    def require_near(self, pad):
        """Returns a neighbour; beyond the ghost cells it equals the outermost one, unlike in derivatives."""
        if pad and not all(self.wraps(c, axis) for c in self.model.order for axis in (0, 1)):
            raise Unsupported("neighbours beyond the ghost cells")

    def operator(self, node, pad):
        h = self.dx
        if isinstance(node, ast.Subscript) or node.func.id in ("dxf", "dxb", "dyf", "dyb", "sum8", "advect"):
            self.require_near(pad)
        if isinstance(node, ast.Subscript):
            column, row = (int(ast.literal_eval(part)) for part in node.slice.elts)
            if max(abs(column), abs(row)) <= 1:
                return self.ring(node.value, pad)(column, row)
            if self.shape is not None or not isinstance(node.value, ast.Name) or node.value.id not in self.state:
                raise Unsupported("far neighbours of a formula, or beside `inside`")
            c, n, m = node.value.id, self.nx, self.ny
            if pad and not (self.wraps(c, 0) and self.wraps(c, 1)):
                raise Unsupported("derivatives of far neighbours at sides")
            far = self.padded(c, pad + 2 if pad else 1)
            reach = (far.shape[0] - m) // 2
            i, j = np.arange(-pad, n + pad) + column, np.arange(-pad, m + pad) + row
            i = i % n if self.wraps(c, 1) else np.clip(i, -1, n)  # further out it equals the first ghost cell
            j = j % m if self.wraps(c, 0) else np.clip(j, -1, m)
            return far[np.ix_(j + reach, i + reach)]
        name, args = node.func.id, node.args
        if name == "conv":
            return self.convolution(*args, pad)
        if name == "div":
            return self.divergence(args[0], pad)
        if name in ("dot", "grad2"):
            a, b = (self.slopes(part, pad) for part in (args if name == "dot" else [ast.Call(ast.Name("grad"), args, [])] * 2))
            return a[0] * b[0] + a[1] * b[1]
        if name == "lap2":
            return self.operator(ast.Call(ast.Name("lap"), [ast.Call(ast.Name("lap"), args, [])], []), pad)
        if name == "lap" and self.fourth:
            second = lambda f, of: ast.Call(ast.Name(f), [of], [])  # noqa: E731
            return sum(self.operator(second(f, args[0]), pad) - h**2 / 12 * self.operator(second(f, second(f, args[0])), pad) for f in ("dxx", "dyy"))
        if name == "rusanov" or (name == "advect" and len(args) == 4):
            flow = self.rusanov if name == "rusanov" else self.limited
            return -sum(self.between_faces(way, pad, lambda *face: flow(args, way, *face)) for way in ((1, 0), (0, 1))) / h  # noqa: B023
        if name == "advect":
            a, b = self.value(args[1], pad), self.value(args[2], pad)
            return -(self.upwind(a, args[0], 1, 0, pad) + self.upwind(b, args[0], 0, 1, pad))
        if name not in "lap dx dy dxx dyy dxy dxf dxb dyf dyb sum8".split():
            raise Unsupported(name)
        u = self.ring(args[0], pad)
        sides = u(1, 0) + u(-1, 0) + u(0, 1) + u(0, -1)
        corners = u(1, 1) + u(-1, -1) + u(1, -1) + u(-1, 1) if name == "sum8" or (name == "lap" and self.isotropic) else 0
        return {
            "lap": lambda: (4 * sides + corners - 20 * u(0, 0)) / (6 * h * h) if self.isotropic else (sides - 4 * u(0, 0)) / h**2,
            "dx": lambda: (u(1, 0) - u(-1, 0)) / (2 * h), "dy": lambda: (u(0, 1) - u(0, -1)) / (2 * h),
            "dxx": lambda: (u(1, 0) + u(-1, 0) - 2 * u(0, 0)) / h**2, "dyy": lambda: (u(0, 1) + u(0, -1) - 2 * u(0, 0)) / h**2,
            "dxy": lambda: (u(1, 1) + u(-1, -1) - u(1, -1) - u(-1, 1)) / (4 * h * h),
            "dxf": lambda: (u(1, 0) - u(0, 0)) / h, "dxb": lambda: (u(0, 0) - u(-1, 0)) / h,
            "dyf": lambda: (u(0, 1) - u(0, 0)) / h, "dyb": lambda: (u(0, 0) - u(0, -1)) / h,
            "sum8": lambda: sides + corners,
        }[name]()  # fmt: skip

    def vector(self, node):
        """Splits it into gradients, as pairs (coefficient, field), and formulas of its x and y parts."""
        if isinstance(node, ast.Name) and node.id in self.model.definitions:
            return self.vector(self.model.definitions[node.id])
        if isinstance(node, ast.Call) and node.func.id == "grad":
            return [(ast.Constant(1), node.args[0])], []
        if isinstance(node, ast.Call) and node.func.id == "vec":
            return [], [tuple(node.args)]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self.vector(ast.BinOp(ast.Constant(-1), ast.Mult(), node.operand))
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            right = node.right if isinstance(node.op, ast.Add) else ast.UnaryOp(ast.USub(), node.right)
            return tuple(a + b for a, b in zip(self.vector(node.left), self.vector(right)))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
            ((_, of),), _ = self.vector(node.right)
            return [(tuple(entry for row in node.left.elts for entry in row.elts), of)], []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for vector, factor in ((node.right, node.left), (node.left, node.right)):
                try:
                    gradients, pairs = self.vector(vector)
                except Unsupported:
                    continue
                times = lambda a: ast.BinOp(factor, ast.Mult(), a)  # noqa: E731, B023
                return [(times(c), f) for c, f in gradients], [(times(a), times(b)) for a, b in pairs]
        raise Unsupported("a vector " + ast.dump(node))

    def divergence(self, node, pad):
        gradients, pairs = self.vector(node)
        total = 0.0
        for coefficient, of in gradients:
            if self.harmonic or isinstance(coefficient, tuple):
                for way in ((1, 0), (0, 1)):
                    total = total + self.between_faces(way, pad, lambda *face: self.flux(coefficient, of, way, *face)) / self.dx**2  # noqa: B023
                continue
            d, f = self.ring(coefficient, pad, [of]), self.ring(of, pad, [coefficient])
            if (self.isotropic or self.fourth) and np.ndim(self.value(coefficient, 0)) == 0:  # a number times the Laplacian
                total = total + self.value(coefficient, 0) * self.operator(ast.Call(ast.Name("lap"), [of], []), pad)
                continue
            for way in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                total = total + (d(0, 0) + d(*way)) / 2 * (f(*way) - f(0, 0)) / self.dx**2
        for a, b in pairs:
            p, q = self.ring(a, pad), self.ring(b, pad)
            total = total + (p(1, 0) - p(-1, 0) + q(0, 1) - q(0, -1)) / (2 * self.dx)
        return total

    # --- Fluxes at faces. `before` and `behind` are the offsets of the cells beside a face.

    def between_faces(self, way, pad, flux):
        if pad:
            raise Unsupported("derivatives of fluxes")
        back = tuple(-step for step in way)
        return flux((0, 0), way) - flux(back, (0, 0))

    def repeated(self, cells, of, turned=False):
        """Returns a function of an offset of a neighbour of values whose ghost cells repeat the edge, or are mirrored with the
        opposite sign where `of` is mirrored."""
        names = [c for c in self.model.fields if self.names(of, c)]
        padded, mask = np.array(cells), self.shape
        for axis, sides in ((1, ("left", "right")), (0, ("top", "bottom"))):
            width = [(1, 1) if i == axis else (0, 0) for i in (0, 1)]
            around = all(self.wraps(c, axis) for c in names)
            padded = np.pad(padded, width, mode="wrap" if around else "edge")
            mask = None if mask is None else np.pad(mask, width, mode="wrap" if around else "edge")
            if around or not turned:
                continue
            if not isinstance(of, ast.Name) or of.id not in self.state:
                raise Unsupported("the slope of a formula along a side")
            for end, side in zip((0, -1), sides):
                ghosts = np.moveaxis(padded, axis, 0)[end]
                places = (np.arange(len(ghosts)) - (0 if axis == 1 else 1) + 0.5) * self.dx
                at = lambda by: self.condition(of.id, side, places + by * self.dx, self.time.get(of.id, self.t), {})  # noqa: E731, B023
                try:
                    kind, *numbers = at(0)
                except KeyError:
                    raise Unsupported("a slope along a side whose condition has values of the cell") from None
                factor = {"flux": -1.0, "value": -1.0, "zero": 0.0}.get(kind)
                if factor is None:
                    value, flux, _ = numbers
                    factor = (flux / self.dx - value / 2) / (flux / self.dx + value / 2)
                ghosts *= factor
                if kind == "value":
                    ghosts += 2 * (at(1)[1] - at(-1)[1])

        def at(way):
            rows, columns = slice(1 + way[1], self.ny + 1 + way[1]), slice(1 + way[0], self.nx + 1 + way[0])
            there = padded[rows, columns]
            return there if mask is None else np.where(mask[rows, columns], there, -cells if turned and way != (0, 0) else cells)

        return at

    def open(self, way, of):
        """Tells which cells have a neighbour inside this way; beyond a side it is that of the cell itself."""
        names, mask = [c for c in self.model.fields if self.names(of, c)], self.shape
        for axis in (0, 1):
            width = [(1, 1) if i == axis else (0, 0) for i in (0, 1)]
            mask = np.pad(mask, width, mode="wrap" if all(self.wraps(c, axis) for c in names) else "edge")
        return mask[1 + way[1] : self.ny + 1 + way[1], 1 + way[0] : self.nx + 1 + way[0]] * 1.0

    def flux(self, coefficient, of, way, before, behind):
        """The flux of a gradient's coefficient, or of a tensor's four entries, times the gradient."""
        entries = coefficient if isinstance(coefficient, tuple) else [coefficient, None, None, coefficient]
        across, along = (entries[0], entries[1]) if way == (1, 0) else (entries[3], entries[2])
        d, u = self.ring(across, 0), self.ring(of, 0)
        p, q = (np.broadcast_to(d(*place), (self.ny, self.nx)) for place in (before, behind))
        with np.errstate(all="ignore"):
            mean = np.where(p + q == 0, 0, 2 * p * q / (p + q)) if self.harmonic else (p + q) / 2
        flux = mean * (u(*behind) - u(*before))
        if along is None or (isinstance(along, ast.Constant) and along.value == 0):
            return flux
        slope = self.repeated(u(way[1], way[0]) - u(-way[1], -way[0]), of, True)
        m = self.ring(along, 0)
        return flux + (m(*before) + m(*behind)) / 8 * (slope(before) + slope(behind))

    def limited(self, args, way, before, behind):
        """The flux of advect(u, a, b, LIMITER)."""
        of, wind = args[0], args[1 if way == (1, 0) else 2]
        u, a = self.ring(of, 0), self.ring(wind, 0)
        p, q = u(0, 0) - u(-way[0], -way[1]), u(*way) - u(0, 0)
        with np.errstate(all="ignore"):
            slope = np.where(np.abs(p) < np.abs(q), p, q) / 2 if args[3].id == "minmod" else p * q / (p + q)
        slope = self.repeated(np.where((p > 0) & (q > 0) | (p < 0) & (q < 0), slope, 0), of)
        speed = (a(*before) + a(*behind)) / 2
        if self.shape is not None and not self.has_edge(of):
            other = behind if before == (0, 0) else before
            speed = speed * self.open(other, of)
        return np.maximum(speed, 0) * (u(*before) + slope(before)) + np.minimum(speed, 0) * (u(*behind) - slope(behind))

    def rusanov(self, args, way, before, behind):
        """The flux of rusanov(u, F, G, s)."""
        u, f, s = (self.ring(of, 0) for of in (args[0], args[1 if way == (1, 0) else 2], args[3]))
        return (f(*before) + f(*behind) - np.maximum(s(*before), s(*behind)) * (u(*behind) - u(*before))) / 2

    def slopes(self, node, pad):
        gradients, pairs = self.vector(node)
        x = sum(self.value(a, pad) for a, _ in pairs)
        y = sum(self.value(b, pad) for _, b in pairs)
        for coefficient, of in gradients:
            c, f = self.value(coefficient, pad), self.ring(of, pad)
            x, y = x + c * (f(1, 0) - f(-1, 0)) / (2 * self.dx), y + c * (f(0, 1) - f(0, -1)) / (2 * self.dx)
        return x, y

    def upwind(self, a, of, column, row, pad):
        u = self.ring(of, pad)
        return np.where(a > 0, a * (u(0, 0) - u(-column, -row)), a * (u(column, row) - u(0, 0))) / self.dx

    def wind(self, node, pad):
        """Returns up(a)*dx(u) if it is among the factors of a product, else None."""
        factors, left = [], [node]
        while left:
            part = left.pop()
            if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mult):
                left += [part.left, part.right]
            elif isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub):
                left += [ast.Constant(-1), part.operand]
            else:
                factors.append(part)
        found = [(f.func.id, f) for f in factors if isinstance(f, ast.Call) and f.func.id in ("up", "dx", "dy")]
        calls = dict(found)
        if "up" not in calls:
            return None
        if len(found) > 2:
            raise Unsupported("several derivatives beside up, where the order of the products decides")
        self.require_near(pad)
        slope = calls.get("dx", calls.get("dy"))
        column, row = (1, 0) if "dx" in calls else (0, 1)
        result = self.upwind(self.value(calls["up"].args[0], pad), slope.args[0], column, row, pad)
        for factor in factors:
            if factor not in (calls["up"], slope):
                result = result * self.value(factor, pad)
        return result

    # --- Steps

    def rate(self, state, t):
        self.state, self.t = state, t
        return {c: self.whole(self.value(f, 0)) for c, f in self.model.rates.items()}

    def legendre(self, s, k1, after):
        """RKL2 of Meyer, Balsara & Aslam (2014), in terms of slopes: the state of a stage is the start + dt * slope."""
        b = lambda j: (j * j + j - 2) / (2 * j * (j + 1)) if j > 1 else 1 / 3  # noqa: E731
        w, t, dt = 4 / (s * s + s - 2), self.t, self.dt
        before, slope, times = {c: 0 * k1[c] for c in k1}, {c: b(1) * w * k1[c] for c in k1}, [0, b(1) * w]
        for j in range(2, s + 1):
            mu, nu = (2 * j - 1) / j * b(j) / b(j - 1), -(j - 1) / j * b(j) / b(j - 2)
            k = self.rate(after(slope, 1), t + times[-1] * dt)
            first = (b(j - 1) - 1) * mu * w
            before, slope = slope, {c: mu * slope[c] + nu * before[c] + mu * w * k[c] + first * k1[c] for c in k1}
            times.append(mu * times[-1] + nu * times[-2] + mu * w + first)
        return after(slope, 1)

    def implicit(self, old, share, k1):
        """Solves for the end of a step of a linear model. The rates are affine in it: their matrix is made of single cells."""
        names, cells, dt, t, dtype = list(old), self.nx * self.ny, self.dt, self.t, self.dtype
        if cells * len(names) > 600 or self.model.nexts:
            raise Unsupported("too many cells to solve for")
        self.dtype = np.float64

        def rate(flat):
            k = self.rate({c: part.reshape(self.ny, self.nx) for c, part in zip(names, np.split(flat, len(names)))}, t + dt)
            return np.concatenate([np.ravel(k[c]).astype(np.float64) for c in names])

        base = rate(np.zeros(cells * len(names)))
        matrix = np.stack([rate(unit) - base for unit in np.eye(cells * len(names))], axis=1)
        right = np.concatenate([np.ravel(old[c] + (1 - share) * dt * k1[c]).astype(np.float64) for c in names]) + share * dt * base
        new = np.linalg.solve(np.eye(len(right)) - share * dt * matrix, right)
        self.dtype = dtype
        return {c: part.reshape(self.ny, self.nx).astype(dtype) for c, part in zip(names, np.split(new, len(names)))}

    def advance(self, steps=1):
        for _ in range(steps):
            old, t, dt = {c: self.state[c] for c in self.model.order}, self.t, self.dt
            self.shape = self.mask()  # of the step's start
            if not self.keeps_globals or self.step % self.global_every == 0:
                self.globals, self.at_start, self.keeps_globals = {}, (old, t), True
            after = lambda k, share: {**old, **{c: old[c] + share * dt * k[c] for c in k}}  # noqa: E731, B023
            k1 = self.rate(old, t)
            nexts = {c: self.whole(self.value(f, 0)) for c, f in self.model.nexts.items()}
            if nexts and self.model.rates and self.stepper != "euler":
                raise Unsupported("maps beside rates")
            if self.stepper == "euler":
                new = after(k1, 1)
            elif self.stepper == "heun":
                k2 = self.rate(after(k1, 1), t + dt)
                new = after({c: (k1[c] + k2[c]) / 2 for c in k1}, 1)
            elif self.stepper == "midpoint":
                new = after(self.rate(after(k1, 0.5), t + dt / 2), 1)
            elif self.stepper == "rk4":
                k2 = self.rate(after(k1, 0.5), t + dt / 2)
                k3 = self.rate(after(k2, 0.5), t + dt / 2)
                k4 = self.rate(after(k3, 1), t + dt)
                new = after({c: (k1[c] + 2 * k2[c] + 2 * k3[c] + k4[c]) / 6 for c in k1}, 1)
            elif self.stepper == "ab2":
                # The first step, and that after each change of the rates, is Euler's.
                w = dt / self.past[0] if self.past else 0
                new = after({c: (1 + w / 2) * k1[c] - w / 2 * (self.past[1][c] if w else 0) for c in k1}, 1)
                self.past = (dt, k1)
            elif self.stepper in TABLEAUS:
                rows, k = TABLEAUS[self.stepper], []
                for row in rows[:-1]:
                    state = after({c: sum(a * e[c] for a, e in zip(row, k)) for c in k1}, 1) if row else old
                    k.append(self.rate(state, t + sum(row) * dt))
                new = after({c: sum(a * e[c] for a, e in zip(rows[-1], k)) for c in k1}, 1)
            elif self.stepper.startswith("rkl2"):
                new = self.legendre(int(self.stepper.partition(":")[2] or 9), k1, after)
            elif self.stepper in ("implicit", "crank-nicolson"):
                new = self.implicit(old, 1 if self.stepper == "implicit" else 0.5, k1)
            elif self.stepper == "symplectic":
                new, self.t = dict(old), t
                for c, f in self.model.rates.items():
                    self.state = new
                    new = {**new, c: new[c] + dt * self.whole(self.value(f, 0))}
                    self.time = {**self.time, c: t + dt}
            else:
                raise Unsupported(self.stepper)
            new |= nexts
            if self.shape is not None:
                new = {c: np.where(self.shape, new[c], old[c]) for c in new}
            self.state, self.time, self.step, self.t = new, {}, self.step + 1, t + dt
