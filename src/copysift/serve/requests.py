"""Which settings a client may set, and what they look like in JSON; all of them are those of settings/.

What is about the server's disk, memory and threads is the server's, with a reason for who tries.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from copysift.errors import UsageError
from copysift.runtime import registry
from copysift.settings.commands import SOURCES
from copysift.settings.comparison import Settings
from copysift.settings.declaration import Setting, make, settings_of
from copysift.settings.output import Door
from copysift.settings.parsing import flag
from copysift.settings.refusals import is_refused
from copysift.workflows.reading import Reader

_COST = "the server decides what a job may cost"
_DISK = "an upload has no links, file systems or .gitignore"
_FILE = "send it as a file of the upload"
_SECRET = "it would be stored with the job"
_PRINTED = "it is about what the command line prints, and results here are pages and JSON"
_OTHER_REPORT = "the server reports pairs and clusters; use the command line"
REFUSED = {
    "memory": _COST, "jobs": _COST, "tmp_dir": _COST, "follow": _DISK, "gitignore": _DISK,
    "one_file_system": _DISK, "base": _FILE, "earlier": _FILE, "metadata": _FILE,
    "language_file": "a rule of a stranger can cost the server any time",
    "filter": "programs of a stranger would run on the server",
    "seed": _SECRET, "seed_file": _SECRET, "key_file": _SECRET,
    "floor": "it is about runs that are saved", "save": "the server keeps every result",
    "overwrite": "the server keeps every result", "decisions": "the server keeps the marks of every check",
    "folders": _OTHER_REPORT, "groups": _OTHER_REPORT, "sets": _OTHER_REPORT, "script": _OTHER_REPORT,
    "color": _PRINTED, "files_from": _FILE, "format": _PRINTED, "no_regions": _PRINTED, "null": _PRINTED,
    "output": _PRINTED, "passages": _PRINTED, "quiet": _PRINTED, "title": _PRINTED, "verbose": _PRINTED,
    "whole": _PRINTED, "server": "it is this server",
}  # fmt: skip
UNITS = ("auto", "file", "dir")
PAIRS = 500  # that a result has unless `limit` says otherwise
MOST_PAIRS = 5000
NAMED = frozenset(("kind", "language", "scheme"))


@cache
def allowed(command: str = "scan") -> Mapping[str, Setting]:
    """Give the settings of a command that a client may set, by name; `by` has one choice more: auto.

    Documents of an index, and two texts, are taken as they come: how to read a source has no effect there.
    """
    found = {
        name: entry
        for name, entry in settings_of(Settings).items()
        if command in entry.commands
        and name not in REFUSED
        and name != "by"
        and (command == "scan" or entry.section != SOURCES)
        and not is_refused(name, command)
    }
    if command == "scan":
        found["anonymise"] = settings_of(Door)["anonymise"]
    return found


def checked(settings: Mapping[str, Any], command: str = "scan") -> dict[str, Any]:
    """Give settings as they can be kept with a job; raise UsageError for what is unknown or wrong."""
    given = {name.replace("-", "_"): value for name, value in settings.items() if value not in (None, "", [])}
    known = allowed(command)
    unit = given.pop("by", "auto") if command == "scan" else "auto"
    if unit not in UNITS:
        raise UsageError(f"by cannot be {unit!r}", hint=f"choose from {', '.join(UNITS)}")
    for name in given:
        if name in REFUSED:
            raise UsageError(f"{name} cannot be set by a client", hint=REFUSED[name])
        if name not in known:
            raise UsageError(f"there is no setting {name!r}", hint=f"settings: {', '.join(known)}")
    values = {name: value for name, value in given.items() if name != "anonymise"}
    made = make(Settings, values, command)  # says what is wrong
    if not NAMED.isdisjoint(values):
        Reader(made)  # refuses a language or scheme that there is not
        if made.kind != "auto":
            registry.check(registry.KINDS, made.kind)
    limit = made.limit
    if limit is not None and not 0 < limit <= MOST_PAIRS:
        raise UsageError(f"limit is {limit}, but must be between 1 and {MOST_PAIRS:,}")
    if "anonymise" in given:
        flag("anonymise", given["anonymise"])
    return {**given, "by": unit} if command == "scan" else given


def schema(command: str = "scan") -> dict[str, Any]:
    """Give the settings as a JSON schema, made from their declarations."""
    properties: dict[str, Any] = {}
    if command == "scan":
        words = "What is compared: auto is dir where there are folders."
        properties["by"] = {"type": "string", "enum": list(UNITS), "default": "auto", "description": words}
    for name, entry in allowed(command).items():
        properties[name] = {"description": entry.help_for.get(command, entry.help), **_type(entry)}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _type(entry: Setting) -> dict[str, Any]:
    low, high = entry.limits
    if isinstance(entry.default, bool):
        return {"type": "boolean", "default": entry.default}
    if isinstance(entry.default, tuple):
        return {"type": "array", "items": {"type": "string"}, "default": list(entry.default)}
    if entry.choices:
        return {"type": "string", "enum": list(entry.choices), "default": entry.default}
    if isinstance(entry.default, str):
        return {"type": "string", "default": entry.default}
    if entry.name in ("threshold", "size_ratio", "max_shared"):
        return {"type": "number", "minimum": low if low is not None else 0}
    bounds = (
        {"minimum": 1, "maximum": MOST_PAIRS} if entry.name == "limit" else {"minimum": low, "maximum": high}
    )
    return {"type": "integer", **{key: value for key, value in bounds.items() if value is not None}}
