"""What a client may ask for: settings that are safe to take from a stranger, and texts.

The settings are those of settings.py; here stands only which of them a client may set. Paths, memory
and threads are the server's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from copysift.errors import UsageError
from copysift.settings.comparison import Settings
from copysift.settings.declaration import Setting, make, settings_of

ALLOWED = (
    "kind", "language", "noise", "guarantee", "scheme", "modulus", "sketch", "disjoint", "threshold",
    "measure", "min_shared", "min_match", "same_suffix", "size_ratio", "max_shared", "limit", "include",
    "exclude",
)  # fmt: skip
UNITS = ("auto", "file", "dir")
PAIRS = 500  # that a result has unless `limit` says otherwise
MOST_PAIRS = 5000


def allowed() -> dict[str, Setting]:
    """Give the settings that a client may set, by name."""
    return {name: entry for name, entry in settings_of(Settings).items() if name in ALLOWED}


def checked(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Give settings as they can be kept with a job; raise UsageError where one makes no sense."""
    given = {name.replace("-", "_"): value for name, value in settings.items() if value not in (None, "", [])}
    unit = given.pop("by", "auto")
    if unit not in UNITS:
        raise UsageError(f"by cannot be {unit!r}", hint=f"choose from {', '.join(UNITS)}")
    known = allowed()
    for name in given:
        if name not in known:
            raise UsageError(f"there is no setting {name!r}", hint=f"settings: by, {', '.join(known)}")
    limit = make(Settings, given, "scan").limit  # says what makes no sense
    if limit is not None and limit > MOST_PAIRS:
        raise UsageError(f"limit is {limit}, but must be at most {MOST_PAIRS:,}")
    return {**given, "by": unit}


def schema() -> dict[str, Any]:
    """Give the settings as a JSON schema, made from their declarations."""
    properties: dict[str, Any] = {
        "by": {"type": "string", "enum": list(UNITS), "default": "auto", "description": "What is compared."}
    }
    for name, entry in allowed().items():
        properties[name] = {"description": entry.help, **_type(entry)}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _type(entry: Setting) -> dict[str, Any]:
    low, high = entry.limits
    if isinstance(entry.default, bool):
        return {"type": "boolean", "default": entry.default}
    if isinstance(entry.default, tuple):
        return {"type": "array", "items": {"type": "string"}, "default": list(entry.default)}
    if entry.choices:
        return {"type": "string", "enum": list(entry.choices), "default": entry.default}
    if entry.name in ("threshold", "size_ratio"):
        return {"type": "number", "minimum": low if low is not None else 0}
    if entry.name in ("kind", "language", "scheme"):
        return {"type": "string"}
    bounds = {"minimum": low, "maximum": MOST_PAIRS if entry.name == "limit" else high}
    return {"type": "integer", **{key: value for key, value in bounds.items() if value is not None}}
