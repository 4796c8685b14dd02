"""The words that help, messages, templates and docs avoid, and where they are looked for."""

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

# What is checked: add a folder or a suffix here.
FOLDERS = ("settings", "cli")
PAGES: tuple[str, ...] = ()  # globs below the root, for templates, JavaScript and docs
RAISED = re.compile(r"Error$")
NOTED = ("note", "echo", "say", "phase")


def strings_of(path: Path) -> Iterator[tuple[int, str]]:
    """Give the string literals that a module passes to errors, notes and click, with their lines."""
    content = path.read_text(encoding="utf-8")
    excused = {at for at, line in enumerate(content.splitlines(), 1) if OPT_OUT in line}
    for call in ast.walk(ast.parse(content)):
        if not isinstance(call, ast.Call):
            continue
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if RAISED.search(name) or name in NOTED:
            for each in ast.walk(call):
                literal = isinstance(each, ast.Constant) and isinstance(each.value, str)
                if literal and each.lineno not in excused:
                    yield each.lineno, each.value


def avoided_in(text: str) -> list[str]:
    """Give the avoided words of a text."""
    return [found.group() for found in PATTERN.finditer(text)]


def message_faults() -> list[str]:
    """Give every avoided word in a message of the checked folders, with its place."""
    paths = sorted(path for folder in FOLDERS for path in (SOURCE / folder).rglob("*.py"))
    return [
        f"{path.relative_to(ROOT)}:{line}: {word}"
        for path in paths
        for line, text in strings_of(path)
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
