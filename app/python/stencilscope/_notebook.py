"""Shows a simulation: by matplotlib, as HTML, and by progress bars."""

from __future__ import annotations

import base64
import html
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy

from stencilscope._words import needed

if TYPE_CHECKING:
    from stencilscope._simulation import Simulation


def _normalization(look: dict[str, Any]) -> Any:
    """Returns matplotlib's form of the range of colours."""
    colors = needed("matplotlib.colors", "Simulation.plot()")
    low, high, scale = look["low"], look["high"], look["scale"]
    if scale == "log":
        return colors.LogNorm(low, high)
    if scale == "symlog":
        small = max(abs(low), abs(high)) / 1000
        ways = (
            lambda v: numpy.sign(v) * numpy.log1p(numpy.abs(v) / small),
            lambda p: numpy.sign(p) * numpy.expm1(numpy.abs(p)) * small,
        )
        return colors.FuncNorm(ways, low, high)
    return colors.Normalize(low, high)


def plot(simulation: Simulation, look: dict[str, Any], formula: str, ax: Any, options: dict[str, Any]) -> Any:
    """Draws a field with matplotlib, in the colours that the program has for it."""
    if ax is None:
        ax = needed("matplotlib.pyplot", "Simulation.plot()").gca()
    colors = needed("matplotlib.colors", "Simulation.plot()")
    field = simulation.field(formula, numpy=True)
    if not {"vmin", "vmax", "norm"} & set(options):
        options = {"norm": _normalization(look), **options}
    table = numpy.frombuffer(look["colors"], numpy.uint8).reshape(256, 3) / 255
    options = {
        "cmap": colors.ListedColormap(table),
        "extent": simulation.extent,
        "interpolation": "nearest",
        **options,
    }
    image = ax.imshow(field, **options)
    ax.figure.colorbar(image, ax=ax, label=look["label"])
    time = simulation._held.time_text()
    ax.set_title(f"step {simulation.step}" + (f", t = {time}" if time else ""))
    unit = f" ({look['unit']})" if look["unit"] else ""
    ax.set_xlabel(f"x{unit}")
    ax.set_ylabel(f"y{unit}")
    return ax


def as_html(simulation: Simulation, picture: bytes) -> str:
    """Returns the simulation's line, picture, parameters and equations."""
    line = html.escape(repr(simulation).strip("<>"))
    parameters = html.escape(", ".join(f"{name} = {value:g}" for name, value in simulation.parameters.items()))
    image = base64.b64encode(picture).decode()
    text = simulation.settings.get("equation", "")
    text = html.escape("\n".join(text) if isinstance(text, list) else text)
    return (
        f"<p><code>{line}</code></p>"
        f'<img alt="{line}" style="max-width:100%" src="data:image/png;base64,{image}">'
        + (f"<p><code>{parameters}</code></p>" if parameters else "")
        + (f"<details><summary>equations</summary><pre>{text}</pre></details>" if text else "")
    )


@contextmanager
def progress_bar(steps: int) -> Iterator[Callable[[int, int], object]]:
    """Shows a bar of tqdm, in a notebook or a terminal, while steps are made."""
    with needed("tqdm.auto", "advance(progress=True)").tqdm(total=steps, unit="step", unit_scale=True) as bar:
        yield lambda done, _: bar.update(done - bar.n)
