"""The stubs of the kernels say what the compiled modules have: the same names, parameters and defaults.

Type checks of the whole package rest on the stubs, and nothing else compares them with what is compiled.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

import pytest

from copysift import kernels

FOLDER = Path(kernels.__file__).parent
STUBS = sorted(path.stem for path in FOLDER.glob("_*.pyi"))


def declared(name: str) -> dict[str, ast.stmt]:
    """Give the functions and classes of a stub."""
    tree = ast.parse((FOLDER / f"{name}.pyi").read_text())
    return {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef | ast.ClassDef)}


def parameters(function: ast.FunctionDef) -> list[tuple[str, bool]]:
    """Give the names of parameters in a stub, and whether each has a default."""
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    required = len(plain) - len(given.defaults)
    named = [(each.arg, at >= required) for at, each in enumerate(plain)]
    return named + [
        (each.arg, default is not None)
        for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]


def test_every_compiled_module_has_a_stub():
    modules = {path.stem for path in FOLDER.glob("_*.pyx")}
    assert modules
    assert modules - set(STUBS) == set()


@pytest.mark.parametrize("name", STUBS)
def test_what_a_stub_declares_is_compiled(name):
    module = importlib.import_module(f"copysift.kernels.{name}")
    missing = [each for each in declared(name) if not hasattr(module, each)]
    assert missing == []


@pytest.mark.parametrize("name", STUBS)
def test_what_is_compiled_for_others_is_declared(name):
    module = importlib.import_module(f"copysift.kernels.{name}")
    own = {
        each
        for each, value in vars(module).items()
        if not each.startswith("_") and callable(value) and getattr(value, "__module__", "").endswith(name)
    }
    assert own - set(declared(name)) == set()


@pytest.mark.parametrize("name", STUBS)
def test_parameters_and_defaults_are_those_that_are_compiled(name):
    module = importlib.import_module(f"copysift.kernels.{name}")
    differing = {}
    for each, node in declared(name).items():
        if not isinstance(node, ast.FunctionDef):
            continue
        try:
            found = inspect.signature(getattr(module, each)).parameters.values()
        except ValueError:  # compiled without a signature
            continue
        compiled = [(one.name, one.default is not one.empty) for one in found]
        if compiled != parameters(node):
            differing[each] = (compiled, parameters(node))
    assert differing == {}
