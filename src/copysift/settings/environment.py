"""Settings from environment variables: COPYSIFT_SERVE_PORT=8000 for --port 8000."""

from __future__ import annotations

import os
from collections.abc import Mapping

from copysift.errors import UsageError
from copysift.settings.declaration import Setting
from copysift.settings.nearest import nearest

_SWITCH = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}


def read_environment(
    prefix: str, declared: Mapping[str, Setting], environ: Mapping[str, str]
) -> dict[str, object]:
    """Give the settings whose variables are set, by name; an empty variable counts as not set.

    Several values of one option are separated as in PATH. `config` names a config file. A variable with
    the prefix that no option has is refused: it would be a misspelled limit that does not limit.
    """
    found: dict[str, object] = {}
    for variable, value in environ.items():
        if not variable.startswith(prefix) or not value:
            continue
        name = variable.removeprefix(prefix).lower()
        if name == "config":
            found[name] = value
            continue
        if name not in declared:
            known = [prefix + each.upper() for each in declared]
            near = nearest(name, declared)
            hint = f"did you mean {prefix}{near.upper()}?" if near else f"variables: {', '.join(known)}"
            raise UsageError(f"there is no setting for the variable {variable}", hint=hint)
        found[name] = _value(variable, declared[name], value)
    return found


def _value(variable: str, entry: Setting, value: str) -> object:
    if isinstance(entry.default, tuple):
        return tuple(value.split(os.pathsep))
    if isinstance(entry.default, bool):
        if value.lower() not in _SWITCH:
            raise UsageError(f"the variable {variable} is {value!r}", hint="write yes or no")
        return _SWITCH[value.lower()]
    return entry.parse(f"variable: {variable}", value)
