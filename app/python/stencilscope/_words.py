"""Converts keyword arguments to settings as they are typed on the command line."""

from __future__ import annotations

import contextlib
import importlib
import json
import numbers
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy

from stencilscope import _core
from stencilscope._models import offered_text


def json_object(text: str) -> dict[str, Any]:
    """Parses the text of a JSON object."""
    result: dict[str, Any] = json.loads(text)
    return result


def needed(module: str, what: str) -> Any:
    """Imports a package that only `what` uses; raises ImportError that names it if it is missing."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name != package:
            raise
        raise ImportError(f"{what} needs {package}: pip install {package}") from None


SETTINGS: dict[str, dict[str, Any]] = {row.pop("name"): row for row in json.loads(_core.setting_table())}

_SEPARATORS = {"size": "x", "range": ":", "laplacian-range": ":"}


def path_text(path: str | bytes | os.PathLike[Any]) -> str:
    """Returns a path as text; raises ValueError if it is not UTF-8."""
    text = os.fsdecode(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{text!r}: texts and names of files are UTF-8 here") from None
    return text


def text_of(value: Any, separator: str = ",") -> str:
    """Returns a value as it is typed: numbers with every digit, sequences joined by `separator`."""
    if isinstance(value, (str, os.PathLike)):
        return path_text(value)
    if isinstance(value, numbers.Integral):  # Python's and NumPy's integers, and bool
        return str(value).lower() if isinstance(value, bool) else str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, type) or isinstance(getattr(value, "name", None), str):  # numpy.float32, or its dtype
        return str(getattr(value, "name", None) or value.__name__)
    if hasattr(value, "tolist"):  # NumPy's bool, and arrays of numbers
        return text_of(value.tolist(), separator)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return separator.join(text_of(item) for item in value)
    raise TypeError(f"a setting takes a text, a number, True, False or a sequence of them, not {type(value).__name__}")


def value_text(name: str, value: Any) -> str:
    """Returns the text of a setting's value; `dtype` also accepts NumPy's types."""
    try:
        if name == "dtype":
            with contextlib.suppress(TypeError):
                value = numpy.dtype(value).name
        return text_of(value, _SEPARATORS.get(name, ","))
    except TypeError as error:
        raise TypeError(f"{name.replace('-', '_')}: {error}") from None


def words_of(settings: Mapping[str, Any], parameters: Mapping[str, float] | None = None) -> list[tuple[str, str]]:
    """Returns (name, text) pairs; settings that are None are left out."""
    if parameters is not None and not isinstance(parameters, Mapping):
        raise TypeError(f"parameters: a dictionary of names and numbers, not {type(parameters).__name__}")
    words = []
    for keyword, value in settings.items():
        if value is None:
            continue
        name = keyword.replace("_", "-")
        if name == "model" and isinstance(value, str) and (text := offered_text(value)) is not None:
            name, value = "equation", text
        many = SETTINGS.get(name, {}).get("many", False)
        if many and isinstance(value, Sequence) and not isinstance(value, str):
            words += [(name, value_text(name, item)) for item in value]
        else:
            words.append((name, value_text(name, value)))
    words += [("set", f"{name}={value_text(name, value)}") for name, value in (parameters or {}).items()]
    return words


def formula_text(formula: Any) -> str:
    """Returns the formula, or raises TypeError if it is no text."""
    if not isinstance(formula, str):
        raise TypeError(f"a formula is a text, not {type(formula).__name__}")
    return formula


def _python_help(text: str) -> str:
    """Spells settings as keyword arguments, and leaves out where the command line's help says more."""
    text = text.replace(" (see below)", "")
    return re.sub(
        r"--([a-z][a-z-]*)",
        lambda option: f"`{option[1].replace('-', '_')}`" if option[1] in SETTINGS else option[0],
        text,
    )


def setting_help() -> str:
    """Describes each setting in a line."""
    lines = []
    for name, row in SETTINGS.items():
        if name in ("every", "checkpoint"):  # files are written by methods alone
            continue
        kind = "True or False" if not row["value"] else row["value"]
        what = _python_help(row["help"])
        lines.append(f"        {name.replace('-', '_')}: {what} [{kind}{', or several' if row['many'] else ''}]")
    return "\n".join(lines)
