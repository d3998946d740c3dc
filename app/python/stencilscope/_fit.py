"""Fits of a run's parameters to targets, and its residuals as a function for scipy.optimize."""

from __future__ import annotations

import json
import numbers
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, Union

import numpy

from stencilscope import _core
from stencilscope._arrays import is_array, parts_of
from stencilscope._simulation import Path, _with_arrays
from stencilscope._words import json_object, path_text, signature, simulation_words, text_of

#: A start, or a start with bounds, or the text of either as on the command line.
Start = Union[None, str, float, Sequence[float]]

_KEYS = ("of", "values", "time", "x", "y")


class _Compared(TypedDict, total=False):
    """The run that is compared with targets, beside its settings, and how."""

    initial: Any
    spec: Path | Mapping[str, Any] | None
    parameters: Mapping[str, float] | None
    arrays: Mapping[str, Any] | None
    noise: float | Sequence[float] | None
    differences: bool


if TYPE_CHECKING:
    from typing_extensions import Unpack

    from stencilscope._settings import Settings

    class _Asked(_Compared, Settings, total=False):
        pass


class FitResult(dict[str, Any]):
    """What a fit found: a dictionary whose keys are attributes, too, as SciPy's OptimizeResult.

    Keys: `names`; `x`, the estimates, `stderr` and `cov`, `correlation` (NaN where nothing can be told); `residual`, (run -
    target)/noise of all values; `success`, `message`, `advice`; `nfev` and `njev`, evaluations of the run with its
    derivatives; `cost`, half the sum of the squared residuals; `noise`, given or estimated; `history`, a dictionary for each
    evaluation; `exact`, whether derivatives were sensitivities; `spec`, a spec.json of the fitted run; `text`, the table that
    the command prints.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self})

    def __repr__(self) -> str:
        return str(self["text"])


def _numbers(value: Any, name: str) -> Any:
    """Returns a flat array of float64."""
    real, imaginary = parts_of(value, name)
    if imaginary is not None:
        raise TypeError(f"{name}: complex numbers: give real and imaginary parts as two targets")
    return numpy.ascontiguousarray(numpy.asarray(real, dtype="float64").ravel())


def _target(given: Any, number: int) -> Any:
    """Returns a target as the native module takes it: a text, or a dictionary."""
    if isinstance(given, (str, os.PathLike)):
        return path_text(given)
    name = f"target {number}"
    if not isinstance(given, Mapping):
        given = {"values": given}
    unknown = [str(key) for key in given if key not in _KEYS]
    if unknown or given.get("values") is None:
        raise ValueError(f"{name}: {unknown[0] if unknown else 'values'}: a target has the keys {', '.join(_KEYS)}, of which values is needed")
    nothing = numpy.empty(0)
    values, time = given["values"], given.get("time")
    shape = numpy.shape(values)
    row: dict[str, Any] = {"name": name, "of": str(given.get("of") or ""), "values": _numbers(values, name), "x": nothing, "y": nothing, "nx": 0, "ny": 0}
    if len(shape) == 2:
        if time is not None and not isinstance(time, numbers.Real):
            raise TypeError(f"{name}: the time of a field is one number")
        row.update(nx=shape[1], ny=shape[0], times=nothing if time is None else numpy.array([float(time)]))
        return row
    if len(shape) != 1 or time is None:
        raise ValueError(f"{name}: values are an array (ny, nx), or a list with time, a list as long")
    row["times"] = _numbers(time, f"{name}: time")
    if (given.get("x") is None) != (given.get("y") is None):
        raise ValueError(f"{name}: x and y are given together, in cells")
    for axis in ("x", "y"):
        if given.get(axis) is not None:
            row[axis] = _numbers(numpy.broadcast_to(given[axis], shape), f"{name}: {axis}")
            if len(row[axis]) != len(row["values"]):
                raise ValueError(f"{name}: {axis} has {len(row[axis])} numbers and values {len(row['values'])}")
    return row


def _targets(given: Any) -> list[Any]:
    def is_target(one: Any) -> bool:
        return isinstance(one, (str, os.PathLike, Mapping)) or (hasattr(one, "shape") and len(one.shape) == 2)

    several = isinstance(given, (list, tuple)) and all(map(is_target, given))
    return [_target(one, i + 1) for i, one in enumerate(given if several else [given])]


def _parameter(name: str, start: Start, log: bool) -> str:
    if isinstance(start, str):
        text = f"{name}={start}"
    elif start is None:
        text = name
    else:
        values = [start] if isinstance(start, numbers.Real) else list(start)  # type: ignore[arg-type]
        text = f"{name}={':'.join(text_of(value) for value in values)}"
    return text + (":log" if log else "")


def _held(
    targets: Any, starts: Mapping[str, Start] | Sequence[str], asked: Mapping[str, Any], log: Sequence[str] = (), evaluations: int = 1
) -> tuple[Any, list[str], Any]:
    settings = dict(asked)
    initial, spec, parameters, arrays, noise, differences = (settings.pop(name, None) for name in _Compared.__annotations__)
    words = simulation_words(settings, parameters)
    words, kept = _with_arrays(words, arrays or {})
    keep = [kept]
    wide = False
    for name, start in (initial if isinstance(initial, Mapping) else {"": initial}).items():
        if start is None:
            continue
        if is_array(start):
            real, imaginary = parts_of(start, f"initial {name}".strip())
            if imaginary is not None:
                raise TypeError("initial: a fit takes real arrays: give both parts by their names")
            wide = wide or str(real.dtype).endswith("64")
            start, holder = _core.hold_array(real, "initial")
            keep.append(holder)
        words.append(("initial", f"{name}={path_text(start)}" if name else path_text(start)))
    if wide and all(word != "dtype" for word, _ in words):
        words.append(("dtype", "float64"))
    named = json.dumps(dict(spec)) if isinstance(spec, Mapping) else "" if spec is None else path_text(spec)
    if not isinstance(starts, Mapping):
        starts = dict.fromkeys([starts] if isinstance(starts, str) else starts)
    unknown = [name for name in log if name not in starts]
    if unknown:
        raise ValueError(f"log: {unknown[0]} is none of the parameters to find: {', '.join(starts)}")
    deviations = [] if noise is None else [float(one) for one in numpy.ravel(noise)]
    texts = [_parameter(name, start, name in log) for name, start in starts.items()]
    held = _core.HeldFit(named, words, _targets(targets), deviations, texts, int(evaluations), bool(differences))
    return held, list(starts), keep


def _array(rows: Any) -> Any:
    return numpy.array(rows, dtype="float64")  # None becomes NaN


def fit(
    targets: Any,
    starts: Mapping[str, Start] | Sequence[str],
    *,
    log: Sequence[str] = (),
    evaluations: int = 50,
    out: Path | None = None,
    **asked: Unpack[_Asked],
) -> FitResult:
    """Finds the parameters by which a run has given values, with their standard errors, as ``stencilscope fit``.

    Arguments:
        targets: one or a list of: an array (ny, nx) of what the run shows at its end; a text as for ``--target``, such as
            "v=field.npy@600"; a dictionary with `values` and, if wanted, `of` (a formula), `time`, and for a list of values
            at a list of times `x` and `y` in cells. NaN leaves a value out.
        starts: the parameters to find, by name: a start, (start, low, high), or None for the run's own value.
        noise: the standard deviation of all values, or of each target's. Estimated from the residuals unless given.
        log: names of those that are stepped by their logarithm.
        evaluations: the most evaluations.
        differences: takes differences of runs in place of the model's sensitivities, which are exact.
        out: a folder for the files that the command writes.
        initial, spec, parameters, arrays, settings: the run, as in `Simulation`.

    Raises ValueError and TypeError as `Simulation`. A fit that does not converge is none: `success` and `message` tell it.

    >>> t = [0.0, 1.0, 2.0, 3.0]
    >>> decay = "du/dt = -k*u; u(0) = 1; k = 1; dt = 0.001; size = 4; integrator = rk4"
    >>> found = ss.fit({"of": "mean(u)", "time": t, "values": np.exp(-0.5 * np.array(t))}, {"k": 0.8}, equation=decay, dtype="float64")
    >>> found.success, round(float(found.x[0]), 6)
    (True, 0.5)
    """
    held, names, _ = _held(targets, starts, asked, log, evaluations)
    found = json_object(held.run("" if out is None else path_text(out)))
    rows = found["parameters"]
    residual = held.best_residuals().ravel()
    return FitResult(
        names=names,
        x=_array([row["value"] for row in rows]),
        stderr=_array([row["standard_error"] for row in rows]),
        cov=_array(found["covariance"]),
        correlation=_array(found["correlation"]),
        residual=residual,
        cost=0.5 * float(residual @ residual),
        success=found["success"],
        message=found["message"],
        advice=found["advice"],
        nfev=found["evaluations"],
        njev=found["evaluations"],
        noise=found["noise"],
        history=found["convergence"],
        exact=found["exact_derivatives"],
        spec=json_object(held.spec()),
        text=held.text(),
    )


class Residuals:
    """The residuals of a run, (run - target)/noise, as a function of parameters, whose Jacobian is exact.

    Takes what `fit` takes. For scipy.optimize: ``least_squares(f, f.x0, jac=f.jac, bounds=f.bounds)``. A call makes one run
    with its sensitivities, which `jac` at the same place takes over. Where no run is possible (an unstable step), residuals
    are infinite.

    >>> f = ss.Residuals(np.zeros((4, 4)), {"k": 0.5}, equation="du/dt = -k*u; u(0) = 1; dt = 0.5; k = 1", size=4, steps=1, dtype="float64")
    >>> float(f([0.5])[0]), float(f.jac([0.5])[0, 0])
    (0.75, -0.5)
    """

    def __init__(self, targets: Any, starts: Mapping[str, Start] | Sequence[str], **asked: Unpack[_Asked]) -> None:
        self._held, self.names, self._keep = _held(targets, starts, asked)
        rows = _array(self._held.starts())
        self.x0 = rows[:, 0]
        self.bounds = (rows[:, 1], rows[:, 2])
        self.exact = not self._held.why_differences()
        self._at: tuple[float, ...] | None = None
        self._values: tuple[Any, Any] = (None, None)

    def _evaluate(self, x: Any) -> tuple[Any, Any]:
        at = tuple(float(value) for value in numpy.ravel(x))
        if len(at) != len(self.names):
            raise TypeError(f"{len(at)} numbers for {len(self.names)} parameters: {', '.join(self.names)}")
        if at != self._at:
            residuals, jacobian = self._held.at(list(at), True)
            self._values, self._at = (residuals.ravel(), jacobian), at
        return self._values

    def __call__(self, x: Any) -> Any:
        """Returns the residuals."""
        try:
            return self._evaluate(x)[0]
        except ValueError:
            if self._at is None:
                raise
            return numpy.full(len(self._values[0]), numpy.inf)

    def jac(self, x: Any) -> Any:
        """Returns the derivatives: a row a residual, a column a parameter."""
        return self._evaluate(x)[1]


setattr(fit, "__signature__", signature(fit, _Compared.__annotations__))  # noqa: B010 - mypy knows no such attribute
setattr(Residuals, "__signature__", signature(Residuals.__init__, _Compared.__annotations__))  # noqa: B010
