"""The definition of an output format: all facts about it, and what writes it.

A format can show the results of several commands. Built-in formats name their writers, so that a list of
formats loads none of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from copysift.runtime import registry
from copysift.runtime.lazy_dataclass import dataclass

PAIRS = "scan show compare check"  # the commands whose result is a `Result`
Written = str | Iterator[str] | Mapping[str, str]  # a text, parts of it, or the files of a folder
Writer = Callable[[Any, Any], Written]  # of a result and a `View`


@dataclass(frozen=True, slots=True)
class Format:
    """All facts about an output format.

    `writers` has a function of a result and a `View` for commands, or its name as `module:function`; an empty
    name: the command itself writes it. `suffixes` of output files choose the format. `limit` is how many rows
    are shown unless the user says otherwise. `regions`: it shows where passages are; `groups`: it lists
    groups around a reference file; `sources`: it shows the sources of the best pairs, and these alone;
    `folder`: it writes several files.
    """

    name: str
    description: str
    writers: Mapping[str, Writer | str]
    suffixes: tuple[str, ...] = ()
    limit: int | None = None
    regions: bool = False
    groups: bool = False
    sources: bool = False
    folder: bool = False

    def shows(self, command: str) -> bool:
        """Say whether the result of a command can be shown in this format."""
        return any(command in commands.split() for commands in self.writers)

    def writer(self, command: str) -> Writer:
        """Give what writes the result of a command."""
        found = next(each for commands, each in self.writers.items() if command in commands.split())
        if not isinstance(found, str):
            return found
        module, _, name = found.partition(":")
        loaded: Writer = getattr(importlib.import_module(module), name)
        return loaded


@cache
def format_of(name: str) -> Format:
    """Give a format; a function of a package for version 0.1 shows pairs, and may list groups."""
    made = registry.load(registry.REPORTS, name)
    if isinstance(made, Format):
        return made
    return Format(name, "plug-in", {PAIRS: made}, (f".{name}",), groups=True)


def formats_for(command: str) -> tuple[str, ...]:
    """Name the formats that show the result of a command, plug-ins included."""
    return tuple(name for name in registry.names(registry.REPORTS) if format_of(name).shows(command))


def format_by_suffix(suffix: str) -> str:
    """Name the format of output files with a suffix; empty if none has it."""
    for names in (registry.built_in, registry.names):  # plug-ins are looked for last: that is slow
        for name in names(registry.REPORTS) if suffix else ():
            if suffix in format_of(name).suffixes:
                return name
    return ""
