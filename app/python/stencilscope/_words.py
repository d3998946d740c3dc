"""Converts keyword arguments to settings as they are typed on the command line, and back."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import inspect
import json
import numbers
import os
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy

from stencilscope import _core
from stencilscope._arrays import is_array
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
#: Settings of the program that its `run` alone has.
_NOT_HERE = ("every", "checkpoint")
#: Keys of spec.json that are no settings of a simulation.
_REMARKS = ("program", "version", "title", "about", "initial_hash", "dt_log", "set", "initial", *_NOT_HERE)

_SEPARATORS = {"size": "x", "range": ":", "laplacian-range": ":"}
#: Words of other programs, by setting and by value.
_SYNONYMS = {"bc": "boundary", "diffusivity": "coefficient", "precision": "dtype", "shape": "size", "solver": "integrator", "cmap": "colormap"}
_BOUNDARIES = {"neumann": "insulated", "no-flux": "insulated", "noflux": "insulated", "dirichlet": "zero", "wrap": "periodic"}


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
    if name == "boundary" and isinstance(value, str) and value.lower() in _BOUNDARIES:
        raise ValueError(f"boundary: '{value}' is '{_BOUNDARIES[value.lower()]}' here; a text of the equation has conditions of each side")
    if name == "coefficient" and getattr(value, "ndim", 0) > 0:
        raise TypeError("coefficient: one number; for a field of them: equation='du/dt = div(D*grad(u))', arrays={'D': x}")
    try:
        if name == "dtype":
            with contextlib.suppress(TypeError):
                value = numpy.dtype(value).name
        return text_of(value, _SEPARATORS.get(name, ","))
    except TypeError as error:
        raise TypeError(f"{name.replace('-', '_')}: {error}") from None


def _unknown(keyword: str, value: Any, settings: Mapping[str, Any]) -> ValueError:
    """Returns what to say of a keyword that is no setting."""
    text, model = settings.get("equation") or "", settings.get("model") or "diffusion"
    with contextlib.suppress(ValueError, TypeError):
        described = json_object(_core.describe(_core.text_with_arrays(text if isinstance(text, str) else "\n".join(text), str(model), {})))
        if keyword in described["parameters"]:
            place = "arrays" if is_array(value) else "parameters"
            return ValueError(f"{keyword} is a parameter of the model, no setting: {place}={{'{keyword}': ...}}")
        if keyword in described["components"]:
            return ValueError(f"{keyword} is a component of the model, no setting: initial={{'{keyword}': ...}}")
    name = keyword.replace("_", "-")
    near = [_SYNONYMS[name]] if name in _SYNONYMS else [row for row in SETTINGS if len(name) > 2 and row.startswith(name)]
    near = near or difflib.get_close_matches(name, SETTINGS, 1, 0.75)
    hint = f"did you mean '{near[0].replace('-', '_')}'?" if near else "help(stencilscope.Simulation) lists the settings"
    return ValueError(f"unknown setting '{keyword}': {hint}")


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


def simulation_words(settings: Mapping[str, Any], parameters: Mapping[str, float] | None) -> list[tuple[str, str]]:
    """Returns words_of(), and says of a keyword that is no setting what may have been meant."""
    for keyword, value in settings.items():
        if keyword.replace("_", "-") not in SETTINGS and keyword != "stepper":
            raise _unknown(keyword, value, settings)
    return words_of(settings, parameters)


_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def _value(text: Any) -> Any:
    """Returns a number, or several, instead of a text that says nothing else."""
    if isinstance(text, list):
        return [_value(one) for one in text]
    if not isinstance(text, str) or not text:
        return text
    parts = text.split(",")
    if not all(map(_NUMBER.fullmatch, parts)):
        return text
    values = [int(part) if part.lstrip("+-").isdigit() else float(part) for part in parts]
    return values[0] if len(values) == 1 else tuple(values)


def settings_of(found: dict[str, Any]) -> dict[str, Any]:
    """Returns the settings of a spec.json as keyword arguments; parameters and initial conditions are not among them."""
    result = {}
    for name, value in found.items():
        if name in _REMARKS:
            continue
        if name == "size":
            value = tuple(map(int, value.split("x")))
        elif name == "export":
            value = value.split(",") if value else []
        elif name not in ("equation", "model", "show", "at"):
            value = _value(value)
        result[name.replace("-", "_")] = value
    return result


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


def _default(row: dict[str, Any]) -> Any:
    return False if not row["value"] and row["default"] is None else _value(row["default"])


def setting_help() -> str:
    """Describes each setting, in lines of at most 100 columns."""
    lines = []
    for name, row in SETTINGS.items():
        if name in _NOT_HERE:  # files are written by methods alone
            continue
        kind = "True or False" if not row["value"] else row["value"]
        default = _default(row)
        usual = "" if default in (None, "", []) or "default" in row["help"] else f"; default {text_of(default)}"
        what = f"{name.replace('-', '_')}: {_python_help(row['help'])} [{kind}{', or several' if row['many'] else ''}{usual}]"
        lines.append(textwrap.fill(what, 100, initial_indent=" " * 8, subsequent_indent=" " * 12, break_long_words=False))
    return "\n".join(lines)


def signature(of: Any, beside: Iterable[str] = ()) -> inspect.Signature:
    """Returns a function's signature with what it takes `beside` settings, and each setting, by name, for completion."""
    own = inspect.signature(of)
    known = [row for row in own.parameters.values() if row.kind is not inspect.Parameter.VAR_KEYWORD and row.name != "self"]
    names = [*beside, *(name.replace("-", "_") for name in SETTINGS if name not in _NOT_HERE)]
    rows = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in dict.fromkeys(names)]
    return own.replace(parameters=known + [row for row in rows if row.name not in own.parameters])
