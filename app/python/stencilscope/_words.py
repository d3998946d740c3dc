"""Settings as the command line spells them."""

from __future__ import annotations

import json
import numbers
import os
from collections.abc import Mapping, Sequence
from typing import Any

from stencilscope import _core


def json_object(text: str) -> dict[str, Any]:
    """What a text of JSON holds."""
    result: dict[str, Any] = json.loads(text)
    return result


SETTINGS: dict[str, dict[str, Any]] = {row.pop("name"): row for row in json.loads(_core.setting_table())}

_SEPARATORS = {"size": "x", "range": ":", "laplacian-range": ":"}


def text_of(value: Any, separator: str = ",") -> str:
    """One value as it would be typed: a number exactly, a sequence with `separator` between its items."""
    if isinstance(value, (str, os.PathLike)):
        return str(os.fspath(value))
    if isinstance(value, numbers.Integral):  # of Python, of NumPy, and booleans
        return str(value).lower() if isinstance(value, bool) else str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if type(value).__name__ == "bool":  # NumPy's
        return str(bool(value)).lower()
    if isinstance(value, type) or hasattr(value, "name"):  # numpy.float32, or its dtype
        return str(getattr(value, "name", None) or value.__name__)
    if isinstance(value, Sequence):
        return separator.join(text_of(item) for item in value)
    raise TypeError(f"{value!r}: a setting takes a text, a number, True, False or a sequence of them")


def words_of(settings: Mapping[str, Any], parameters: Mapping[str, float] | None = None) -> list[tuple[str, str]]:
    """Pairs of a setting's name and its text. None is left out."""
    words = []
    for keyword, value in settings.items():
        if value is None:
            continue
        name = keyword.replace("_", "-")
        many = SETTINGS.get(name, {}).get("many", False)
        if many and isinstance(value, Sequence) and not isinstance(value, str):
            words += [(name, text_of(item)) for item in value]
        else:
            words.append((name, text_of(value, _SEPARATORS.get(name, ","))))
    words += [("set", f"{name}={text_of(value)}") for name, value in (parameters or {}).items()]
    return words


def setting_help() -> str:
    """A line for each setting."""
    lines = []
    for name, row in SETTINGS.items():
        kind = "True or False" if not row["value"] else row["value"]
        lines.append(f"        {name.replace('-', '_')}: {row['help']} [{kind}{', or several' if row['many'] else ''}]")
    return "\n".join(lines)
