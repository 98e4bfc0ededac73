# SPDX-License-Identifier: Apache-2.0
"""Tests of the examples in docstrings and in docs/python.md."""

import doctest
import importlib
import pathlib

import pytest

import stowage
from support import ROOT

MODULES = sorted(path.stem for path in
                 pathlib.Path(stowage.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    module = importlib.import_module(
        "stowage" if name == "__init__" else f"stowage.{name}")
    assert module.__doc__
    assert doctest.testmod(module).failed == 0


def test_the_page():
    found = doctest.testfile(str(ROOT / "docs/python.md"),
                             module_relative=False)
    assert found.attempted > 15 and found.failed == 0


def test_everything_public_has_a_docstring():
    for name in stowage.__all__:
        assert getattr(stowage, name).__doc__, name
    for cls in (stowage.Plan, stowage.Problem):
        for name, value in vars(cls).items():
            if not name.startswith("_") and (callable(value) or isinstance(
                    value, property)):
                assert value.__doc__, f"{cls.__name__}.{name}"
