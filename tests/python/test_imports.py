"""Other programs' files, stepped by the program and by the plain interpreter of this file, which reads their own text."""

import json
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

STEPS = 40

# --- Formulas of either program, evaluated as they stand

TOKEN = re.compile(r"\s*(\d+\.?\d*(?:[eE][-+]?\d+)?f?|\.\d+f?|[A-Za-z_]\w*|&&|\|\||[<>=!]=|[-+*/^()<>!,\[\]])")
FUNCTIONS = {
    "sin": np.sin, "cos": np.cos, "exp": np.exp, "tanh": np.tanh, "sqrt": np.sqrt, "abs": np.abs, "fabs": np.abs,
    "min": np.minimum, "max": np.maximum, "ind": lambda a: a * 1.0, "pow": np.power, "floor": np.floor,
    "clamp": lambda a, low, high: np.minimum(np.maximum(a, low), high), "step": lambda edge, a: (a >= edge) * 1.0,
}


class Formula:
    """Evaluates a formula by recursive descent; `value(name)` gives names, `neighbour(name, dx, dy)` u[x+dx,y]."""

    def __init__(self, text, value, neighbour=None):
        self.tokens, self.at = TOKEN.findall(text), 0
        assert "".join(self.tokens) == re.sub(r"\s", "", text), text
        self.value, self.neighbour = value, neighbour

    def result(self):
        result = self.either()
        assert self.at == len(self.tokens), self.tokens[self.at :]
        return result

    def take(self, *wanted):
        if self.at < len(self.tokens) and self.tokens[self.at] in wanted:
            self.at += 1
            return self.tokens[self.at - 1]
        return None

    def either(self):
        left = self.both()
        while self.take("||"):
            left = np.logical_or(left, self.both())
        return left

    def both(self):
        left = self.comparison()
        while self.take("&&"):
            left = np.logical_and(left, self.comparison())
        return left

    def comparison(self):
        if self.take("!"):
            return np.logical_not(self.comparison())
        left = self.sum()
        compare = {"<": np.less, ">": np.greater, "<=": np.less_equal, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal}
        sign = self.take(*compare)
        return compare[sign](left, self.sum()) if sign else left

    def sum(self):
        left = self.product()
        while sign := self.take("+", "-"):
            right = self.product()
            left = left + right if sign == "+" else left - right
        return left

    def product(self):
        left = self.signed()
        while sign := self.take("*", "/"):
            right = self.signed()
            left = left * right if sign == "*" else left / right
        return left

    def signed(self):
        return -self.signed() if self.take("-") else self.power()

    def power(self):
        base = self.atom()
        return base ** self.signed() if self.take("^") else base

    def atom(self):
        if self.take("("):
            inner = self.either()
            assert self.take(")")
            return inner
        word = self.tokens[self.at]
        self.at += 1
        if not (word[0].isalpha() or word[0] == "_"):
            return float(word.rstrip("f"))
        if self.take("("):
            arguments = [self.either()]
            while self.take(","):
                arguments.append(self.either())
            assert self.take(")")
            return FUNCTIONS[word](*arguments)
        if self.take("["):
            end = self.tokens.index("]", self.at)
            across, up = "".join(self.tokens[self.at : end]).split(",")
            self.at = end + 1
            cells = [eval(place.replace("dx", "1").replace("dy", "1"), {"x": 0, "y": 0}) for place in (across, up)]
            return self.neighbour(word, *cells)
        return self.value(word)


# --- VisualPDE: y points up, so row 0 of every array here is the lowest

SIDES = {"Left": (1, 0), "Right": (1, -1), "Bottom": (0, 0), "Top": (0, -1)}  # the axis of an array, and which end


class VisualPde:
    def __init__(self, options):
        self.options = options
        self.count = int(options["numSpecies"])
        self.names = options["speciesNames"].split()[: self.count]
        cells = int(float(options["domainScale"]) / float(options["spatialStep"]) + 1e-9)
        self.shape = (1 if str(options.get("dimension", 2)) == "1" else cells, cells)
        self.dx, self.dt = float(options["domainScale"]) / cells, float(options["dt"])
        self.lengths = self.shape[1] * self.dx, self.shape[0] * self.dx
        self.steps = 0
        self.t, self.integral, self.past, self.origin = 0.0, None, None, (0.0, 0.0)
        self.parameters = {}
        for part in filter(str.strip, options.get("kineticParams", "").split(";")):
            name, _, value = part.partition("=")
            self.parameters[name.strip()] = value.split(" in ")[0]
        self.origin = [self.evaluate(str(options.get(low, "0")), []) for low in ("minX", "minY")]
        self.scheme = options.get("timesteppingScheme", "Euler")
        algebraic = int(options.get("numAlgebraicSpecies", 0))
        self.outright = range(self.count - algebraic, self.count)
        self.state = [np.broadcast_to(self.evaluate(self.of("initCond", i, "0"), []), self.shape) + 0.0 for i in range(self.count)]

    def of(self, stem, i, default):
        return str(self.options.get(f"{stem}_{i + 1}", default))

    def places(self):
        ny, nx = self.shape
        return (np.arange(nx) + 0.5)[None, :] * self.dx, (np.arange(ny) + 0.5)[:, None] * self.dx

    # The value of a formula at the cells, or where `places` are; `padded` species have a ghost cell at each end.
    def evaluate(self, text, padded, places=None, own=None):
        x, y = places or self.places()

        def shifted(i, right, up):
            ny, nx = self.shape
            return padded[i][1 + up : 1 + up + ny, 1 + right : 1 + right + nx]

        def value(name):
            known = {"x": x + self.origin[0], "y": y + self.origin[1], "t": self.t, "pi": np.pi, "dx": self.dx, "L_x": self.lengths[0],
                     "L_y": self.lengths[1], "L": max(self.lengths), "L_min": min(self.lengths)}
            if name in self.parameters:
                return self.evaluate(self.parameters[name], padded, places, own)
            if name in self.names:
                i = self.names.index(name)
                return own if own is not None else shifted(i, 0, 0)
            if name == "GlobalInt":
                return self.integral
            if name in known:
                return known[name]
            species, way = name.rsplit("_", 1)
            i = self.names.index(species)
            at = lambda right, up: shifted(i, right, up)  # noqa: E731
            h = self.dx
            return {
                "x": lambda: (at(1, 0) - at(-1, 0)) / (2 * h), "y": lambda: (at(0, 1) - at(0, -1)) / (2 * h),
                "xf": lambda: (at(1, 0) - at(0, 0)) / h, "xb": lambda: (at(0, 0) - at(-1, 0)) / h,
                "yf": lambda: (at(0, 1) - at(0, 0)) / h, "yb": lambda: (at(0, 0) - at(0, -1)) / h,
                "xx": lambda: (at(1, 0) - 2 * at(0, 0) + at(-1, 0)) / h**2,
                "yy": lambda: (at(0, 1) - 2 * at(0, 0) + at(0, -1)) / h**2,
                "xy": lambda: (at(1, 1) - at(-1, 1) - at(1, -1) + at(-1, -1)) / (4 * h**2),
            }[way]()

        return Formula(text, value, lambda name, right, up: shifted(self.names.index(name), right, up)).result()

    def conditions(self, i):
        kind = self.of("boundaryConditions", i, "periodic")
        if kind != "combo":
            value = self.of(kind + "Str", i, "0")
            return {side: (kind, value) for side in SIDES}
        found = {side: ("periodic", "0") for side in SIDES}
        for part in filter(str.strip, self.of("comboStr", i, "").split(";")):
            side, _, rest = part.partition(":")
            kind, _, value = rest.partition("=")
            found[side.strip()] = kind.strip().lower(), value or "0"
        return found

    # The cell beyond a face across which `inside` lies; the condition holds on the face.
    def beyond(self, kind, text, inside, places):
        at = lambda own: np.broadcast_to(self.evaluate(text, [], places, own), inside.shape)  # noqa: E731
        if kind == "ghost":
            return at(None)
        if kind == "dirichlet":
            return 2 * at(None) - inside
        slope = at(1.0) - at(0.0)  # of the flux in the value at the face
        return (at(0.0) + inside * (1 / self.dx + slope / 2)) / (1 / self.dx - slope / 2)

    def padded(self, state):
        padded = []
        x, y = self.places()
        for i, cells in enumerate(state):
            p = np.pad(cells, 1, mode="wrap")
            for side, (kind, text) in self.conditions(i).items():
                axis, end = SIDES[side]
                if kind == "periodic" or self.shape[axis] == 1:
                    continue
                face = 0.0 if end == 0 else self.shape[axis] * self.dx
                inside = np.take(cells, end, axis)
                places = (face, y[:, 0]) if axis == 1 else (x[0, :], face)
                ghost = self.beyond(kind, text, inside, places)
                if axis == 1:
                    p[1:-1, end] = ghost
                else:
                    p[end, 1:-1] = ghost
            padded.append(p)
        return padded

    def domain(self, padded):
        if not self.options.get("domainViaIndicatorFun"):
            return np.ones(self.shape, bool)
        value = np.broadcast_to(self.evaluate(self.options["domainIndicatorFun"], padded), self.shape)
        return value if value.dtype == bool else value > 0

    # What diffusion of species j by a coefficient adds: the flux through each of four faces.
    def diffusion(self, text, j, padded, domain):
        p, h = padded[j], self.dx
        ny, nx = self.shape
        x, y = self.places()
        periodic = all(kind == "periodic" for kind, _ in self.conditions(j).values())
        if periodic:
            d = np.pad(np.broadcast_to(self.evaluate(text, padded), self.shape), 1, mode="wrap")
        else:
            wide = (np.arange(-1, nx + 1) + 0.5)[None, :] * h, (np.arange(-1, ny + 1) + 0.5)[:, None] * h
            beyond = [np.pad(one, 1, constant_values=np.nan) for one in padded]
            with np.errstate(invalid="ignore"):
                d = np.broadcast_to(VisualPde.evaluate_wide(self, text, beyond, wide), (ny + 2, nx + 2))
        allowed = np.pad(domain, 1, constant_values=True)
        kind, value = self.conditions(j)["Left"] if not periodic else ("neumann", "0")
        here, total = p[1:-1, 1:-1], np.zeros(self.shape)
        for right, up in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            near = np.s_[1 + up : 1 + up + ny, 1 + right : 1 + right + nx]
            there = p[near]
            if not domain.all():
                faces = x + right * h / 2 + 0 * y, y + up * h / 2 + 0 * x
                edge = self.beyond(kind, value, here, faces) if kind != "periodic" else here
                there = np.where(allowed[near], there, edge)
            total += (d[1:-1, 1:-1] + d[near]) / 2 * (there - here) / h**2
        return total

    def evaluate_wide(self, text, beyond, wide):
        shape, self.shape = self.shape, (self.shape[0] + 2, self.shape[1] + 2)
        try:
            return self.evaluate(text, beyond, wide)
        finally:
            self.shape = shape

    def right_side(self, i, padded, domain):
        total = np.broadcast_to(self.evaluate(self.of("reactionStr", i, "0"), padded), self.shape)
        for j in range(self.count):
            text = self.options.get(f"diffusionStr_{i + 1}_{j + 1}", "0")
            if (i == j or self.options.get("crossDiffusion")) and text != "0":
                total = total + self.diffusion(text, j, padded, domain)
        if self.options.get("timescales"):
            total = total / self.evaluate(self.of("timescale", i, "1"), padded)
        return total

    def rates(self, state, later, domain):
        time, self.t = self.t, self.t + later
        state = list(state)
        for i in self.outright if self.scheme != "Euler" else ():
            state[i] = self.right_side(i, self.padded(state), domain)
        padded = self.padded(state)
        found = [None if i in self.outright else self.right_side(i, padded, domain) for i in range(self.count)]
        if self.scheme == "Euler":
            found = [self.right_side(i, padded, domain) if rate is None else rate for i, rate in enumerate(found)]
        self.t = time
        return found

    def step(self):
        u, dt = self.state, self.dt
        padded = self.padded(u)
        domain = self.domain(padded)
        if "globalIntegralFun" in self.options:
            cell = self.dx if self.shape[0] == 1 else self.dx**2
            self.integral = np.sum(np.broadcast_to(self.evaluate(self.options["globalIntegralFun"], padded), self.shape)[domain]) * cell
        moved = lambda k, share: [a if r is None else a + share * dt * r for a, r in zip(u, k, strict=True)]  # noqa: E731
        k1 = self.rates(u, 0, domain)
        if self.scheme == "Euler":
            new = [k1[i] if i in self.outright else u[i] + dt * k1[i] for i in range(self.count)]
        elif self.scheme == "Mid":
            new = moved(self.rates(moved(k1, 0.5), dt / 2, domain), 1)
        elif self.scheme == "AB2":
            new = moved(k1 if self.past is None else [None if a is None else 1.5 * a - 0.5 * b for a, b in zip(k1, self.past, strict=True)], 1)
        else:
            k2 = self.rates(moved(k1, 0.5), dt / 2, domain)
            k3 = self.rates(moved(k2, 0.5), dt / 2, domain)
            k4 = self.rates(moved(k3, 1), dt, domain)
            new = moved([None if a is None else (a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(k1, k2, k3, k4, strict=True)], 1)
        self.past = k1
        self.state = [np.where(domain, after, before) for before, after in zip(u, new, strict=True)]
        self.steps += 1
        self.t = self.steps * dt


def wave(k=1):
    return f"0.5 + 0.3*sin(2*pi*{k}*x/L_x)*cos(2*pi*y/L_y) + 0.1*cos(2*pi*x/L_x + 1)"


PLANE = {"numSpecies": 1, "speciesNames": "u", "domainScale": 12, "spatialStep": 0.5, "dt": 0.01, "initCond_1": wave(),
         "diffusionStr_1_1": "1", "reactionStr_1": "0"}
PAIR = {**PLANE, "numSpecies": 2, "speciesNames": "u v", "initCond_2": wave(2), "diffusionStr_2_2": "0.5", "reactionStr_2": "u - v"}

PRESETS = {
    "two species": {**PAIR, "reactionStr_1": "-u*v^2 + F*(1 - u)", "reactionStr_2": "u*v^2 - (F + k)*v",
                    "kineticParams": "F = 0.037 in [0, 0.1]; k = 2*F"},
    "cross diffusion": {**PAIR, "crossDiffusion": True, "diffusionStr_1_2": "-0.3", "diffusionStr_2_1": "0.2 + 0.1*u^2",
                        "diffusionStr_1_1": "1 + 0.3*sin(2*pi*x/L_x)", "timescales": True, "timescale_2": "2.5"},
    "an algebraic species": {**PAIR, "crossDiffusion": True, "numAlgebraicSpecies": 1, "diffusionStr_2_2": "0", "diffusionStr_2_1": "1",
                             "diffusionStr_1_1": "0", "diffusionStr_1_2": "-0.01", "reactionStr_1": "0.1*v", "reactionStr_2": "u^3 - u",
                             "dt": 0.002},
    "an algebraic species in stages": {**PAIR, "crossDiffusion": True, "numAlgebraicSpecies": 1, "diffusionStr_2_2": "0",
                                       "reactionStr_1": "-v*u", "reactionStr_2": "1 + tanh(u)", "timesteppingScheme": "RK4"},
    "values at the sides": {**PLANE, "boundaryConditions_1": "dirichlet", "dirichletStr_1": "0.02*x*y + sin(3*t)", "minX": "-L_x/2",
                            "diffusionStr_1_1": "1 + 0.5*u^2", "timesteppingScheme": "RK4"},
    "fluxes at the sides": {**PAIR, "boundaryConditions_1": "neumann", "neumannStr_1": "0.1*cos(y)", "boundaryConditions_2": "robin",
                            "robinStr_2": "a - 0.5*v", "kineticParams": "a = 0.3", "diffusionStr_1_1": "1 + 0.5*sin(3*pi*x/L_x)*cos(2*pi*y/L_y)"},
    "a condition for each side": {**PLANE, "boundaryConditions_1": "combo", "diffusionStr_1_1": "0.7",
                                  "comboStr_1": "Top: Dirichlet = x/L_x; Bottom: Neumann = t; Left: Robin = 1 - 2*u; Right: Ghost = 0.4;"},
    "periodic along one axis": {**PLANE, "boundaryConditions_1": "combo", "comboStr_1": "Top: Neumann = 0.2; Bottom: Dirichlet = 1;",
                                "reactionStr_1": "u_x + 0.5*u_xx - u_yf*u"},
    "derivatives and neighbours": {**PLANE, "reactionStr_1": "-u*u_x + 0.3*u_yb - 0.2*u_xf*u_y + 0.1*u_xy + u[x+dx,y-dy] - u[x,y+dy]"},
    "conditions": {**PLANE, "reactionStr_1": "ind(x < L_min/2 && !(y > 4)) - u*ind(u > 0.5 || t >= 0.1) + 0.1*max(u, 0.4)"},
    "a domain": {**PLANE, "domainViaIndicatorFun": True, "domainIndicatorFun": "25 - (x - 6)^2 - (y - 7)^2", "reactionStr_1": "u*(1 - u)",
                 "boundaryConditions_1": "neumann", "neumannStr_1": "0"},
    "a domain whose edge is held": {**PLANE, "domainViaIndicatorFun": True, "domainIndicatorFun": "x > 2.1 && y < 9 - x/4",
                                    "boundaryConditions_1": "dirichlet", "dirichletStr_1": "0.1*y"},
    "midpoint": {**PAIR, "timesteppingScheme": "Mid", "reactionStr_1": "-v*sin(t)", "dt": 0.02},
    "two steps": {**PAIR, "timesteppingScheme": "AB2", "reactionStr_1": "-v + exp(-u)"},
    "an integral": {**PLANE, "reactionStr_1": "1 - GlobalInt/L^2*u", "globalIntegralFun": "u^2", "globalIntegralUpdatePeriod": 1},
    "one dimension": {**PLANE, "dimension": 1, "initCond_1": "0.5 + 0.3*sin(2*pi*x/L_x)", "reactionStr_1": "u*(1 - u) - u_x"},
    "one dimension with ends": {**PLANE, "dimension": 1, "initCond_1": "x/L_x", "boundaryConditions_1": "dirichlet", "dirichletStr_1": "t"},
    "one dimension with two ends": {**PLANE, "dimension": 1, "initCond_1": "x/L_x", "boundaryConditions_1": "combo",
                                    "comboStr_1": "Left: Dirichlet = 0.2; Right: Robin = 1 - u;"},
}


def run_of(program, folder, file, names, steps=STEPS):
    program("run", "--model", file, "--steps", steps, "--dtype", "float64", "--backend", "cpu", "--threads", 1, "--export", "field.npy",
            "--quiet", "--out", folder / "out")
    one = folder / "out" / "field.npy"
    return {name: np.load(one if one.exists() else folder / "out" / f"field-{name}.npy") for name in names}


def check(name, found, expected):
    assert np.isfinite(expected).all() and found.shape == expected.shape
    assert np.abs(found - expected).max() <= 1e-12 * (1 + np.abs(expected).max()), name


@pytest.mark.parametrize("title", PRESETS)
def test_a_simulation_of_visualpde_steps_as_its_own_text_says(program, tmp_path, title):
    options = PRESETS[title]
    (tmp_path / "model.json").write_text(json.dumps(options))
    plain = VisualPde(options)
    start = [cells.copy() for cells in plain.state]
    for _ in range(STEPS):
        plain.step()
    assert np.abs(plain.state[0] - start[0]).max() > 1e-3
    kept = [name for i, name in enumerate(plain.names) if i not in plain.outright or plain.scheme == "Euler"]
    found = run_of(program, tmp_path, tmp_path / "model.json", kept)
    for name in kept:
        check(name, found[name], plain.state[plain.names.index(name)][::-1])


# --- Ready: row 0 of every array here is the lowest, too


class Ready:
    def __init__(self, text):
        root = ElementTree.fromstring(text)
        rule = root.find("RD/rule")
        low, high = np.reshape([int(n) for n in root.find("ImageData").get("WholeExtent").split()], (3, 2)).T
        self.shape = int(high[1] - low[1] + 1), int(high[0] - low[0] + 1)
        self.parameters = {one.get("name"): float(one.text) for one in rule.findall("param")}
        self.wrap = "wrap" if rule.get("wrap", "1") == "1" else "edge"
        formula = rule.find("formula")
        self.statements = [one.strip() for one in formula.text.split(";") if one.strip()]
        self.chemicals = "abcdefgh"[: int(formula.get("number_of_chemicals"))]
        self.cells = {name: np.zeros(self.shape) for name in self.chemicals}
        for overlay in root.findall("RD/initial_pattern_generator/overlay"):
            value, where = float(overlay.find("constant").get("value")), np.zeros(self.shape, bool)
            y, x = np.indices(self.shape)
            for box in overlay.iter("rectangle"):
                (x0, y0), (x1, y1) = ((float(p.get("x")), float(p.get("y"))) for p in box.iter("point3D"))
                where |= (x / self.shape[1] >= x0) & (x / self.shape[1] <= x1) & (y / self.shape[0] >= y0) & (y / self.shape[0] <= y1)
            where |= overlay.find("everywhere") is not None
            cells = self.cells[overlay.get("chemical")]
            cells[where] = cells[where] * (overlay.find("add") is not None) + value

    def value(self, name, now):
        y, x = np.indices(self.shape)
        known = {"timestep": self.parameters["timestep"], "x_pos": x / self.shape[1], "y_pos": y / self.shape[0], **self.parameters, **now}
        if name in known:
            return known[name]
        kind, chemical = name.rsplit("_", 1)
        if kind in self.chemicals:  # a_ne
            kind, chemical = chemical, kind
        p, h = np.pad(self.cells[chemical], 1, mode=self.wrap), self.parameters.get("dx", 1.0)
        at = lambda right, up: p[1 + up : 1 + up + self.shape[0], 1 + right : 1 + right + self.shape[1]]  # noqa: E731
        ways = {"n": (0, 1), "s": (0, -1), "e": (1, 0), "w": (-1, 0), "ne": (1, 1), "nw": (-1, 1), "se": (1, -1), "sw": (-1, -1)}
        if kind in ways:
            return at(*ways[kind])
        if kind == "laplacian":
            near, far = at(0, 1) + at(0, -1) + at(1, 0) + at(-1, 0), at(1, 1) + at(-1, 1) + at(1, -1) + at(-1, -1)
            return (4 * near + far - 20 * at(0, 0)) / (6 * h**2)
        if kind == "bilaplacian":
            wide, sums = np.pad(self.cells[chemical], 2, mode=self.wrap), np.zeros(self.shape)
            for up, right in np.ndindex(5, 5):
                weight = {0: 36, 1: -10, 2: -2, 4: 1, 5: 1, 8: 0}[(up - 2) ** 2 + (right - 2) ** 2]
                sums += weight * wide[up : up + self.shape[0], right : right + self.shape[1]]
            return sums / (3 * h**4)
        if kind == "sobelN":
            return at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1)
        across, up = {"x_gradient": (1, 0), "y_gradient": (0, 1)}[kind]
        return (at(across, up) - at(-across, -up)) / (2 * h)

    def step(self):
        now = {**self.cells, **{f"delta_{name}": np.zeros(self.shape) for name in self.chemicals}}
        for statement in self.statements:
            target, sign, text = re.match(r"(?:float4?\s+)?(\w+)\s*([-+*/]?)=(.*)$", statement, re.DOTALL).groups()
            value = Formula(re.sub(r"\(float4?\)", "", text), lambda name: self.value(name, now)).result()
            now[target] = eval(f"a {sign} b", {"a": now[target], "b": value}) if sign else value + np.zeros(self.shape)
        self.cells = {name: now[name] + self.parameters["timestep"] * now[f"delta_{name}"] for name in self.chemicals}


def pattern(formula, chemicals, starts, more="", wrap="1"):
    overlays = "".join(
        f'<overlay chemical="{name}"><overwrite/><constant value="{value}"/>'
        + (f'<rectangle><point3D x="{box[0]}" y="{box[1]}" z="0"/><point3D x="{box[2]}" y="{box[3]}" z="0"/></rectangle>' if box else "<everywhere/>")
        + "</overlay>"
        for name, value, box in starts
    )
    return (f'<VTKFile type="ImageData"><RD format_version="1"><rule type="formula" name="Trial" wrap="{wrap}">'
            f'<param name="timestep">0.2</param>{more}<formula number_of_chemicals="{chemicals}">{formula}</formula></rule>'
            f"<initial_pattern_generator>{overlays}</initial_pattern_generator></RD>"
            '<ImageData WholeExtent="0 31 0 23 0 0" Spacing="1 1 1"/></VTKFile>')


PATTERNS = {
    "bends": pattern("delta_a = -0.1f*bilaplacian_a - 0.2f*laplacian_a + 0.3f*a - a*a*a;", 1, [("a", 0.1, None), ("a", 0.6, (0.2, 0.3, 0.6, 0.5))]),
    "rates": pattern("delta_a = D*laplacian_a - a*b*b + F*(1.0f - a);\ndelta_b = 0.5f*D*laplacian_b + a*b*b - 0.1f*b;", 2,
                     [("a", 1, None), ("b", 0.6, (0.21, 0.33, 0.52, 0.69))], '<param name="D">0.4</param><param name="F">0.04</param>'),
    "direct assignments": pattern("float4 s = b_n*0.5f; a = clamp(a + timestep*s, 0.0f, (float4)1); delta_a = laplacian_a - a; "
                                  "b += 0.1f*a*timestep; delta_b = delta_a*0.2f;", 2,
                                  [("a", 0.3, (0.1, 0.2, 0.6, 0.7)), ("b", 0.8, (0.4, 0.1, 0.9, 0.5))], wrap="0"),
    "places and slopes": pattern("delta_a = 0.3f*laplacian_a + 0.1f*(x_pos - y_pos*y_pos) + 0.2f*y_gradient_b - x_gradient_a; c = fabs(sobelN_a)*0.1f; "
                                 "delta_b = 0.3f*laplacian_b + step(0.05f, c) - b_sw*0.1f;", 3,
                                 [("a", 0.3, (0.1, 0.2, 0.6, 0.7)), ("b", 0.8, (0.4, 0.1, 0.9, 0.5))]),
}

# Loops, arrays and choices, and the same by hand.
LOOPS = {
    "loops over arrays": ("float g[2], sum = 0.0f; g[0] = a_e - a; g[1] = a_w - a; for (int i = 0; i < 2; i++) { sum += g[i]*(i + 1); } "
                          "delta_a = 0.2f*sum + 0.1f*g[2*1 - 1]; delta_b = laplacian_b;",
                          "g = a_e - a; h = a_w - a; sum = g + 2*h; delta_a = 0.2f*sum + 0.1f*h; delta_b = laplacian_b"),
    "choices": ("delta_a = a > 0.2f ? (b > 0.5f ? -a : laplacian_a) : 0.1f*laplacian_a; "
                "if (b > 0.3f && a < 0.5f) { delta_b = -b; a += 0.01f; } else if (a > 0.1f) delta_b = 0.1f; else delta_b = laplacian_b;",
                "p = step(0.2f, a)*(1 - ind(a == 0.2f)); q = step(0.5f, b)*(1 - ind(b == 0.5f)); "
                "delta_a = p*(q*(-a) + (1 - q)*laplacian_a) + (1 - p)*0.1f*laplacian_a; r = ind(b > 0.3f && a < 0.5f); "
                "s = (1 - r)*ind(a > 0.1f); delta_b = -r*b + s*0.1f + (1 - r)*(1 - s)*laplacian_b; a += 0.01f*r"),
}


@pytest.mark.parametrize("title", LOOPS)
def test_loops_and_choices_of_ready_are_what_they_say(program, tmp_path, title):
    typed, plainly = LOOPS[title]  # few steps: near a threshold a rounding may decide
    starts = [("a", 0.3, (0.1, 0.2, 0.6, 0.7)), ("b", 0.8, (0.4, 0.1, 0.9, 0.5))]
    (tmp_path / "model.vti").write_text(pattern(typed.replace("&", "&amp;").replace("<", "&lt;"), 2, starts))
    plain = Ready(pattern(plainly.replace("&", "&amp;").replace("<", "&lt;"), 2, starts))
    start = plain.cells["a"].copy()
    for _ in range(10):
        plain.step()
    assert np.abs(plain.cells["a"] - start).max() > 1e-3
    found = run_of(program, tmp_path, tmp_path / "model.vti", plain.chemicals, 10)
    for name in plain.chemicals:
        check(name, found[name], plain.cells[name][::-1])


@pytest.mark.parametrize("title", PATTERNS)
def test_a_pattern_of_ready_steps_as_its_own_text_says(program, tmp_path, title):
    (tmp_path / "model.vti").write_text(PATTERNS[title])
    plain = Ready(PATTERNS[title])
    start = plain.cells["a"].copy()
    for _ in range(STEPS):
        plain.step()
    assert np.abs(plain.cells["a"] - start).max() > 1e-3
    found = run_of(program, tmp_path, tmp_path / "model.vti", plain.chemicals)
    for name in plain.chemicals:
        check(name, found[name], plain.cells[name][::-1])
