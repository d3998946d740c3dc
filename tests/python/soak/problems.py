"""Random valid problems; Problem(seed) is deterministic."""

import pathlib
import random
import re
import struct
import zlib

COMPONENTS = ["u", "v", "w", "c"]
SIZES = [(37, 29), (64, 48), (17, 33), (5, 40), (128, 31), (1, 50), (50, 1), (2, 2), (3, 7), (100, 64), (1, 1), (300, 20), (65, 65)]
NEWER_STEPPERS = ["ab2", "ab2", "bs32", "dp54", "rkl2:3", "rkl2:6"]
LARGE = [(1000, 3), (3, 1000), (65, 700), (700, 65), (1000, 1200), (2048, 33), (513, 257), (1, 4000)]


PICTURE, TABLE = "soak.png", "soak.csv"


def at_words(events):
    return [word for step, name, value in events for word in ("--at", f"{step}:{name}={value}")]


class Problem:
    def __init__(self, seed, large=False, events=True):
        self.seed, self.r = seed, random.Random(seed)
        r = self.r
        self.large = large
        self.nx, self.ny = r.choice(LARGE if large else SIZES)
        self.steps = r.choice([2, 3, 5]) if self.nx * self.ny > 200_000 else r.choice([3, 7, 12, 20])
        self.dtype = r.choice(["float32", "float64"])
        self.lines = self.model()
        self.spell(random.Random(f"{seed} spellings"))
        self.add_solved(random.Random(f"{seed} solved"))
        self.add_convolution(random.Random(f"{seed} convolution"))
        self.add_complex(random.Random(f"{seed} complex"))
        self.add_fluxes(random.Random(f"{seed} fluxes"))
        self.arrows = None
        self.add_pictures(random.Random(f"{seed} pictures"))
        self.add_conditions(random.Random(f"{seed} conditions"))
        self.add_couplings(random.Random(f"{seed} couplings"))
        self.diffuses = False
        self.diffuse(random.Random(f"{seed} diffuses"))
        later = random.Random(f"{seed} integrators")
        self.use_stepper(later)
        self.add_words(random.Random(f"{seed} words"))
        self.make_implicit(random.Random(f"{seed} implicit"))
        self.is_steady = False
        self.make_steady(random.Random(f"{seed} steady"))
        self.spread(random.Random(f"{seed} spread"))
        # A dt that follows the limit looks at it every 32 steps. It is drawn apart, so that other problems stay.
        apart = random.Random(f"{seed} follows")
        explicit = self.stepper not in ("implicit", "crank-nicolson")
        self.dt = f"follow:{apart.choice(['0.8', '0.5', '1.1', ''])}limit" if events and apart.random() < 0.12 and explicit else None
        controlled = random.Random(f"{seed} tolerance")
        if events and self.stepper in ("bs32", "dp54") and "normal" not in self.text and controlled.random() < 0.7:
            self.dt = f"tolerance:{controlled.choice(['1e-2', '1e-3', '1e-5'])}"
        if self.dt and self.nx * self.ny < 5000:
            self.steps = apart.choice([40, 70, 100])
        self.events = self.make_events() if events and r.random() < 0.5 else []
        # Whether values of the whole field lag is drawn apart, too.
        lags = any(word in self.text for word in ("mean(", "integral(", "min(", "max("))
        self.global_every = random.Random(f"{seed} lags").choice([1, 2, 3, 5, 16]) if lags else 1
        colors = random.Random(f"{seed} colors")
        table = colors.choice(["", "magma", "vik_r", "vikO"]) + colors.choice(["", ",0:1", ",symlog:-2:3", ",percentile:5:95", ",auto,mol/L", ",0:1,K"])
        self.colors = f"{colors.choice(self.components)}={table}" if "complex" not in self.text and colors.random() < 0.3 else None
        if apart.random() < 0.3:
            self.events = [(step, name, "midpoint" if value == "heun" else value) for step, name, value in self.events]

        ends = random.Random(f"{seed} ends")
        self.events = [(step, name, ends.choice(["0", "-0.05", "3", "1e-30", value]) if name in self.parameters and ends.random() < 0.5 else value)
                       for step, name, value in self.events]  # fmt: skip
        self.until = self.ending(random.Random(f"{seed} until"))
        if self.is_steady:
            self.dt, self.events, self.until, self.global_every = None, [], None, 1
        if later.random() < 0.4:
            other = later.choice(NEWER_STEPPERS)
            self.events = [(step, name, other if value in ("heun", "rk4") else value) for step, name, value in self.events]

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    def words(self, events=None, steps=None):
        """Returns the words of the command line, without those that choose the execution. `events` and `steps` replace its own."""
        return ["--equation", self.text, "--size", f"{self.nx}x{self.ny}", "--steps", str(steps or self.steps), "--dtype", self.dtype,
                "--seed", str(self.seed), "--allow-unstable", "--allow-overflow", *at_words(self.events if events is None else events),
                *(["--until", self.until] if isinstance(self.until, str) else []),
                *[word for name, value in self.settings().items() for word in ("--" + name.replace("_", "-"), str(value))]]  # fmt: skip

    def settings(self):
        """Returns the settings that are not in the text, by their names in Python, where they are not the usual ones."""
        all = {"dt": self.dt, "arrows": self.arrows, "colors": self.colors, "global_every": self.global_every if self.global_every > 1 else None}
        return {name: value for name, value in all.items() if value}

    # --- Formulas. `d` is the remaining depth.

    def pick(self, *weighted):
        total = self.r.random() * sum(w for w, _ in weighted)
        for weight, choice in weighted:
            total -= weight
            if total < 0:
                return choice
        return weighted[-1][1]

    def atom(self):
        r = self.r
        return self.pick(
            (50, lambda: r.choice(self.components)),
            (12, lambda: r.choice(["0.1", "2", "0.5", "3", "1e-3", "0.25", "1.5", "7", "0.3333333333333333", "pi", "1e4"])),
            (8, lambda: r.choice(self.parameters or ["4"])),
            (7, lambda: r.choice(["x", "y", "t", "step", "dt", "dx", "x/Lx", "y/Ly", "nx", "sin(x*y/Lx)"])),
            (8, lambda: r.choice(self.definitions or self.components)),
            (6, lambda: "{}[{:+d},{:+d}]".format(r.choice(self.components), r.randint(-2, 2), r.randint(-2, 2))),
            (3 * self.noise, lambda: r.choice(["random", "normal"])),
        )()

    def field(self, d):
        """Returns an operand for a derivative, which must not be a number."""
        c = self.r.choice(self.components)
        return self.pick((54, c), (12, f"{c}^{self.r.choice([2, 3])}"), (6, f"{c}*{self.r.choice(self.components)}"), (6, f"sin({c})"), (4, f"x*{c}"), (6, f"{self.r.choice(['lap', 'dx', 'dyy', 'dy'])}({c})"), (14 * (d > 0), f"({self.formula(d - 1)} + {c})"))

    def condition(self, d):
        r = self.r
        one = f"{self.formula(d - 1)} {r.choice(['<', '>', '<=', '>=', '==', '!='])} {self.formula(d - 1)}"
        if r.random() < 0.2:
            one = f"({one} {r.choice(['and', 'or'])} {self.formula(d - 1)} < {r.choice(['0.5', '0.1', 'x'])})"
        return f"not ({one})" if r.random() < 0.1 else f"{one}"

    def formula(self, d):
        r = self.r
        if d <= 0 or r.random() < 0.15:
            return self.atom()
        f = lambda: self.formula(d - 1)  # noqa: E731
        bounded = lambda: f"(1 + abs({f()}))"  # noqa: E731
        return self.pick(
            (34, lambda: f"({f()} {r.choice('+-')} {f()})"),
            (20, lambda: f"{f()}*{f()}"),
            (4, lambda: f"{f()}/(2 + ({f()})^2)"),
            (5, lambda: r.choice([f"({f()})^{r.choice([2, 3, 4, 5])}", f"{bounded()}^{r.choice(['0.5', '1.7', '(-1)', '(-2)', *self.parameters])}",
                                  f"sqrt(abs({f()}))", f"log{bounded()}", f"exp(sin({f()}))"])),  # fmt: skip
            (3, lambda: f"-{self.atom()}"),
            (9, lambda: "{}({})".format(r.choice("sin cos tanh abs floor ceil round sign heaviside atan".split()), f())),
            (2, lambda: "{}({}, {})".format(r.choice(["min", "max", "atan2"]), f(), f())),
            (1, lambda: f"mod({f()}, 2.5)"),
            (5, lambda: f"where({self.condition(d)}, {f()}, {f()})"),
            (2, lambda: f"ind({self.condition(d)})"),
            (14, lambda: "{}({})".format(r.choice("lap lap lap dx dy dxx dyy dxy dxf dxb dyf dyb sum8 grad2 lap2".split()), self.field(d - 1))),
            (4, lambda: f"div({self.vector(d - 1)})"),
            (1, lambda: f"dot({self.vector(d - 1)}, {self.vector(d - 1)})"),
            (2, lambda: f"(-up({self.field(d - 1)})*{r.choice(['dx', 'dy'])}({r.choice(self.components)}))"),
        )()

    def vector(self, d):
        gradient = f"{self.r.choice(['', '', '0.3*', self.field(d) + '*'])}grad({self.field(d)})"
        return self.pick((70, gradient), (15, f"{gradient} - {self.field(d)}*grad({self.field(d)})"), (15, f"vec({self.field(d)}, {self.field(d)})"))

    # --- Statements

    def model(self):
        r = self.r
        self.components = COMPONENTS[: r.choice([1, 1, 2, 2, 3, 4])]
        self.stepper = r.choice(["euler", "euler", "heun", "rk4", "symplectic", "imex", "map", "map beside"])
        self.noise = r.random() < 0.25
        self.parameters, self.definitions, lines = [], [], []
        for p in ["F", "K"][: r.randint(0, 2)]:
            lines.append(f"{p} = {r.choice(['0.3', '1.25', '0.01', '2'])}{r.choice([' in [0, 3]', ''])}")
            self.parameters.append(p)
        for i in range(r.randint(0, 2)):
            lines.append(f"q{i} = {self.formula(3)}")
            self.definitions.append(f"q{i}")
        for c in self.components:
            rate = f"{r.choice(['sin', 'tanh'])}({self.formula(4)})"
            if self.stepper == "map" or (self.stepper == "map beside" and c == self.components[-1] != "u"):
                lines.append(f"{c}' = tanh(0.5*{c} + {r.choice(['0.1*', ''])}{rate})")
            else:
                linear = {"imex": "0.7*lap({0}) - 0.05*lap2({0}) - 0.3*{0}"}.get(self.stepper, r.choice(["0.1*lap({0})", "0.1*lap({0})", "F*lap({0})/20", "0"]))
                lines.append(f"d{c}/dt = {linear.format(c).replace('F*', 'F*' if 'F' in self.parameters else '')} + {r.choice(['', '0.1*', '0.01*'])}{rate}")
        if not self.stepper.startswith("map"):
            lines.append(f"integrator = {self.stepper}")
        lines += [f"dt = {r.choice(['0.01', '0.0625', '0.001'])}", f"dx = {r.choice(['1', '0.5', '2', '0.7'])}"]
        if r.random() < 0.2:
            lines.append("laplacian = isotropic")
        lines += self.sides()
        if self.stepper != "imex" and r.random() < 0.2:
            lines.append("inside = " + r.choice(["(x - Lx/2)^2 + (y - Ly/2)^2 < 0.2*Lx*Ly", "x > 3*dx and y < Ly - 2*dx", "x + y > 9.5*dx or x < 2*dx"]))
        starts = ["random", "random - 0.5", "sin(x*0.3)*cos(y*0.2)", "normal", "where(x < Lx/2, 1, 0)", "0.5 + 0.1*random", "exp(-((x - Lx/2)^2 + (y - Ly/2)^2)/50)"]
        return lines + [f"{c}(0) = {r.choice(starts)}" for c in self.components]

    def sides(self):
        r = self.r
        lines = [f"boundary = {r.choice(['periodic', 'insulated', 'zero'])}"]
        if self.stepper == "imex" or r.random() < 0.45:
            return lines
        for axis, ends, along in (("x", ("left", "right"), "y"), ("y", ("top", "bottom"), "x")):
            if r.random() < 0.3:
                lines.append(f"{axis}: {r.choice(['periodic', 'insulated', 'zero'])}")
                continue
            some = [c for c in self.components if r.random() < 0.7]  # the others may be periodic
            for c in some:
                for end in ends:
                    lines.append(f"{end}: " + r.choice([f"{c} = 1", f"flux({c}) = 0.1", f"{c} + 2*flux({c}) = sin({along})", f"{c} = cos({along}*0.1 + t)",
                                                        f"0.5*{c} - flux({c}) = 0.2*t", f"{c} = 0", f"flux({c}) = 0"]))  # fmt: skip
        return lines

    def spell(self, r):
        """Adds functions of other programs, and what came later. They are drawn apart, so that other problems stay."""
        if self.stepper == "heun" and r.random() < 0.4:
            self.stepper = "midpoint"
            self.lines = [line.replace("integrator = heun", "integrator = midpoint") for line in self.lines]
        if "laplacian = isotropic" not in self.lines and r.random() < 0.1:
            self.lines.append("laplacian = fourth")
        if r.random() < 0.05:
            self.lines.append("origin = -3.5, 2")
        if r.random() < 0.3:
            i = r.choice([i for i, line in enumerate(self.lines) if re.match(r"d\w+/dt|\w+' =", line)])
            c, e = r.choice(self.components), r.choice(self.components)
            self.lines[i] += " + 0.1*" + r.choice([
                f"clamp(2*{c}, -0.5, 1)", f"step(0.3, {c})", f"fmod(3*{c}, 0.7)", f"fract(2*{c})", f"trunc(3*{c})", f"mix({c}, 0.2, {e})",
                f"smoothstep(-0.4, 0.6, {c})", f"hypot({c}, {e})", f"log2(1 + abs({c}))", f"log10(2 + {e})", f"exp2(-abs({c}))", f"cbrt({c} - {e})",
                f"select({c}, {e}, isgreater({c}, 0.2))", f"select(0.2, 1, isless({c}, {e}))", f"H({c}, 0.4)", f"H({c} - {e})", f"rsqrt(1 + {c}^2)",
                f"asin(0.9*sin({c}))", f"sech({c})", f"sin(degrees({c}))", f"radians({c})", f"mad({c}, {e}, 0.3)", f"acos(0.9*cos({c}))",
            ])  # fmt: skip
        self.shape(r)

    def shape(self, r):
        """Lets the shape of `inside` move, and gives conditions at its edge."""
        at = next((i for i, line in enumerate(self.lines) if line.startswith("inside")), None)
        if at is None or r.random() < 0.4:
            return
        if r.random() < 0.3:
            self.lines[at] += r.choice([" and x > 2*dx*sin(30*t)", f" or {r.choice(self.components)} > 0.4", " and not y - 3*dx < 40*t"])
        for c in self.components:
            e = r.choice([e for e in self.components if e != c] or ["x"])
            if r.random() < 0.7:
                self.lines.append("edge: " + r.choice([
                    f"{c} = 1", f"flux({c}) = 0.1", f"flux({c}) = 0.1*{e}", f"{c} = cos(0.1*x + t)", f"{c} + 2*flux({c}) = sin(x - y + t)",
                    f"0.5*{c} - flux({c}) = 0.2*t", f"flux({c}) = 0", f"(1 + y/9)*{c} = x/20 - flux({c})*(2 + {e}^2)",
                ]))  # fmt: skip

    def use_stepper(self, r):
        """Steps by what came later. It is drawn apart, so that other problems stay."""
        if self.stepper in ("heun", "midpoint", "rk4") and r.random() < 0.5:
            other = r.choice(NEWER_STEPPERS)
            self.lines = [line.replace(f"integrator = {self.stepper}", f"integrator = {other}") for line in self.lines]
            self.stepper = other

        self.add_globals(random.Random(f"{self.seed} globals"))

    def add_globals(self, r):
        """Adds values of the whole field to rates and sides."""
        if r.random() > 0.15:
            return
        c, e = r.choice(self.components), r.choice(self.components)
        near = lambda: r.choice([f"mean({c})", f"mean({c}*{e})", f"max(abs({e}))", f"min({c})", f"integral({c})/(Lx*Ly)", f"mean(({c} - mean({c}))^2)", f"mean(x*{c})/Lx"])  # noqa: E731
        wide = lambda: r.choice([near(), f"mean(grad2({c}))", f"max(dx({c}))", f"mean({e}*lap({c}))", f"min({c}[+1,-1])"])  # noqa: E731
        for _ in range(r.choice([1, 1, 2])):
            i = r.choice([i for i, line in enumerate(self.lines) if re.match(r"d\w+/dt|\w+' =", line)])
            self.lines[i] += r.choice([f" + 0.1*{wide()}", f" - 0.1*({c} - {wide()})", f" - 0.2*{e}*{near()}", f" + 0.1*sin({wide()}*{c})"])
        at = [i for i, line in enumerate(self.lines) if re.match(r"(left|right|top|bottom): (u|flux\(u\)) = ", line)]
        if at and r.random() < 0.4:
            self.lines[r.choice(at)] += f" + 0.1*{near()}"

    def add_solved(self, r):
        """Adds a field that is solved for. Drawn apart, so that other problems stay."""
        if r.random() >= 0.1 or any(line.startswith("inside") for line in self.lines):
            return
        c = r.choice(self.components)
        left = r.choice(["lap(psi) - 0.5*psi", "lap(psi)", "F*psi - 2*lap(psi)" if "F" in self.parameters else "2*lap(psi) - psi", "lap2(psi) + psi"])
        self.lines.append(f"{left} = {r.choice(['-', '0.3*', 'sin(t) + '])}{c}{r.choice(['', '*x/Lx', ' + y', f'*{self.components[0]}'])}")
        i = r.choice([i for i, line in enumerate(self.lines) if re.match(r"d\w+/dt|\w+' =", line)])
        self.lines[i] += " + 0.1*" + r.choice(["psi", "tanh(dx(psi))", f"sin(psi)*{c}"])
        if r.random() < 0.3:
            self.lines.append(r.choice(["x", "y"]) + ": " + r.choice(["psi = 0", "psi = 1", "flux(psi) = 0"]))
        mixed = random.Random(f"{self.seed} mixed")
        if mixed.random() < 0.4:
            self.lines += self.mixed_sides(mixed, "psi", "lap2" not in left)

    def mixed_sides(self, r, c, ratios):
        """Returns conditions of any kind at both sides of some axes, `ratios` among them."""
        kinds = ["{0} = 1", "{0} = cos({1} + t)", "flux({0}) = 0", "flux({0}) = 0.1*t", *["{0} + 2*flux({0}) = sin({1})", "0.3*{0} = t - dx*flux({0})"] * ratios]
        return [f"{end}: {r.choice(kinds).format(c, along)}"
                for ends, along in (("left right", "y"), ("top bottom", "x")) if r.random() < 0.7 for end in ends.split()]  # fmt: skip

    def make_implicit(self, r):
        """Makes the rates linear and steps them implicitly. Drawn apart, so that other problems stay."""
        if r.random() >= 0.12 or self.diffuses or "complex" in self.text:
            return
        self.stepper = r.choice(["implicit", "crank-nicolson"])
        kept = [line for line in self.lines if re.match(r"\w+(\(0\))? =", line) and not re.match(r"(integrator|dt|inside|laplacian|photo|q\d|G) =|[^=]*psi", line)]
        self.definitions = []
        by_components = {c: self.mixed_sides(r, c, True) for c in self.components} if r.random() < 0.7 else {}
        for c in self.components:
            kept += by_components.get(c, [])
            source = r.choice(["", " + sin(x)*cos(t)", " + 0.1*x", " - t"])
            coupled = "" if by_components else f" + 0.2*{r.choice(self.components)}"
            kept.append(f"d{c}/dt = {r.choice(['0.7', '3', 'F' if 'F' in self.parameters else '0.02'])}*lap({c}) - 0.3*{c}{coupled}{source}")
        self.lines = [*kept, f"integrator = {self.stepper}", f"dt = {r.choice(['0.01', '0.5', '3'])}"]

    def add_convolution(self, r):
        """Adds convolutions. Drawn apart, so that other problems stay."""
        sides = [line for line in self.lines if re.match(r"(left|right|top|bottom|x|y|edge): .*=", line)]
        if r.random() >= 0.1 or any(line.startswith("inside") for line in self.lines):
            return
        free = [c for c in self.components if not any(re.search(rf"\b{c}\b", line) for line in sides)]
        if not free:
            return
        c, scale = r.choice(free), r.choice(["2", "3.5", *self.parameters])
        kernel = r.choice([f"exp(-r^2/(1 + {scale}))/20", f"ind(r < {scale})/9", f"0.1*exp(-abs(rx - 1) - {scale}*abs(ry))", "(1 + rx*ry)/(9 + r^4)", "G/integral(G)"])
        argument = r.choice([c, c, f"{c}^2", f"tanh(2*{c})", f"sin({c})"])
        if kernel.startswith("G"):
            self.lines.append(f"G = exp(-(r/dx - {r.choice(['0', '2.5'])})^2)")
        i = r.choice([i for i, line in enumerate(self.lines) if re.match(r"d\w+/dt|\w+' =", line)])
        one = f"conv({argument}, {kernel})"
        self.lines[i] += " + 0.1*" + r.choice([one, f"tanh({one})", f"{one}*{c}", f"(conv({argument}, exp(-r))/9 - {one})"])
        if "boundary = periodic" in self.lines and not any(line[:2] in ("x:", "y:") for line in self.lines) and r.random() < 0.3:
            self.lines[i] += r.choice([f" + 0.1*tanh(lap({one}))", f" + 0.1*conv({one}, exp(-2*r))"])

    def add_complex(self, r):
        """Adds a complex component. Drawn apart, so that other problems stay."""
        if r.random() >= 0.12 or "map" in self.stepper or self.stepper == "imex":
            return
        c = r.choice(self.components)
        terms = ["(0.1 + 0.2i)*lap(z)", "1i*z", "(0.3 - 1i)*abs(z)^2*z", f"1i*{c}*z", "0.1*conj(z)^2", "0.1*dx(z)*exp(1i*t)", "z*(1 - z)", "0.2i*lap(z)",
                 "0.1*z/(2 + abs(z)^2)", f"0.1i*tanh({c})", "0.1*z[+1,-1]", "0.05*advect(z, 1, -0.5)", "1i*real(z)*imag(z)", "0.1*z/(3 + z^2/(1 + abs(z)^2))",
                 f"0.1*div((1 + {c}^2)*grad(z))*1i", "0.1i*mean(z)*z", "0.1*sin(arg(z + 3))"]  # fmt: skip
        self.lines += ["complex z", "dz/dt = " + " + ".join(r.sample(terms, r.choice([2, 3, 4]))), "z(0) = 0.5*exp(1i*x/3) + 0.1i*sin(y)"]
        i = r.choice([i for i, line in enumerate(self.lines) if re.match(rf"d[{''.join(COMPONENTS)}]/dt", line)])
        self.lines[i] += " + 0.1*" + r.choice(["real(z)", "tanh(abs(z))", f"sin(imag(z))*{c}"])
        if r.random() < 0.4 and not any(re.match(r"[xy]: periodic", line) for line in self.lines) and "boundary = periodic" not in self.lines:
            self.lines.append(r.choice(["left", "top"]) + ": " + r.choice(["z = 1 + 0.5i", "flux(z) = 0.1i*sin(t)", "z + 2*flux(z) = exp(1i*t)"]))
        if any(line.startswith("inside") for line in self.lines) and r.random() < 0.6:
            self.lines.append("edge: " + r.choice(["z = 0.2 - 1i", "flux(z) = 0.1i*x", f"flux(z) = (0.1 + 0.2i)*{c}"]))

    def add_fluxes(self, r):
        """Adds harmonic means, tensors of diffusion and limited advection. Drawn apart, so that other problems stay."""
        if r.random() >= 0.15:
            return
        if r.random() < 0.4:
            self.lines.append("mean = harmonic")
        c, e = r.choice(self.components), r.choice(self.components)
        i = r.choice([i for i, line in enumerate(self.lines) if re.match(r"d\w+/dt|\w+' =", line)])
        for _ in range(r.choice([1, 1, 2])):
            self.lines[i] += " + 0.1*" + r.choice([
                f"advect({c}, 0.7, -0.4, vanleer)", f"advect({c}, {e}, 0.3, minmod)", f"advect({c}, y/Ly - 0.5, sin(x), vanleer)", f"advect({c}, 0, {e} - x/Lx, minmod)",
                f"div([[1, 0.3], [0.3, 0.5]]*grad({c}))", f"div([[1 + {e}^2, 0.2*{e}], [0.2*{e}, 0.7]]*grad({c}))", f"div([[x/Lx, 0], [sin(y), 1]]*grad({c}))",
                f"div((0.1 + {e}^2)*grad({c}))", f"div(where(x < 3*dx, 0, 1)*grad({c}))", f"rusanov({c}, {c}^2/2, sin({e}), 1 + abs({c}))", f"rusanov({c}, {e}*{c}, x/Lx, abs({e}))",
            ])  # fmt: skip

    def add_pictures(self, r):
        """Adds channels of a picture, at places of their own too, and arrows of formulas. Drawn apart, so that other problems stay."""
        if r.random() < 0.15:
            self.arrows = r.choice(["dx({0}),-dy({0})", "{0},0", "gradient", "{0}*{1},sin({1})"]).format(r.choice(self.components), r.choice(self.components))
        if r.random() >= 0.12:
            return
        channel = lambda: r.choice(["", ", red", ", green", ", blue", ", alpha"])  # noqa: E731
        c = r.choice(self.components)
        self.lines.append(f'photo = image("{PICTURE}"{channel()})')
        i = r.choice([i for i, line in enumerate(self.lines) if re.match(r"d\w+/dt|\w+' =", line)])
        self.lines[i] += " + 0.1*" + r.choice(["photo", f"photo*{c}", "photo(x + 2*dx, y/2)", f"photo(x, Ly - y)*{c}", "sin(photo(y, x))", f'image("{PICTURE}"{channel()})'])
        if r.random() < 0.3:
            self.lines = [f"{c}(0) = photo(x/2, y)" if line.startswith(f"{c}(0)") else line for line in self.lines]

    def add_words(self, r):
        """Adds erf, functions of the text's own, a table and an equation of second order in time. Drawn apart, so that other problems stay."""
        if r.random() >= 0.25 or self.diffuses:
            return
        c, e = r.choice(self.components), r.choice(self.components)
        rates = [i for i, line in enumerate(self.lines) if re.match(rf"d[{''.join(COMPONENTS)}]/dt|\w+' =", line)]
        for _ in range(r.choice([1, 1, 2])):
            term = r.choice([f"erf(2*{c})", f"erf({c} - {e})*x/Lx", f"own({c}, {e})", f"own(own({e}, 0.3), {c}^2)", f'table("{TABLE}", 9*t)*{c}', f'table("{TABLE}", x/Lx)', f'table("{TABLE}", {c})'])
            self.lines[r.choice(rates)] += f" + 0.1*{term}"
        if "own(" in self.text:
            names = r.choice([("a", "b"), ("v", "u"), ("x", "c")])
            self.lines.append("own({0}, {1}) = ".format(*names) + r.choice(["erf({0})/(1 + {1}^2)", "{0}*cos({1}) - 0.1*{1}", "sin({0} - t)*tanh({1})"]).format(*names))
        at = [i for i, line in enumerate(self.lines) if re.match(r"(left|right|top|bottom): (u|flux\(u\)) = ", line)]
        if at and r.random() < 0.4:
            self.lines[r.choice(at)] += r.choice([" + 0.1*erf(t)", f' + table("{TABLE}", 20*t)'])
        if "map" in self.stepper or self.stepper == "imex":
            return
        if r.random() < 0.3:
            i = r.choice(rates)
            self.lines[i] = "2*" + self.lines[i]
        if r.random() < 0.3:
            self.lines += [f"2*h_tt + 0.1*h_t = 0.5*lap(h) - h + 0.1*{c}", "h(0) = 0.2*sin(x/3)", "h_t(0) = 0.1"]
            i = r.choice(rates)
            self.lines[i] += f" + 0.1*{r.choice(['h', 'h_t', 'h*h_t'])}"

    def add_conditions(self, r):
        """Spells conditions at sides and edges in other ways and orders. Drawn apart, so that other problems stay."""
        for i, line in enumerate(self.lines):
            m = re.match(r"(left|right|top|bottom|edge): ([^=]*)=", line)
            c = m and next((c for c in self.components if re.search(rf"\b{c}\b", m[2])), None)
            if c and r.random() < 0.25:
                self.lines[i] = f"{m[1]}: {self.spelt_condition(r, c)}"

    def add_couplings(self, r):
        """Adds to sides what is taken in the cell, and a second condition where a rate has lap2. Drawn apart, so that other problems stay."""
        if r.random() >= 0.3 or self.stepper == "imex":
            return
        for i, line in enumerate(self.lines):
            m = re.match(r"(left|right|top|bottom): ([^=]*)=", line)
            c = m and next((c for c in self.components if re.search(rf"\b{c}\b", m[2])), None)
            if c and r.random() < 0.6:
                e, f = r.choice(self.components), r.choice(self.components)
                self.lines[i] = f"{m[1]}: " + r.choice([
                    f"flux({c}) = -0.1*{e}", f"flux({c}) = 0.2 - 0.1*tanh({c})^3", f"{c} = 0.5*tanh({e}*{f})", f"{c} + 2*flux({c}) = sin({e} + t)", f"(1 + tanh({e})^2)*{c} = x/20 - flux({c})",
                    f"0.1*{c}/(1 + {c}^2) + flux({c}) = 0", f"flux({c}) = sin({e})*{c}/9", f"{c} = t + 0.1*sin({f})*{c}*{e}", f"flux({c}) = 0.1*({e} - {c})",
                ])  # fmt: skip
        if r.random() < 0.3 and "map" not in self.stepper and not any(line.startswith("laplacian") for line in self.lines):
            c = r.choice(self.components)
            i = next(i for i, line in enumerate(self.lines) if line.startswith(f"d{c}/dt"))
            self.lines[i] = f"d{c}/dt = {r.choice(['-0.01*lap2({0})', '-0.01*lap(lap({0}))', '0.01*lap(tanh({0}) - lap({0}))']).format(c)}"
            self.lines = [line for line in self.lines if not re.match(r"(left|right|top|bottom|x|y)\b.*:", line)]
            value, flux = r.choice(["0", "0.1*x*y/(Lx + Ly)", "sin(t)"]), r.choice(["0", "0.1", "-0.1*x/Lx"])
            both = [f"{c} = {value}", f"flux({c}) = {flux}"]
            side = r.choice(["all", "left, right", "top, bottom"])
            self.lines += [f"{side}: {one}" for one in r.sample(both, 2)] + ["all: flux({0}) = 0".format(e) for e in self.components if e != c or side != "all"]

    def spelt_condition(self, r, c):
        functions = ["exp(-abs({0}))", "sqrt(abs({0}))", "log(1 + abs({0}))", "(1 + abs({0}))^1.5", "sin({0})", "tanh({0})", "abs({0})", "{0}*{1}", "({0} + {1})", "({0} - {1})",
                     "{0}/(1 + abs({1}))", "max({0}, {1})", "min({0}, {1})", "1/(1 + exp(-tanh({0})))", "(-{0})", "hypot({0}, {1})"]  # fmt: skip

        def known(d):
            return r.choice(functions).format(known(d - 1), known(d - 1)) if d else r.choice(["x", "y", "t", "Lx", "Ly", "0.3", "2", "dx", *self.parameters])

        def term(of):
            factor = f"(0.5 + abs({known(1)}))"
            return r.choice(["{1}", "{0}*{1}", "{1}*{0}", "{1}/{0}", "{0}*({0}*{1})", "(-(-{1}*{0}))", "2*({1} + {0}*{1})"]).format(factor, of)

        left = [term(of) for of in r.choice([[c], [f"flux({c})"], [c, f"flux({c})"]])]
        right = [r.choice(["{0}", "{0}/3", "{0}*2", "2*{0}", "{0}/(1 + exp(-t))"]).format(known(2)) for _ in range(r.choice([0, 1, 1, 2]))]
        r.shuffle(left)
        sides = [" + ".join(left), " + ".join(right) or "0"]
        if right and r.random() < 0.3:
            sides = [f"{sides[0]} - ({sides[1]})", "0"]
        return " = ".join(sides if r.random() < 0.7 else sides[::-1])

    def diffuse(self, r):
        """Makes it the built-in diffusion, also of coefficients that are 0, negative or tiny. Drawn apart, so that other problems stay."""
        if r.random() >= 0.06:
            return
        self.diffuses, self.components, self.parameters, self.definitions, self.noise = True, ["u"], ["F"], [], False
        self.stepper, self.arrows, self.dt = "euler", None, None
        self.lines = [f"F = {r.choice(['0', '0', '0.3', '-0.05', '1', '1e-30', '1e-320', '1e-12'])}", f"du/dt = {r.choice(['F*lap(u)', '-F*(-lap(u))', 'lap(u)*F/2', '0.5*F*lap(u)'])}",
                      "dx = 1", f"dt = {r.choice(['0.01', '0.0625', '0.2'])}", f"boundary = {r.choice(['periodic', 'insulated', 'zero'])}", f"u(0) = {r.choice(['random - 0.5', 'sin(x*0.3)*cos(y*0.2)', '1'])}"]  # fmt: skip

    def make_steady(self, r):
        """Makes it a text in which nothing evolves: `u` is solved for. Drawn apart, so that other problems stay."""
        if r.random() >= 0.05:
            return
        self.is_steady, self.diffuses, self.stepper, self.arrows = True, True, "euler", None
        self.components, self.parameters, self.definitions, self.noise = ["u"], [], [], False
        left = r.choice(["lap(u) - 0.3*u", "lap(u) - u/7", "2*dxx(u) + dyy(u) - 0.1*u", "lap(u) - 0.05*lap2(u) - 0.2*u"])
        right = r.choice(["sin(x/3)*y/Ly", "0.1*x - cos(y)", "ind(x < Lx/2)", "exp(-(x - Lx/2)^2/9) - 0.2"])
        self.lines = [r.choice([f"{left} = {right}", f"0 = {left} - ({right})"]), f"dx = {r.choice(['1', '0.5', '1.7'])}"]
        self.residual = f"du/dt = {left} - ({right})"
        two = [r.choice([(f"{a}: u = 0.1*{c}", f"{b}: u = 1"), (f"{a}: flux(u) = 0.2", f"{b}: flux(u) = 0"), (f"{a}: u = 0.3", f"{b}: flux(u) = {c}/9"), (f"{a}, {b}: periodic",)])
               for a, b, c in (("left", "right", "y"), ("top", "bottom", "x"))]  # fmt: skip
        self.lines += [side for sides in two for side in sides] if "lap2" not in left else [f"boundary = {r.choice(['periodic', 'insulated'])}"]

    def spread(self, r):
        """Varies a parameter in space, as the window spreads it. Drawn apart, so that other problems stay."""
        if r.random() >= 0.12 or not self.parameters or self.diffuses:
            return
        name = r.choice(self.parameters)
        i = next(i for i, line in enumerate(self.lines) if line.startswith(f"{name} = "))
        value = self.lines[i].split(" in ")[0].removeprefix(f"{name} = ")
        first, last, along = r.choice([("left", "right", "x/Lx"), ("top", "bottom", "y/Ly")])
        self.lines[i] = f"{name} = {name}_{first} + ({name}_{last} - {name}_{first})*{along}"
        self.lines += [f"{name}_{first} = {value}", f"{name}_{last} = {r.choice(['0.4', '1.5', value])}"]
        self.parameters = [f"{name}_{first}" if one == name else one for one in self.parameters]

    def write_picture(self, folder="."):
        """Writes the table and the picture, of random pixels with alpha, that the text names."""
        if TABLE in self.text + str(self.events):
            pathlib.Path(folder, TABLE).write_text("at,value\n-1,0.5\n0,0\n0.25,0.7\n0.3,-0.2\n1.5,1\n")
        if PICTURE not in self.text + str(self.events):
            return
        r = random.Random(f"{self.seed} pixels")
        nx, ny = r.choice([(7, 5), (33, 64), (1, 3), (100, 20)])
        rows = b"".join(b"\0" + r.randbytes(4 * nx) for _ in range(ny))
        chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))  # noqa: E731
        png = chunk(b"IHDR", struct.pack(">IIBBBBB", nx, ny, 8, 6, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
        pathlib.Path(folder, PICTURE).write_bytes(b"\x89PNG\r\n\x1a\n" + png)

    # --- Scheduled events

    def make_events(self):
        r = self.r
        make = {
            "parameter": lambda: (r.choice(self.parameters), r.choice(["0.2", "1.5"])) if self.parameters else ("dt", "0.02"),
            "dt": lambda: ("dt", r.choice(["0.015625", "0.004", "1e-4", *(["0.9limit", "follow:0.7limit", *(["tolerance:1e-4", "tolerance:1e-2"] if self.stepper in ("bs32", "dp54") else [])] if self.dt else [])])),
            "dx": lambda: ("dx", r.choice(["0.8", "3"])),
            "boundary": lambda: ("boundary", r.choice(["periodic", "insulated", "zero"])),
            "size": lambda: ("size", r.choice(["20x31", "33x8", "9x1", f"{self.nx + 3}x{self.ny}"])),
            "dtype": lambda: ("dtype", r.choice(["float32", "float64"])),
            "integrator": lambda: (r.choice(["integrator", "stepper"]), r.choice(["euler", "heun", "rk4", "symplectic", "imex"])) if "map" not in self.stepper and "tolerance" not in str(self.dt) else ("dt", "0.03"),
            "threads": lambda: ("threads", r.choice(["1", "3"])),
            "method": lambda: ("method", r.choice(["cpu", "reference"])),
            "paint": lambda: (r.choice(["paint", "paint-" + r.choice(self.components)]), self.stroke()),
            "field": lambda: self.given_field(r.choice(self.components)),
            "equation": lambda: ("equation", "; ".join(Problem(self.seed + 1_000_000, events=False).lines)),
            "model": lambda: ("model", r.choice(["gray-scott", "wave", "diffusion", "life", "kpz"])),
        }
        kinds = [r.choice(list(make)) for _ in range(r.choice([1, 1, 2, 3, 4]))]
        steps = sorted(r.randrange(self.steps + 1) for _ in kinds)
        events = [(step, *make[kind]()) for step, kind in zip(steps, kinds)]
        # Another text may not have the components that later events name.
        others = [i for i, (_, name, _) in enumerate(events) if name in ("equation", "model")]
        return [e for i, e in enumerate(events) if not others or i <= others[0] or e[1].split("-")[0] not in ("paint", "field")]

    def ending(self, r):
        """Returns a share of the run's time, or a condition, that ends it; None: only its steps do."""
        if "map" in self.stepper or r.random() < 0.6 or any(name in ("model", "equation") for _, name, _ in self.events):
            return None
        c = r.choice(self.components)
        return r.choice([0.3, 0.5, 0.71, 1, f"max(abs({c})) > 1.5", f"mean({c}) < 0.1", f"min({c}) < -0.2 or max({c}) > 2", "steady:1e-2"])

    def given_field(self, c):
        r = self.r
        name = "field" if c == self.components[0] and r.random() < 0.5 else f"field-{c}"
        return name, r.choice([f"0.5*{c} + 0.1", f"max({c}, 0.2)", "0.3*sin(x) - 0.01*y", "0.25", "noise"])

    def stroke(self):
        r = self.r
        style = r.choice(["replace", "add"]) + r.choice(["", "-soft", "-square", "-soft-square", "-rectangle", "-fill"])
        place = lambda: f"{r.uniform(0, self.nx):.2f},{r.uniform(0, self.ny):.2f}"  # noqa: E731
        two = style.endswith("rectangle") or (not style.endswith("fill") and r.random() < 0.5)
        ends = place() + ("," + place() if two else "")
        return f"{r.choice(['1', '-0.5'])},{r.choice(['0.5', '3', '11'])},{style},{ends}"
