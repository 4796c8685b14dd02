"""Imports are at the top of modules: one inside a function hides what a module needs, and cycles."""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
# A command prints its help without loading what it does, and extensions are loaded once they are found.
FREE = ("copysift.cli.", "copysift.kernels")
# What a short command does without: optional packages, and those that take longer to load than it runs.
SLOW = {"fastwarc", "pyarrow", "pyspark", "sqlite3", "subprocess"}
MODULES = {
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(SOURCE.rglob("*.py"))
}


def imported(nodes: list[ast.stmt] | Iterator[ast.AST]) -> Iterator[tuple[int, str]]:
    """Give line and name of every import among some nodes."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, each.name) for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                inner = f"{node.module}.{each.name}"
                yield node.lineno, inner if inner in MODULES else node.module


TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in MODULES.items()}
TOP = {name: {target for _, target in imported(tree.body)} for name, tree in TREES.items()}


def loads(name: str, seen: set[str]) -> set[str]:
    """Give what is loaded with a module: modules of copysift, and the packages of others."""
    if name not in MODULES:
        return seen | {name.partition(".")[0]}
    if name not in seen:
        seen.add(name)
        for target in TOP[name]:
            seen |= loads(target, seen)
    return seen


def hidden() -> Iterator[tuple[str, int, str]]:
    """Give every import of copysift's own modules inside a function."""
    for name, tree in TREES.items():
        functions = (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef))
        for function in functions:
            for line, target in imported(ast.walk(function)):
                if target in MODULES and not name.startswith(FREE):
                    yield name, line, target


def test_modules_are_imported_inside_functions_only_if_they_load_what_is_slow_or_optional():
    assert [each for each in hidden() if not loads(each[2], set()) & SLOW] == []


def test_no_modules_import_each_other():
    reached = {name: loads(name, set()) for name in MODULES}
    assert [
        (name, target) for name in MODULES for target in TOP[name] & set(MODULES) if name in reached[target]
    ] == []
