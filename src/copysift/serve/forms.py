"""Forms made from the declarations of settings: fields by section, and what a browser sends for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from copysift.errors import UsageError
from copysift.kinds.catalog import languages
from copysift.runtime import registry
from copysift.serve.requests import MOST_PAIRS, allowed
from copysift.settings.commands import SECTIONS
from copysift.settings.declaration import Setting
from copysift.settings.refusals import REFUSALS

OFTEN = ("kind", "language", "threshold", "max_shared", "anonymise")  # shown without unfolding, in this order
# What of a help is about the command line.
_CONSOLE = re.compile(r" Repeatable\.| See copysift \w+\.| Same as --[^.]+\.")


@dataclass(frozen=True, slots=True)
class Field:
    """An input of a form; `choices` are values with the words that are shown for them."""

    name: str
    label: str
    help: str
    kind: str  # checkbox, select, number, text
    placeholder: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Form:
    """The fields that are often used, and the others by section."""

    often: tuple[Field, ...]
    sections: tuple[tuple[str, tuple[Field, ...]], ...]


@cache
def form_for(command: str) -> Form:
    """Make the form of a command: every setting that a client may set is in it once."""
    known = allowed(command)
    fields = {name: _field(entry, command) for name, entry in known.items()}
    often = tuple(fields[name] for name in OFTEN if name in fields)
    rest = {name: entry for name, entry in known.items() if name not in OFTEN}
    sections = (
        (section, tuple(fields[name] for name, entry in rest.items() if entry.section == section))
        for section in SECTIONS
    )
    return Form(often, tuple((section, found) for section, found in sections if found))


def settings_of_form(fields: Mapping[str, str], command: str) -> dict[str, Any]:
    """Give the settings of a form that was sent; raise UsageError for a field that it does not have.

    A choice that was left at its default is not given: an index of earlier years may have another.
    """
    known = allowed(command)
    found: dict[str, Any] = {}
    for name, value in fields.items():
        if name != "by" and name not in known:
            raise UsageError(f"there is no field {name!r}", hint="load the page again")
        if not value.strip():
            continue
        default = known[name].default if name in known else ""
        if isinstance(default, bool):
            found[name] = value == "on"
        elif value.strip() != default:
            found[name] = value.split() if isinstance(default, tuple) else value.strip()
    return found


def _field(entry: Setting, command: str) -> Field:
    words = _CONSOLE.sub("", entry.help_for.get(command, entry.help).replace("`", ""))
    label = entry.flags[-1].lstrip("-").replace("-", " ").capitalize()
    if isinstance(entry.default, bool):
        return Field(entry.name, label, words, "checkbox")
    choices = _choices(entry, command)
    default = _default(entry, command)
    if choices:
        first = () if any(value == entry.default for value, _ in choices) else (("", default or "default"),)
        ordered = sorted(choices, key=lambda each: each[0] != entry.default)
        return Field(entry.name, label, words, "select", choices=(*first, *ordered))
    if isinstance(entry.default, tuple):
        return Field(entry.name, label, f"{words} Separate several with spaces.", "text", default)
    low, high = entry.limits
    if isinstance(entry.default, str) or entry.name in ("threshold", "max_shared", "size_ratio"):
        return Field(entry.name, label, words, "text", default)
    if entry.name == "limit":
        return Field(entry.name, label, words.replace(" (0: all)", ""), "number", "500", 1, MOST_PAIRS)
    return Field(entry.name, label, words, "number", default, low, high)


def _default(entry: Setting, command: str) -> str:
    named = entry.default_for.get(command) or entry.default_text
    if "--" in named:  # it depends on an option that a form does not have
        return ""
    return named.partition(";")[0] or ("" if entry.default is None else str(entry.default))


def _choices(entry: Setting, command: str) -> tuple[tuple[str, str], ...]:
    if entry.choices:
        rows = [row for row in REFUSALS if row.option == entry.name]
        return tuple(
            (each, each) for each in entry.choices if not any(row.concerns(command, each) for row in rows)
        )
    if entry.name == "kind":
        return tuple((each, each) for each in ("auto", *registry.names(registry.KINDS)))
    if entry.name == "scheme":
        return tuple((each, each) for each in registry.names(registry.SCHEMES))
    if entry.name == "language":
        found = ((each.name, each.title) for each in languages().entries)
        return tuple(sorted(found, key=lambda pair: pair[1].lower()))
    return ()
