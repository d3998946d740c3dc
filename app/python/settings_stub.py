"""Writes stencilscope/_settings.pyi: the keyword arguments of a simulation, from the program's table of settings."""

import json
import sys

import _core

SETTINGS = {row["name"]: row for row in json.loads(_core.setting_table())}

WHOLE = {"steps", "seed", "threads", "global-every"}
NUMBERS = {"time", "coefficient", "dt", "tolerance", "dx"}
KINDS = {"size": "int | str | Sequence[int]", "dtype": "Any", "model": "str | os.PathLike[str]"}


def kind(name, row):
    if row["value"] in ("", "true|false"):
        return "bool"
    one = "int | str" if name in WHOLE else "float | str" if name in NUMBERS else KINDS.get(name)
    if one is None:
        one = "str | Sequence[object]" if row["many"] or name in ("export", "range", "laplacian-range") else "str | float | Sequence[object]"
        if row["value"] in ("NAME", "B", "FORMULA", "CONDITION", "[N]UNIT", "UNIT") and not row["many"]:
            one = "str"
    return one


lines = ["import os", "from collections.abc import Sequence", "from typing import Any, TypedDict", "", "class Settings(TypedDict, total=False):"]
lines += [f"    {name.replace('-', '_')}: {kind(name, row)} | None" for name, row in SETTINGS.items() if name not in ("every", "checkpoint", "initial")]
with open(sys.argv[1], "w") as file:
    file.write("\n".join(lines) + "\n")
