"""The words that help, messages, docstrings, templates and docs avoid, and where they are looked for."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "copysift"
OPT_OUT = "words:"  # a comment with this and a reason excuses its line

# Not → use. Whole words, any case.
AVOIDED = {
    r"stands?|stood": "is, appears, is stored",
    r"anew": "again, or a verb with re-",
    r"heed(s|ed)?": "use, obey",
    r"mend(s|ed)?": "repair, fix",
    r"tells?(?! apart)|told": "show, say, describe",
    r"alike": "similar",
    r"by custom": "usually",
    r"perhaps": "may",
    r"vanish(es|ed)?|died|alive": "disappear, gone, present",
    r"handed out": "starter code",
    r"counts? for nothing|no evidence": "is ignored",
    r"hold it no more|any ?more": "no longer",
    r"so many|so long": "N, this long",
    r"at the (most|least)": "at most, at least",
    r"one a line|a document each": "one per line",
    r"in the place of": "instead of, replace",
    r"whom|whence|thereby": "rewrite",
    r"go(es)? on|begins?|gives? back|takes? up": "continue, start, return, resume",
    r"let in|let go": "accept, close",
    r"room": "space",
    r"is sound": "not damaged",
    r"cut short|broke off": "truncated, closed",
    r"(?<!there )is no (?!longer|more|need)[a-z]+": "is not a …",
    r"there is no such": "not found",
    r"name (it|them|one|another \w+) by": "use",
    r"asks? for|asked": "need, query, look up",
}
PATTERN = re.compile(r"\b(?:" + "|".join(f"(?:{each})" for each in AVOIDED) + r")\b", re.IGNORECASE)

# What is checked: every module of the package, but for those that are listed here with a reason.
EXCEPTIONS = {
    "kernels/reference": "definitions of kernels, which speak to developers",
}
PAGES = (  # globs below the root: docs, templates and JavaScript
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "docs/*.md",
    "experiments/*/README.md",
    "src/copysift/*/templates/*.j2",
    "src/copysift/*/static/*.js",
)
RAISED = re.compile(r"(Error|Exception|Skipped)$")
NOTED = ("note", "echo", "say", "phase", "warn")
SHOWN = ("report", "cli")  # folders whose every string may be shown


def literals_of(node: ast.AST) -> Iterator[ast.Constant]:
    """Give the string literals below a node; what is between the braces of an f-string is code."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node
    if not isinstance(node, ast.FormattedValue):
        for child in ast.iter_child_nodes(node):
            yield from literals_of(child)


def strings_in(content: str, *, everywhere: bool = False) -> Iterator[tuple[int, str]]:
    """Give the string literals of a module that users may see, with their lines.

    They are arguments of errors, notes, skipped files and click; `everywhere`: all sentences but docstrings.
    """
    excused = {at for at, line in enumerate(content.splitlines(), 1) if OPT_OUT in line}
    tree = ast.parse(content)
    found: dict[int, ast.Constant] = {}  # the parts of an f-string have one place, so by identity
    for call in ast.walk(tree):
        name = getattr(getattr(call, "func", None), "id", getattr(getattr(call, "func", None), "attr", ""))
        if isinstance(call, ast.Call) and (RAISED.search(name) or name in NOTED):
            found |= {id(each): each for each in literals_of(call)}
    if everywhere:
        documented = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
        sentences = (each for each in literals_of(tree) if " " in each.value)
        found |= {id(each): each for each in sentences if id(each) not in documented}
    for each in sorted(found.values(), key=lambda each: each.lineno):
        if each.lineno not in excused:
            yield each.lineno, str(each.value)


def strings_of(path: Path) -> Iterator[tuple[int, str]]:
    """Give the strings of a module of the package that users may see, with their lines."""
    shown = path.relative_to(SOURCE).parts[0] in SHOWN
    return strings_in(path.read_text(encoding="utf-8"), everywhere=shown)


def avoided_in(text: str) -> list[str]:
    """Give the avoided words of a text."""
    return [found.group() for found in PATTERN.finditer(text)]


def message_faults() -> list[str]:
    """Give every avoided word in a message of the package, with its place."""
    paths = [
        path
        for path in sorted(SOURCE.rglob("*.py"))
        if not any(path.is_relative_to(SOURCE / each) for each in EXCEPTIONS)
    ]
    return [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path in paths
        for line, text in strings_of(path)
        for word in avoided_in(text)
    ]


def docstrings_in(content: str) -> Iterator[tuple[int, str]]:
    """Give the docstrings of a module, line by line, without the code between backticks."""
    lines = content.splitlines()
    for node in ast.walk(ast.parse(content)):
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if documented and ast.get_docstring(node):
            for at in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1):
                if OPT_OUT not in lines[at - 1]:
                    yield at, re.sub(r"`[^`]*`", "``", lines[at - 1])


def docstring_faults() -> list[str]:
    """Give every avoided word in a docstring of the package, with its place."""
    return [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line, text in docstrings_in(path.read_text(encoding="utf-8"))
        for word in avoided_in(text)
    ]


def page_faults() -> list[str]:
    """Give every avoided word in the checked pages, with its place."""
    return [
        f"{path.relative_to(ROOT)}:{at}: {word}"
        for pattern in PAGES
        for path in sorted(ROOT.glob(pattern))
        for at, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if OPT_OUT not in line
        for word in avoided_in(line)
    ]
