"""Make src/copysift/settings/keywords.py from the declarations; --check says whether it is current."""

import sys
from pathlib import Path

from copysift.cli.options import declared
from copysift.settings import parsing
from copysift.settings.declaration import Setting, settings_of
from copysift.settings.index import Query
from copysift.settings.output import Door
from copysift.settings.refusals import is_refused
from copysift.settings.sweeps import Copies, SweepOptions, TraceOptions, moment

MODULE = Path(__file__).parents[1] / "src" / "copysift" / "settings" / "keywords.py"
COMMANDS = {
    "Scan": "scan", "Show": "show", "Compare": "compare", "Index": "index", "Query": "query",
    "Sweep": "sweep", "Locate": "locate", "History": "history", "Changes": "changes", "Copies": "copies",
    "Cluster": "cluster", "Recluster": "recluster", "Dedup": "dedup",
}  # fmt: skip
# Methods of an index that take the settings of a class alone: the rest of the command is that of the index.
ASKED = {
    "query": Query, "sweep": SweepOptions, "locate": TraceOptions, "history": TraceOptions,
    "changes": TraceOptions, "copies": Copies,
}  # fmt: skip
FINGERPRINT = (
    "kind", "language", "language_file", "noise", "guarantee", "shingle", "scheme", "modulus", "sketch",
    "anchor", "disjoint", "seed",
)  # fmt: skip
TYPES = {
    parsing.text: "str | PathLike[str]",
    parsing.texts: "str | Iterable[str | PathLike[str]]",
    parsing.flag: "bool",
    parsing.count: "int",
    parsing.ratio: "float",
    parsing.fraction: "float | str",
    parsing.multiple: "float | str",
    parsing.count_or_share: "float | str",
    parsing.size: "int | str",
    parsing.secret: "int | str",
    moment: "str | datetime",
}
MORE = {"features": "Callable[[FeatureRecord], Iterable[object]]"}  # what Python alone can give
HEAD = '''\
"""Keywords of the Python functions, as types; made from the declarations by scripts/make_keywords.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from os import PathLike
from typing import Literal, TypedDict


class FeatureRecord(TypedDict):
    """What a function of `features` is called with; `other` has the remaining fields as JSON."""

    id: str
    text: str
    date: str | None
    other: str | None
'''


def type_of(entry: Setting) -> str:
    """Give the type of a keyword as Python writes it."""
    if entry.choices:
        named = "Literal[" + ", ".join(f'"{choice}"' for choice in entry.choices) + "]"
    else:
        named = " | ".join([TYPES[entry.parse], *filter(None, [MORE.get(entry.name)])])
    return f"{named} | None" if entry.default is None else named


def of_class(name: str, entries: list[Setting], what: str) -> list[str]:
    """Give one class as lines."""
    lines = ["", "", f"class {name}Keywords(TypedDict, total=False):", f'    """{what}"""', ""]
    for entry in entries:
        made = type_of(entry)
        line = f"    {entry.name}: {made}"
        if len(line) <= 110:
            lines.append(line)
        else:
            inner = made.removeprefix("Literal[").rpartition("]")
            choices = [f"        {choice}," for choice in inner[0].split(", ")]
            lines += [f"    {entry.name}: Literal[", *choices, f"    ]{inner[2]}"]
    return lines


def module() -> str:
    """Give the whole module."""
    lines = [HEAD.rstrip("\n")]
    for name, command in COMMANDS.items():
        entries = [
            entry
            for entry in declared(command).values()
            if entry.name not in settings_of(Door) or (entry.name, command) == ("overwrite", "sweep")
            if not is_refused(entry.name, command)
            if command not in ASKED or entry.name in settings_of(ASKED[command])
        ]
        lines += of_class(name, entries, f"Settings of `copysift {command}`.")
    entries = [declared("scan")[name] for name in FINGERPRINT]
    lines += of_class("Fingerprint", entries, "What decides the fingerprints of a text.")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(MODULE.read_text(encoding="utf-8") != module())
    MODULE.write_text(module(), encoding="utf-8")
