"""Runs the examples of the docstrings."""

import doctest
import importlib

import numpy as np
import pytest

import stencilscope as ss


@pytest.mark.parametrize("name", ["", "._fit", "._models", "._simulation", "._sympy"])
def test_the_examples_say_what_comes(name, monkeypatch):
    if name == "._sympy":
        pytest.importorskip("sympy")
    module = importlib.import_module("stencilscope" + name)
    runner = doctest.DocTestRunner()
    said = []
    examples = [t for t in doctest.DocTestFinder(exclude_empty=True).find(module, extraglobs={"ss": ss, "np": np}) if t.examples]
    for test in examples:
        runner.run(test, out=said.append)
    assert examples and runner.summarize(verbose=False).failed == 0, "".join(said)
