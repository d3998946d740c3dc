"""Turns equations of SymPy into the text that the program reads."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stencilscope import _core
from stencilscope._words import needed, text_of

#: SymPy's functions that have other names, and the same meaning, here.
_NAMES = {"Abs": "abs", "Max": "max", "Min": "min", "Mod": "mod", "ceiling": "ceil", "conjugate": "conj", "re": "real", "im": "imag"}
#: Functions that a formula may name outright, for instance ``sympy.Function("lap")(u)``.
_LAPLACIANS = {"lap", "laplace", "laplacian", "Laplacian"}
#: Those whose sum over all cells is what flows through the sides.
_DIVERGENCES = {"lap", "lap2", "div", "dx", "dy", "dxx", "dyy", "dxy"}


def _problem(sentence: str) -> ValueError:
    return ValueError(f"from_sympy: {sentence}")


class _Writer:
    """Writes expressions in x, y and t as formulas."""

    def __init__(self, sympy: Any) -> None:
        self.sympy = sympy
        self.x, self.y, self.t = self.axes = sympy.symbols("x y t")
        printing = needed("sympy.printing.str", "from_sympy")
        writer = self

        class Printer(printing.StrPrinter):  # type: ignore[misc]
            def _print_Function(self, expr: Any) -> str:
                name, arguments = expr.func.__name__, expr.args
                if expr.args and writer.is_field(expr):
                    return str(name)
                if name in _LAPLACIANS:
                    name, arguments = "lap", expr.args[:1]
                return f"{_NAMES.get(name, name)}({', '.join(map(self._print, arguments))})"

            _print_Abs = _print_Mod = _print_Function

            def _print_erfc(self, expr: Any) -> str:
                return f"(1 - erf({self._print(expr.args[0])}))"

            def _print_Heaviside(self, expr: Any) -> str:
                of, at_zero = map(self._print, (*expr.args, sympy.S.Half)[:2])  # before SymPy 1.9 the half is not an argument
                return f"heaviside({of})" if at_zero == "0" else f"where({of} == 0, {at_zero}, heaviside({of}))"

            def _print_nested(self, expr: Any) -> str:  # max and min of two
                first, *rest = map(self._print, expr.args)
                name = _NAMES[expr.func.__name__]
                return f"{name}({first}, {self._print_nested(expr.func(*expr.args[1:])) if len(rest) > 1 else rest[0]})"

            _print_Max = _print_Min = _print_nested

            def _print_Piecewise(self, expr: Any) -> str:
                (value, condition), *rest = expr.args
                if condition == sympy.true:
                    return str(self._print(value))
                other = self._print(sympy.Piecewise(*rest)) if rest else "0"
                return f"where({self._print(condition)}, {self._print(value)}, {other})"

            def _print_connected(self, expr: Any, word: str) -> str:
                return "(" + f" {word} ".join(map(self._print, expr.args)) + ")"

            def _print_And(self, expr: Any) -> str:
                return self._print_connected(expr, "and")

            def _print_Or(self, expr: Any) -> str:
                return self._print_connected(expr, "or")

            def _print_Not(self, expr: Any) -> str:
                return f"not ({self._print(expr.args[0])})"

            def _print_in_words(self, expr: Any) -> str:
                return str(self._print(expr.to_nnf(simplify=False)))

            _print_Xor = _print_Implies = _print_Equivalent = _print_ITE = _print_in_words

            def _print_Relational(self, expr: Any) -> str:
                return f"{self._print(expr.lhs)} {expr.rel_op} {self._print(expr.rhs)}"

            def _print_Float(self, expr: Any) -> str:
                return repr(float(expr))

            def _print_Exp1(self, expr: Any) -> str:
                return "exp(1)"

            def _print_ImaginaryUnit(self, expr: Any) -> str:
                return "1i"

            def _print_Pow(self, expr: Any, rational: bool = False) -> str:
                return str(super()._print_Pow(expr, rational)).replace("**", "^")

        self.printer = Printer()

    def text(self, expression: Any) -> str:
        """Writes a formula."""
        if isinstance(expression, str):
            return expression
        expression = self.sympy.sympify(expression)
        if expression.has(self.sympy.zoo, self.sympy.oo, self.sympy.nan):
            raise _problem(f"{expression} is no formula of numbers")
        if expression.has(self.sympy.Integral, self.sympy.Sum, self.sympy.Product, self.sympy.Limit):
            raise _problem(f"{expression}: for the integral over the whole field write Function('integral')(u)")
        return str(self.printer.doprint(self.gather(expression)))

    def plain(self, expression: Any) -> Any:
        """Replaces an x, y or t that has assumptions, such as ``real=True``."""
        if not isinstance(expression, self.sympy.Basic):
            return expression
        names = {axis.name: axis for axis in self.axes}
        return expression.xreplace({s: names[s.name] for s in expression.atoms(self.sympy.Symbol) if s.name in names})

    def is_field(self, function: Any) -> bool:
        """Whether a function is an unknown of x, y and t, such as u(x, y, t)."""
        undefined = isinstance(function, self.sympy.core.function.AppliedUndef)
        return undefined and function.func.__name__ not in _LAPLACIANS and set(function.args) <= set(self.axes)

    def orders(self, derivative: Any) -> tuple[int, int]:
        """Returns how often a derivative is along x and along y."""
        counts = {self.x: 0, self.y: 0}
        for variable, count in derivative.variable_count:
            if variable not in counts or not count.is_Integer:
                raise _problem(f"{derivative}: derivatives are by x and y, of whole orders; those by t stand on the left side")
            counts[variable] += int(count)
        return counts[self.x], counts[self.y]

    def gather(self, expression: Any) -> Any:
        """Replaces sums of derivatives along x and y by Laplacians, and those of fluxes by their divergence."""
        if not expression.args or self.is_field(expression):
            return expression
        if not expression.is_Add:
            arguments = [self.gather(argument) for argument in expression.args]
            if isinstance(expression, self.sympy.Derivative):
                return self._applied(arguments[0], *self.orders(expression))
            return expression.func(*arguments)
        parts: dict[Any, Any] = {}  # the derivatives of each function as a polynomial of d/dx and d/dy
        fluxes: dict[Any, Any] = {}
        rest = []
        for term in expression.args:
            factor, derivative = term.as_independent(self.sympy.Derivative)
            if not isinstance(derivative, self.sympy.Derivative) or self.t in derivative.variables:
                rest.append(self.gather(term))
                continue
            flux = self._flux(derivative)
            if flux:
                axis, key = flux
                fluxes.setdefault((self.gather(factor), *key), set()).add(axis)
                continue
            part = parts.setdefault(derivative.expr, {})
            orders = self.orders(derivative)
            part[orders] = part.get(orders, 0) + factor
        named = self.sympy.Function
        for (factor, coefficient, of), axes in fluxes.items():
            if len(axes) == 2:
                rest.append(factor * named("div")(coefficient * named("grad")(of)))
            else:
                (axis,) = axes
                along = named(f"d{axis}")
                rest.append(factor * along(coefficient * along(of)))
        for of, part in parts.items():
            rest += self._laplacians(self.gather(of), part)
        return self.sympy.Add(*rest)

    def _applied(self, of: Any, x: int, y: int) -> Any:
        """Returns a derivative as the functions that formulas have for it."""
        while x or y:
            name = "dxx" if x >= 2 else "dyy" if y >= 2 else "dxy" if x and y else "dx" if x else "dy"
            x, y = x - name.count("x"), y - name[1:].count("y")
            of = self.sympy.Function(name)(of)
        return of

    def _flux(self, derivative: Any) -> Any:
        """Returns (axis, (a, f)) for the derivative of a*df/daxis along the same axis; else None."""
        orders = self.orders(derivative)
        if orders not in ((1, 0), (0, 1)):
            return None
        a, inner = derivative.expr.as_independent(self.sympy.Derivative, as_Add=False)
        if a == 1 or not isinstance(inner, self.sympy.Derivative) or self.orders(inner) != orders:
            return None
        return "x" if orders[0] else "y", (self.gather(a), self.gather(inner.expr))

    def _laplacians(self, of: Any, part: dict[tuple[int, int], Any]) -> list[Any]:
        """Returns the terms of a polynomial of d/dx and d/dy, as powers of the Laplacian where it divides one order."""
        lap, lap2 = self.sympy.Function("lap"), self.sympy.Function("lap2")
        terms = []
        for order in sorted({x + y for x, y in part}):
            left = {x: self.sympy.sympify(part.get((x, order - x), 0)) for x in range(order + 1)}
            power, size = 0, order
            while size >= 2:
                # Synthetic division by X^2 + Y^2, from the highest power of X down.
                quotient, remainder = {}, dict(left)
                for x in range(size, 1, -1):
                    quotient[x - 2] = remainder[x]
                    remainder[x - 2] = self.sympy.expand(remainder[x - 2] - remainder[x])
                if remainder[0] != 0 or remainder[1] != 0:
                    break
                left, power, size = quotient, power + 1, size - 2
            for x, factor in left.items():
                if factor == 0:
                    continue
                term = self._applied(of, x, size - x)
                for name in [lap2] * (power // 2) + [lap] * (power % 2):
                    term = name(term)
                terms.append(self.gather(factor) * term)
        return terms


class _Conservation:
    """Writes rates that are divergences as divergences, whose totals the steps then keep: ``diff`` expands them."""

    def __init__(self, writer: _Writer, fields: Iterable[Any]) -> None:
        self.writer, self.sympy, self.fields = writer, writer.sympy, sorted(fields, key=str)
        self.axes = writer.axes[:2]

    def kept(self, rate: Any) -> tuple[Any, bool]:
        """Returns the rate, and whether the steps keep the total that it keeps."""
        sympy, writer = self.sympy, self.writer
        if self._is_written(writer.gather(rate), sources=True):
            return rate, True
        named = sympy.core.function.AppliedUndef
        flat = rate.replace(
            lambda e: isinstance(e, named) and e.func.__name__ in _LAPLACIANS,
            lambda e: sum(e.args[0].diff(axis, 2) for axis in self.axes),
        )
        flat = sympy.expand(flat.doit())
        if not all(map(writer.is_field, flat.atoms(named))):
            return rate, True
        jumps = flat.has(sympy.Piecewise, sympy.Heaviside, sympy.sign, sympy.floor, sympy.ceiling, sympy.Mod)
        reaction = flat.xreplace({derivative: 0 for derivative in flat.atoms(sympy.Derivative)})
        for source in (0, reaction):
            if all(self._vanishes(self._euler(flat - source, field)) for field in self.fields):
                written = self._written(sympy.expand(flat - source))
                kept = self._is_written(writer.gather(written)) and not jumps
                return (source + written, True) if kept else (rate, False)
        return rate, True

    def _is_written(self, gathered: Any, sources: bool = False) -> bool:
        """Whether each term is a derivative with a factor that is the same in all cells; or, with `sources`, has none."""
        named = self.sympy.core.function.AppliedUndef
        for term in self.sympy.Add.make_args(gathered):
            inside = [f for f in term.atoms(named) if f.func.__name__ in _DIVERGENCES]
            outside = [f for f in self.sympy.Mul.make_args(term) if f in inside]
            varies = (term / outside[0]).has(*self.axes, named) if len(outside) == 1 else inside or (not sources and term.has(named))
            if varies:
                return False
        return True

    def _euler(self, rate: Any, field: Any) -> Any:
        """Returns the variational derivative, which vanishes for all fields just where the rate is a divergence."""
        total = rate.diff(field)
        for derivative in rate.atoms(self.sympy.Derivative):
            if derivative.expr == field:
                total += (-1) ** len(derivative.variables) * rate.diff(derivative).diff(*derivative.variables)
        return total

    def _vanishes(self, expression: Any) -> bool:
        """Whether it is 0 for random values of all that it consists of."""
        sympy, draw = self.sympy, random.Random(1)
        atoms = expression.atoms(sympy.Derivative, sympy.core.function.AppliedUndef, sympy.Symbol)
        for _ in range(2):
            values = {atom: sympy.Float(draw.uniform(0.5, 1.5), 30) for atom in sorted(atoms, key=str)}
            terms = [term.xreplace(values) for term in sympy.Add.make_args(expression)]
            if not all(term.is_number for term in terms) or abs(sum(terms)) > 1e-15 * sum(map(abs, terms)):
                return False
        return True

    def _written(self, rest: Any) -> Any:
        """Takes lap(f), div(a*grad(u)) and dx(f), as far as they are found, out of an expanded rate."""
        sympy, named, written = self.sympy, self.sympy.Function, []
        for field in self.fields:
            along = [rest.coeff(field.diff(axis, 2)) for axis in self.axes]
            if all(a == 0 or not a.has(field, *self.axes, *self.fields) for a in along):
                continue
            rest -= sum((a * field.diff(axis)).diff(axis) for a, axis in zip(along, self.axes))
            value = sympy.Dummy()
            alone = along[0].subs(field, value)
            if along[0] != along[1]:
                written += [named(f"d{axis}")(a * named(f"d{axis}")(field)) for a, axis in zip(along, self.axes)]
            elif alone.is_polynomial(value) and not alone.has(*self.axes, *self.fields):
                written.append(named("lap")(sympy.integrate(alone, value).subs(value, field)))
            else:
                written.append(named("div")(along[0] * named("grad")(field)))
            rest = sympy.expand(rest)
        share = sympy.Dummy()
        for axis in self.axes:
            slopes = {field: rest.coeff(field.diff(axis)) for field in self.fields}
            if any(slope.has(*self.axes, *self.fields) for slope in slopes.values()):
                scaled = sum(field * slope.subs({f: share * f for f in self.fields}, simultaneous=True) for field, slope in slopes.items())
                scaled = sympy.expand(scaled)
                if scaled.has(sympy.Derivative) or not scaled.is_polynomial(share):
                    continue
                flow = sympy.integrate(scaled, (share, 0, 1))
                rest = sympy.expand(rest - flow.diff(axis))
                written.append(named(f"d{axis}")(flow))
        return sympy.Add(rest, *written)


def _elliptic(writer: _Writer, equations: Sequence[Any], rates: Mapping[Any, Any]) -> dict[Any, tuple[Any, Any]]:
    """Returns the two sides of equations without derivatives by t, by the field that each is for: its terms alone stand left."""
    sympy = writer.sympy
    found: dict[Any, tuple[Any, Any]] = {}
    for equation in equations:
        fields = [d.expr for d in equation.atoms(sympy.Derivative)] + list(equation.atoms(sympy.core.function.AppliedUndef))
        unknown = sorted({f for f in fields if writer.is_field(f) and f not in rates and f not in found}, key=str)
        slopes = [f for f in unknown if any(d.has(f) for d in equation.atoms(sympy.Derivative, sympy.core.function.AppliedUndef) if d != f)]
        if len(slopes) != 1:
            raise _problem(f"{equation}: has to be one for a derivative by t of one function, or an elliptic one for a function without")
        (field,) = slopes
        left, right = sympy.S.Zero, sympy.S.Zero
        for term in sympy.Add.make_args(sympy.expand(equation.lhs - equation.rhs)):
            left, right = (left + term, right) if term.has(field) else (left, right - term)
        found[field] = left, right
    return found


def _complex_names(writer: _Writer, formulas: Mapping[str, Sequence[Any]]) -> set[str]:
    """Returns the names of the fields whose rates or starts are complex."""
    sympy = writer.sympy
    real = (sympy.Abs, sympy.re, sympy.im, sympy.arg)
    names: set[str] = set()

    def is_complex(formula: Any) -> bool:
        if not isinstance(formula, sympy.Basic):
            return False
        rest = formula.replace(lambda e: isinstance(e, real), lambda e: sympy.Dummy(real=True))
        fields = rest.atoms(sympy.core.function.AppliedUndef)
        return bool(rest.has(sympy.I)) or any(f.func.__name__ in names for f in fields if writer.is_field(f))

    while more := {name for name, all_of in formulas.items() if name not in names and any(map(is_complex, all_of))}:
        names |= more
    return names


def _rates(writer: _Writer, equations: Sequence[Any]) -> tuple[dict[Any, Any], dict[Any, int], list[Any]]:
    """Solves each equation for its highest derivative by t: rates and orders, by field; and those that have none."""
    sympy = writer.sympy
    rates: dict[Any, Any] = {}
    orders: dict[Any, int] = {}
    others = []
    for equation in equations:
        if not isinstance(equation, sympy.Equality):
            raise _problem(f"{equation} is no equation: Eq(left, right)")
        difference = equation.lhs - equation.rhs
        by_time = [d for d in equation.atoms(sympy.Derivative) if set(d.variables) == {writer.t} and writer.is_field(d.expr)]
        if not by_time:
            others.append(equation)
            continue
        on_left = [d for d in by_time if d == equation.lhs] or by_time
        highest = max((len(d.variables) for d in on_left), default=0)
        first = [d for d in on_left if len(d.variables) == highest]
        if len(first) != 1 or highest > 2:
            raise _problem(f"{equation}: has to be one for the first or second derivative by t of one function")
        (derivative,) = first
        if derivative.expr in rates:
            raise _problem(f"{derivative.expr} has two equations")
        factor = sympy.expand(difference).coeff(derivative)
        rest = sympy.expand(difference - factor * derivative) if equation.lhs != derivative else -equation.rhs
        if factor == 0 or rest.has(derivative):
            raise _problem(f"{equation}: cannot be solved for {derivative}")
        rates[derivative.expr] = -rest if factor == 1 else -rest / factor
        orders[derivative.expr] = highest
    return rates, orders, others


def from_sympy(
    equations: Any,
    parameters: Mapping[Any, Any] | None = None,
    initial: Mapping[Any, Any] | None = None,
    **statements: Any,
) -> str:
    """Returns the text of equations of SymPy, for ``Simulation(equation=...)``.

    Arguments:
        equations: one ``Eq`` or several, each for the first or second derivative by t of a function of x, y and t;
            one of second order becomes two of first order, with the component ``u_dot`` beside ``u``. One without a
            derivative by t is elliptic: ``Eq(phi.diff(x, 2) + phi.diff(y, 2), -w)``. A function whose rate or start
            has ``I`` in it is complex.
        parameters: the value of each other symbol, or (value, low, high) for a slider, by symbol or name.
        initial: the start of each function, or of its ``u_dot``, an expression or a text, by function or name.
        statements: further statements of the text, such as ``boundary="periodic"``, ``dx=0.5``, ``size="256x256"``.

    Derivatives along x and along y that make a Laplacian become ``lap``, and fluxes ``div(D*grad(u))``. ``diff`` expands
    products, so that a flux may no longer be seen; ``sympy.Derivative(D*u.diff(x), x)`` keeps it. A rate that is a
    divergence is written as one where it can be; elsewhere a UserWarning says that the total is not conserved exactly.
    Raises ValueError, in one line, for what the text cannot say, and ImportError without SymPy.

    >>> import sympy as sp
    >>> x, y, t, D = sp.symbols("x y t D")
    >>> u = sp.Function("u")(x, y, t)
    >>> print(ss.from_sympy(sp.Eq(u.diff(t), D*(u.diff(x, 2) + u.diff(y, 2)) - u**3), {D: 0.2}, boundary="periodic"))
    du/dt = D*lap(u) - u^3
    D = 0.2
    boundary = periodic
    """
    sympy = needed("sympy", "from_sympy")
    writer = _Writer(sympy)
    several = equations if isinstance(equations, (list, tuple)) else [equations]
    rates, orders, others = _rates(writer, [writer.plain(equation) for equation in several])
    elliptic = _elliptic(writer, others, rates)
    names = {field: field.func.__name__ for field in rates}
    # Rates of other components, and velocities, may stand in right-hand sides.
    known = {}
    for field, order in orders.items():
        velocity = sympy.Function(f"{names[field]}_dot")(*field.args)
        known[field.diff(writer.t)] = velocity if order == 2 else rates[field]
    lines, used = [], set()
    for field in rates:
        for _ in orders:
            rates[field] = rates[field].subs(known)
    starts = {}
    for key, value in (initial or {}).items():
        starts[key.func.__name__ if isinstance(key, sympy.core.function.AppliedUndef) else str(key)] = writer.plain(value)
    complex_names = _complex_names(
        writer, {name: [rates[field], starts.get(name), starts.get(f"{name}_dot")] for field, name in names.items()}
    )
    for field, rate in rates.items():
        fields = {f for f in rate.atoms(sympy.core.function.AppliedUndef) if writer.is_field(f)}
        unknown = sorted({f.func.__name__ for f in fields - elliptic.keys()} - set(names.values()) - {f"{name}_dot" for name in names.values()})
        if unknown:
            raise _problem(f"{unknown[0]} has no equation")
        used |= rate.free_symbols - set(writer.axes)
        name = names[field]
        rate, conserves = (rate, True) if complex_names else _Conservation(writer, fields).kept(rate)
        if name in complex_names:
            lines += [f"complex {name}"] + [f"complex {name}_dot"] * (orders[field] - 1)
        if not conserves:
            told = f"the total of {name} is not conserved exactly: its rate is a divergence, but expanded; sympy.Derivative keeps it"
            warnings.warn(f"from_sympy: {told}", UserWarning, stacklevel=2)
            lines.append(f"# {told}")
        if orders[field] == 2:
            lines.append(f"d{name}/dt = {name}_dot")
            name += "_dot"
        lines.append(f"d{name}/dt = {writer.text(rate)}")
    for left, right in elliptic.values():
        lines.append(f"{writer.text(left)} = {writer.text(right)}")
        used |= (left.free_symbols | right.free_symbols) - set(writer.axes)
    for value in starts.values():
        used |= getattr(value, "free_symbols", set()) - set(writer.axes)
    # Names such as Lx and dx are the text's own.
    own = {"pi", "Lx", "Ly", "dx", "dt", "nx", "ny", "step", "random", "normal"}
    values = {str(key): value for key, value in (parameters or {}).items()}
    missing = sorted({str(symbol) for symbol in used} - own - set(values))
    if missing:
        raise _problem(f"{missing[0]} has no value: parameters={{'{missing[0]}': ...}}")
    for name, value in values.items():
        value, *ends = value if isinstance(value, (list, tuple)) else (value,)
        if len(ends) not in (0, 2):
            raise _problem(f"{name}: a parameter is a number, or (value, low, high)")
        lines.append(f"{name} = {_number(value)}" + (f" in [{_number(ends[0])}, {_number(ends[1])}]" if ends else ""))
    lines += [f"{name}(0) = {writer.text(value)}" for name, value in starts.items()]
    if 2 in orders.values() and not {"integrator", "stepper"} & statements.keys():
        statements["integrator"] = "symplectic"
    lines += [f"{name} = {text_of(value, 'x')}" for name, value in statements.items()]
    text = "\n".join(lines)
    try:
        _core.describe(text)
    except ValueError as error:
        raise _problem(str(error).partition("\n")[0]) from None
    return text


def _number(value: Any) -> str:
    return repr(float(value))
