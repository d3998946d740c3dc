"""Stencilscope from Python: explicit stencil computations on two-dimensional fields, on the CPU or an NVIDIA GPU.

    import stencilscope as ss
    sim = ss.Simulation(u0, coefficient=0.2, boundary="periodic")   # u0: an array of shape (ny, nx)
    sim.advance(10_000)
    u = sim.field()

``sim.fields["u"] = a`` gives it new values, ``sim.advance(until=T)`` ends at a time, ``sim.x`` and ``sim.to_xarray()`` have
the places. Every keyword argument is a setting of ``stencilscope run`` by its name, with ``_`` for ``-``: ``help(ss.Simulation)`` lists
them. A setting that is not allowed raises ValueError (TypeError if it should be a number and is none); a failure of the
machine raises RuntimeError, OSError or MemoryError.
"""

from __future__ import annotations

import importlib.util
import pathlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from stencilscope import _core
from stencilscope._fit import FitResult, Residuals, fit
from stencilscope._models import Models, models
from stencilscope._simulation import Fields, Frames, Parameters, Setting, Simulation
from stencilscope._sweep import sweep
from stencilscope._sympy import from_sympy
from stencilscope._words import json_object, words_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from stencilscope._settings import Settings

__all__ = [
    "Fields",
    "FitResult",
    "Frames",
    "Models",
    "Parameters",
    "Residuals",
    "Simulation",
    "bench",
    "example",
    "fit",
    "from_sympy",
    "jump",
    "models",
    "sweep",
]
__version__: str = _core.version


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__version__"]


def _take_fftw_of_pyfftw() -> None:
    """Lets the program use the FFTW in the wheels of pyFFTW where the system has none."""
    found = importlib.util.find_spec("pyfftw")
    if found is None or not found.origin:
        return
    folder = pathlib.Path(found.origin).parents[1] / "pyfftw.libs"
    files = [next(folder.glob(f"libfftw3{kind}-*.so*"), "") for kind in ("", "f")]
    _core.set_fftw_files(*map(str, files))


_take_fftw_of_pyfftw()


def jump(u0: Any = None, steps: int = 10_000, **settings: Unpack[Settings]) -> Any:
    """Returns the field of shape (ny, nx) after `steps` steps of diffusion, computed at once by method ``spectral``.

    Takes what `Simulation` takes; its time does not depend on `steps`. Raises what `Simulation` raises.

    >>> ss.jump("disk", 1_000_000, coefficient=0.2, size=(32, 16)).shape
    (16, 32)
    """
    if settings.get("method") not in (None, "spectral"):
        raise ValueError("jump: its method is spectral: Simulation(u0, method=...).advance(steps) takes others")
    settings["method"] = "spectral"
    simulation = Simulation(u0, **settings)
    simulation.advance(steps)
    return simulation.field()


def bench(parameters: Mapping[str, float] | None = None, **settings: Setting) -> dict[str, Any]:
    """Times the methods and compares them with the machine's limits, as ``stencilscope bench``; returns bench.json.

    `settings` are its options: size="512,2000", method="naive,tiled", model=, dtype=, boundary=, threads=, steps=,
    repeats=, sweep=True ... Times are in seconds, speeds in GCells/s (1e9 cell updates per second). Takes from
    seconds to minutes; Ctrl-C ends it. Raises ValueError for options that are not allowed.

    >>> ss.bench(size="64", method="reference", backend="cpu", steps=2, repeats=5)["rows"][0]["method"]
    'reference'
    """
    return json_object(_core.bench(words_of(settings, parameters)))


def example(name: str, **options: Setting) -> dict[str, Any]:
    """Runs an example workload, as ``stencilscope example NAME`` does, and returns its report.json.

    `name` is matmul, einsum, ridge, elementwise, dot, add or reduce; `options` are those of the command line, such as
    rows=500, backend="cpu", dtype="float32"; with out="DIR" files are written too. Ctrl-C ends it. Raises
    ValueError for an unknown name or option.

    >>> ss.example("dot", length=1000, backend="cpu", repeats=1)["example"]
    'dot'
    """
    return json_object(_core.example(name, words_of(options)))
