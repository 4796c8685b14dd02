"""How a setting is declared: one field of a class, with its flag, limits and help.

The command line, the config file, the Python keywords and docs/settings.md are made from such classes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from copysift.errors import UsageError


@dataclass(frozen=True, slots=True)
class Setting:
    """One declaration, as the doors read it."""

    name: str
    default: object
    flags: tuple[str, ...]
    help: str
    section: str
    parse: Callable[[str, object], Any]
    metavar: str
    choices: tuple[str, ...]
    limits: tuple[float | None, float | None]
    commands: tuple[str, ...]
    shown: str  # the default in words, where the value alone does not say it
    told: Mapping[str, str]  # the help of commands for which it is another one

    @property
    def places(self) -> tuple[str, ...]:
        """The commands as a user calls them: `index` for all that begin with it."""
        return tuple(dict.fromkeys(command.split("-")[0] for command in self.commands))

    @property
    def blamed(self) -> str:
        """The name that a message about a wrong value gives: that of the option, without its dashes."""
        return self.flags[-1].lstrip("-") if self.flags else self.name

    @property
    def key(self) -> str:
        """The name in a config file."""
        return self.name.replace("_", "-")


def declare(
    default: object,
    flags: str,
    explained: str,
    section: str,
    parse: Callable[[str, object], Any],
    metavar: str = "",
    *,
    choices: tuple[str, ...] = (),
    limits: tuple[float | None, float | None] = (None, None),
    commands: str = "scan compare index sweep",
    shown: str = "",
    told: Mapping[str, str] | None = None,
) -> Any:
    """Declare a field; the name is filled in by `settings_of`."""
    entry = Setting(
        "", default, tuple(flags.split()), explained, section, parse, metavar, choices, limits,
        tuple(commands.split()), shown, told or {},
    )  # fmt: skip
    return dataclasses.field(default=default, metadata={"setting": entry})


AnySettings = TypeVar("AnySettings")


def settings_of(kind: type[Any]) -> dict[str, Setting]:
    """Give the declarations of a class by field name, in the order in which they are written."""
    return dict(_declared(kind))  # type: ignore[arg-type]  # classes are hashable, whatever mypy thinks of Any


@cache
def _declared(kind: type[Any]) -> dict[str, Setting]:
    return {
        field.name: dataclasses.replace(field.metadata["setting"], name=field.name)
        for field in dataclasses.fields(kind)
    }


def make(kind: type[AnySettings], values: Mapping[str, object]) -> AnySettings:
    """Make settings from values as they come from a command line, a config file or Python."""
    declared = settings_of(kind)
    for name in values:
        if name not in declared:
            raise UsageError(f"there is no setting {name!r}", hint=f"settings: {', '.join(declared)}")
    return kind(
        **{
            name: declared[name].parse(declared[name].blamed, value)
            for name, value in values.items()
            if value is not None
        }
    )


def check_limits(settings: Any) -> None:
    """Refuse a value that is outside the choices or limits of its declaration."""
    for name, entry in settings_of(type(settings)).items():
        value = getattr(settings, name)
        if entry.choices and value not in entry.choices:
            raise UsageError(
                f"{entry.flags[-1]} has no choice {value!r}",
                hint=f"choose from {', '.join(filter(None, entry.choices))}",
            )
        low, high = entry.limits
        if value is None or (low is None and high is None):
            continue
        if (low is not None and value < low) or (high is not None and value > high):
            bounds = f"at least {low:,}" if high is None else f"between {low:,} and {high:,}"
            raise UsageError(f"{entry.flags[-1]} is {value}, but must be {bounds}")
