"""Many runs that differ in a few settings."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from stencilscope import _core
from stencilscope._words import simulation_words, value_text

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from stencilscope._settings import Settings


def sweep(
    model: str | None = None,
    *,
    vary: Mapping[str, Any],
    observe: Sequence[str] = (),
    until: float | str | None = None,
    parameters: Mapping[str, float] | None = None,
    **settings: Unpack[Settings],
) -> Any:
    """Runs every combination of the values of `vary` and returns an xarray.Dataset, or a dictionary without xarray.

    Arguments:
        model: the name of a model; or give `equation`.
        vary: values by the name of what varies: a parameter, a setting, ``"seed"``, the value at a side (``"left"``, ``"top:v"``).
        observe: formulas with one value for the whole field, such as ``"mean(v)"``.
        until: a time, or a condition such as ``"max(v) < 1e-3"``, that ends each run; `steps` ends it, too.
        parameters: values of the model's other parameters.
        settings: those of `Simulation`.

    The result has the axes of `vary` in their order, and by name: each component over (..., y, x), the observables,
    ``time``, ``steps``, ``dt``, minimum, maximum and mean of each component, ``wavelength``, ``growth``, ``status`` and
    ``field_hash``. Each run has the bits that it has alone. One that is not finite or is unstable has that as its status and stops no other.
    Raises what `Simulation` raises.

    >>> found = ss.sweep("gray-scott", vary={"F": [0.03, 0.04, 0.05], "seed": [1, 2]}, observe=["mean(v)"], size=32, steps=20)
    >>> found["mean(v)"].shape
    (3, 2)
    """
    if not isinstance(vary, Mapping) or not vary:
        raise ValueError("vary: a dictionary of names with their values")
    axes = {name: list(values) for name, values in vary.items()}
    words = simulation_words({"model": model, **settings}, parameters)
    if until is not None:
        words.append(("until" if isinstance(until, str) else "time", value_text("until", until)))
    # The core's first axis runs fastest.
    told = [(name, [value_text(name, value) for value in values]) for name, values in reversed(axes.items())]
    found = _core.sweep("", words, told, list(observe))
    shape = tuple(found["shape"])
    fields = {name: array.reshape(*shape, -1, array.shape[1]) for name, array in found["fields"].items()}
    runs = {name: numpy.array(values).reshape(shape) for name, values in found["columns"].items() if name not in axes}
    runs |= {name: numpy.array(found[name]).reshape(shape) for name in ("status", "field_hash")}
    x, y, dx = found["corner"]
    ny, nx = next(iter(fields.values())).shape[-2:]
    places = {"y": y + (numpy.arange(ny) + 0.5) * dx, "x": x + (numpy.arange(nx) + 0.5) * dx}
    coordinates = {**{name: numpy.array(values) for name, values in axes.items()}, **places}
    if importlib.util.find_spec("xarray") is None:
        return {**coordinates, **fields, **runs}
    import xarray

    names = tuple(axes)
    variables = {name: ((*names, "y", "x"), array) for name, array in fields.items()}
    variables |= {name: (names, array) for name, array in runs.items()}
    return xarray.Dataset(variables, coordinates)
