"""The examples in the core's docstrings.

Not collected by pytest itself: the root ``__init__.py`` would make it import the core
under the name of the repository's folder.
"""

import doctest
import importlib
import pkgutil

import pytest

import kalos_core

MODULES = [m.name for m in pkgutil.walk_packages(kalos_core.__path__, "kalos_core.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    found = [t for name in MODULES for t in finder.find(importlib.import_module(name))]
    assert sum(len(t.examples) for t in found) > 5
