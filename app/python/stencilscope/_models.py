"""The models: those included, and those that installed packages offer."""

from __future__ import annotations

import functools
import html
import json
import os
import pathlib
import sys
import textwrap
import warnings
from importlib import metadata
from typing import Any

from stencilscope import _core

#: Entry points of this group are models; each names a text of equations, or the path of a file with one.
GROUP = "stencilscope.models"


class Models(dict[str, dict[str, Any]]):
    """The models by name, shown as a table in a notebook."""

    def __repr__(self) -> str:
        return textwrap.fill(f"{len(self)} models: {', '.join(self)}", 100, subsequent_indent="  ")

    def _repr_html_(self) -> str:
        rows = []
        for name, model in self.items():
            values = ", ".join(f"{key} = {value:g}" for key, value in model["parameters"].items())
            cells = (name, model["title"], ", ".join(model["components"]), values)
            rows.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
        head = "<tr><th>model</th><th>title</th><th>components</th><th>parameters</th></tr>"
        return f"<table>{head}{''.join(rows)}</table>"


def _included() -> dict[str, dict[str, Any]]:
    result: dict[str, dict[str, Any]] = json.loads(_core.models())
    return result


@functools.lru_cache(maxsize=1)
def _offers_on(path: tuple[str, ...]) -> dict[str, Any]:
    found: Any = metadata.entry_points()
    rows = found.select(group=GROUP) if hasattr(found, "select") else found.get(GROUP, ())  # Python 3.9 has a dict
    return {row.name: row for row in rows}


def _offers() -> dict[str, Any]:
    """Returns the entry points of installed packages by name."""
    return _offers_on(tuple(sys.path))


def _text_of(offer: Any) -> str:
    """Loads an entry point. Raises ValueError in one line if it is neither a text nor the path of one."""
    where = f"the model {offer.name} of {offer.value}"
    try:
        value = offer.load()
        if isinstance(value, os.PathLike):
            value = pathlib.Path(value).read_text(encoding="utf-8")
    except Exception as error:
        raise ValueError(f"{where} cannot be loaded: {error}") from error
    if not isinstance(value, str):
        raise ValueError(f"{where} is neither a text nor a path, but of type {type(value).__name__}")
    return value


def offered_text(name: str) -> str | None:
    """Returns the equations of a model that an installed package offers; None if none does or the program has one."""
    offer = _offers().get(name)
    return None if offer is None or name in _included() else _text_of(offer)


def models() -> Models:
    """Returns the models by name, each with title, components, parameters with their values, source and text.

    Besides those included there are those that installed packages offer as entry points of the group
    ``stencilscope.models``; one that cannot be read is left out with a warning.

    >>> ss.models()["heat"]["parameters"]
    {'D': 1.0}
    """
    every = Models(_included())
    for name, offer in _offers().items():
        if name in every:
            continue
        try:
            every[name] = json.loads(_core.describe(_text_of(offer)))
        except ValueError as error:
            warnings.warn(f"{name}: {error}", stacklevel=2)
    return every
