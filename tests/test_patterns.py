"""No regular expression of the package takes more than linear time on what a stranger wrote.

Every use of `re` is found in the source. The pattern is judged by `linear_patterns`; what is not linear must
be in the list of those that see only short or trusted text, with the reason.
"""

from __future__ import annotations

import ast
import importlib
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import copysift
from copysift.kernels.reference import jsonl
from copysift.kinds.catalog import languages
from copysift.sources import vendored
from tests.linear_patterns import RefusedError, verdict

PACKAGE = Path(copysift.__file__).parent
FUNCTIONS = {"compile", "match", "search", "sub", "subn", "split", "findall", "finditer", "fullmatch"}
ANCHORED = {"match", "fullmatch"}

# module:name or pattern → why more than linear time does no harm; exponential time always does
KNOWN = {
    "serve.forms:_CONSOLE": "help texts of the package",
    "serve.help_pages:_INLINE": "pages of the package",
    "sources.json_array:_TOKEN": "the caller stops at a string that has no end",
    "sources.payload:_SIZE": "matched at the start of a chunk only; the first failure ends the reading",
    "sources.readers.executable:_START_UP": "at most 61 lines of a listing from each place",
    "sources.readers.rst:_MARKUP": "at most 60 characters from each colon",
    "sources.readers.troff:_ESCAPE": "at most 80 characters from each backslash",
    f"sources.vendored:{vendored.SAID!r}": "80 characters, of the first 2,048 bytes",
    f"sources.vendored:{vendored.GENERATED!r}": "names of at most 255 characters",
    "sources.readers.yaml_values:_LINE": "goes on where the last line ended",
    "sources.readers.yaml_values:_STARTS_INSIDE": "goes on where the last token ended",
    "sources.readers.yaml_values:_TOKEN": "goes on where the last token ended; the rest is plain text",
    "sources.source:_WRITTEN": "files of the package",
    "sources.warc:_LANG": "500 bytes, of the first 4,096",
}
_PLAIN = jsonl._SPACE + b"(" + jsonl._PLAIN + b")" + jsonl._SPACE
_FIELD = _PLAIN + b":" + _PLAIN
# module: source of a pattern that is made while the program runs → one that it makes, or why it needs none
MADE: dict[str, bytes | str] = {
    "kernels.reference.jsonl: b'\\\\{' + field + b',' + field + b'\\\\}' + _SPACE": (
        rb"\{" + _FIELD + b"," + _FIELD + rb"\}" + jsonl._SPACE
    ),
    "kinds.catalog: self.looks_like.encode()": "of the files of languages: see below",
    "kinds.language: str(values['looks_like']).encode()": "the same, compiled to see whether it is a pattern",
    "kinds.webpage: b'</' + name + b'\\\\b'": rb"</script\b",
    "report.anonymise: b'(?<!' + letters + b')(?:' + text + b')(?!' + letters + b')'": (
        rb"(?<![a-z])(?:ann|bob lee)(?![a-z])"
    ),
    "serve.indexes: own": rb"/data/(?:indexes|cache)/[\w-]+\.sift(?:/[\w-]+(?![\w./-]))?",
    "serve.student_files: f'(?<!\\\\w){re.escape(self.name)}(?!\\\\w)'": rb"(?<!\w)ann\ lee(?!\w)",
    "sources.globs: '|'.join((f'(?:{one})' for one in expressions))": "tests/sources/test_globs.py",
    "sources.readers.markdown: b'^ {0,3}' + mark + mark[:1] + b'*[ \\\\t]*\\\\r?$'": (
        rb"(?m)^ {0,3}````*[ \t]*\r?$"
    ),
    'sources.readers.troff: b"^[.\']" + mark': rb"(?m)^[.']end[ \t]*\r?$",
}


class Use(NamedTuple):
    """A pattern, and how it is used."""

    module: str
    line: int
    name: str
    pattern: str | bytes
    flags: int
    searched: bool
    whole: bool


def _modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        source = path.read_text()
        if "import re\n" in source:
            yield name.removesuffix(".__init__"), ast.parse(source)


def _calls(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            held = node.func.value
            if isinstance(held, ast.Name) and held.id == "re" and node.func.attr in FUNCTIONS:
                yield node, node.func.attr


def _methods(tree: ast.AST, name: str) -> set[str]:
    """Give the methods by which a compiled pattern is used; `match` at a place counts as a search."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name:
            found.add(node.attr)
        if (
            isinstance(node, ast.Call)
            and len(node.args) > 1
            and ast.unparse(node.func).startswith(f"{name}.")
        ):
            found.add("search")
    return found


def _value(module: str, node: ast.expr) -> Any:
    """Give the value of an expression of names and constants of a module, or None."""
    with warnings.catch_warnings(action="ignore"):  # of packages that a module imports
        names = vars(importlib.import_module(f"copysift.{module}"))
    try:
        return eval(compile(ast.Expression(node), module, "eval"), dict(names))
    except NameError:
        return None


def _uses() -> Iterator[Use | str]:
    """Give every pattern; for one that is made while the program runs, its module and source."""
    for module, tree in _modules():
        named = {
            id(node.value): node.targets[0].id
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for call, function in _calls(tree):
            pattern = _value(module, call.args[0])
            if pattern is None:
                yield f"{module}: {ast.unparse(call.args[0])}"
                continue
            name = named.get(id(call), "")
            methods = _methods(tree, name) if name else {"search" if function == "compile" else function}
            flags = _value(module, call).flags if function == "compile" else 0
            whole = bool(methods) and methods <= {"fullmatch"}
            searched = not methods or not methods <= ANCHORED
            if "fullmatch" in methods and not whole:
                yield Use(module, call.lineno, name, pattern, flags, searched, True)
            yield Use(module, call.lineno, name, pattern, flags, searched, whole)


@pytest.mark.parametrize(
    ("pattern", "flags", "how", "expected"),
    [
        (r"(?:\s|<!--.*?-->|<\?.*?\?>)*<html", re.DOTALL, {"searched": False}, "exponential"),
        (r"(a+)+b", 0, {}, "exponential"),
        (r"(ab|a|b)*c", 0, {"searched": False}, "exponential"),
        (rb'"(?:[^"\\]+|\\.)*"', re.DOTALL, {"searched": False}, "exponential"),
        (rb'"(?:[^"\\]++|\\.)*"', re.DOTALL, {"searched": False}, "linear"),
        (rb'"(?:[^"\\]|\\.)*"', re.DOTALL, {}, "polynomial"),
        (r"<!--.*?-->", 0, {}, "polynomial"),
        (r"<!--.*?-->", 0, {"searched": False}, "linear"),
        (r"\w+", 0, {}, "linear"),
        (r"\w+x", 0, {}, "polynomial"),
        (r"\s+$", 0, {}, "polynomial"),
        (r"^[ \t]*\d+$", re.MULTILINE, {}, "linear"),
        (r"a*a*b", 0, {"searched": False}, "polynomial"),
        (r"a*a*", 0, {"searched": False}, "linear"),
        (r"a*a*", 0, {"searched": False, "whole": True}, "polynomial"),
        (r"x(?=\s*y)", 0, {}, "linear"),
        (r"\s(?=\s*y)", 0, {}, "polynomial"),
        (r"a[^b]{0,4096}b", 0, {}, "polynomial"),
    ],
)
def test_patterns_that_are_known_are_judged_as_they_are(
    pattern: str | bytes, flags: int, how: dict[str, bool], expected: str
) -> None:
    assert verdict(pattern, flags, **how) == expected


def _judged(use: Use) -> str:
    try:
        return verdict(use.pattern, use.flags, searched=use.searched, whole=use.whole)
    except RefusedError as error:
        return f"refused: {error}"


def test_every_pattern_of_the_package_takes_linear_time() -> None:
    wrong, met = [], set()
    for use in _uses():
        if isinstance(use, str):
            made = MADE.get(use)
            met.add(use)
            if made is None or (isinstance(made, bytes) and verdict(made) != "linear"):
                wrong.append(f"{use} is made while the program runs")
            continue
        how = _judged(use)
        key = f"{use.module}:{use.name or repr(use.pattern)}"
        if how != "linear":
            met.add(key)
            if key not in KNOWN or how == "exponential":
                wrong.append(f"{use.module}:{use.line} {use.name} {use.pattern!r} is {how}")
    assert not wrong, "\n".join(wrong)
    assert {*KNOWN, *MADE} <= met, f"no longer there: {({*KNOWN, *MADE}) - met}"


def test_the_marks_of_languages_take_linear_time() -> None:
    marks = {entry.language.name: entry.looks_like for entry in languages().entries if entry.looks_like}
    wrong = {name: each for name, each in marks.items() if verdict(each.encode()) == "exponential"}
    assert marks
    assert not wrong  # they see the first bytes of a file only, so that squares do no harm
