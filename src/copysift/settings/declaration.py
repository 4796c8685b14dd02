"""How an option is declared: one field of a class, with its flag, limits, help and commands.

The command line, config files, Python keywords, web forms and docs/settings.md are made from such fields.
An option is declared once, in the class of its group (contents.py, selection.py, reading.py, machine.py,
output.py …); the settings of a command are composed of groups.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from copysift.errors import UsageError
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.refusals import refuse_all

AnySettings = TypeVar("AnySettings")


@dataclass(frozen=True, slots=True)
class Alias:
    """An old name of an option, which still works and prints a note."""

    flags: tuple[str, ...]  # none: an old name in config files and Python only
    key: str  # the name in config files and Python
    commands: tuple[str, ...]  # none: all commands of the option
    values: Mapping[object, object]  # old value → new value; a value that is not listed stays as it is

    @property
    def is_switch(self) -> bool:
        """Whether the old option takes no value."""
        return True in self.values


@dataclass(frozen=True, slots=True)
class Setting:
    """One declaration, as the command line, the server and the docs read it."""

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
    default_text: str  # the default in words, where the value alone does not say it
    help_for: Mapping[str, str]  # command → its help, where it differs
    default_for: Mapping[str, str]  # command → its default in words, where it differs
    aliases: tuple[Alias, ...]
    old_values: Mapping[str, Mapping[str, str]]  # command → old value → new value

    @property
    def places(self) -> tuple[str, ...]:
        """The commands as a user calls them: `index` for all that start with it."""
        return tuple(dict.fromkeys("index" if "index" in each else each for each in self.commands))

    @property
    def blamed(self) -> str:
        """The name in a message about a wrong value: the option without its dashes."""
        return self.flags[-1].lstrip("-") if self.flags else self.name

    @property
    def key(self) -> str:
        """The name in a config file."""
        return self.name.replace("_", "-")

    def aliases_of(self, commands: tuple[str, ...]) -> tuple[Alias, ...]:
        """Give the old names that some of the commands know."""
        return tuple(
            each for each in self.aliases if set(each.commands or self.commands).intersection(commands)
        )


def alias(
    flags: str, commands: str = "", *, key: str = "", values: Mapping[object, object] | None = None
) -> Alias:
    """Declare an old name; `values` of {True: new} makes it a switch."""
    names = tuple(flags.split())
    return Alias(names, key or names[-1].lstrip("-").replace("-", "_"), tuple(commands.split()), values or {})


def declare(
    default: object,
    flags: str,
    explained: str,
    section: str,
    parse: Callable[[str, object], Any],
    metavar: str = "",
    *,
    commands: str,
    choices: tuple[str, ...] = (),
    limits: tuple[float | None, float | None] = (None, None),
    default_text: str = "",
    help_for: Mapping[str, str] | None = None,
    default_for: Mapping[str, str] | None = None,
    aliases: tuple[Alias, ...] = (),
    old_values: Mapping[str, Mapping[str, str]] | None = None,
) -> Any:
    """Declare a field; `settings_of` fills in its name."""
    entry = Setting(
        "", default, tuple(flags.split()), explained, section, parse, metavar, choices, limits,
        tuple(commands.split()), default_text, _each(help_for), _each(default_for),
        aliases, old_values or {},
    )  # fmt: skip
    return dataclasses.field(default=default, metadata={"setting": entry})


def _each(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Give {"cluster dedup": x} as {"cluster": x, "dedup": x}."""
    return {command: value for names, value in (given or {}).items() for command in names.split()}


def with_default(group: type[Any], name: str, default: object, text: str = "") -> Any:
    """Declare a field of a group again with another default, for a class composed of it."""
    entry = _declared(group)[name]  # type: ignore[arg-type]  # classes are hashable
    changed = dataclasses.replace(entry, default=default, default_text=text)
    return dataclasses.field(default=default, metadata={"setting": changed})


def settings_of(kind: type[Any]) -> dict[str, Setting]:
    """Give the declarations of a class by field name: those of its commands, in order."""
    return {**_of_commands(kind)}  # type: ignore[arg-type]  # classes are hashable


@cache
def _of_commands(kind: type[Any]) -> dict[str, Setting]:
    """Choose the declarations of the commands of a class: many calls want the same."""
    commands = commands_of(kind)
    return {
        name: entry
        for name, entry in _declared(kind).items()  # type: ignore[arg-type]  # classes are hashable
        if not commands or commands.intersection(entry.commands)
    }


def commands_of(kind: type[Any]) -> set[str]:
    """Give the commands whose settings a class has; an empty set: all."""
    return set(getattr(kind, "COMMANDS", "").split())


@cache
def _declared(kind: type[Any]) -> dict[str, Setting]:
    return {
        field.name: dataclasses.replace(field.metadata["setting"], name=field.name)
        for field in dataclasses.fields(kind)
    }


@cache
def _limited(kind: type[Any]) -> tuple[tuple[str, Setting], ...]:
    return tuple(
        (name, entry)
        for name, entry in settings_of(kind).items()
        if entry.choices or entry.limits != (None, None)
    )


def check_limits(settings: Any) -> None:
    """Refuse a value that is outside the choices or limits of its declaration."""
    for name, entry in _limited(type(settings)):  # type: ignore[arg-type]  # classes are hashable
        value = getattr(settings, name)
        if value == entry.default:
            continue
        if entry.choices and value not in entry.choices:
            raise UsageError(
                f"{entry.flags[-1]} has no choice {value!r}", hint=f"choose from {', '.join(entry.choices)}"
            )
        low, high = entry.limits
        if value is None or (low is None and high is None):
            continue
        if (low is not None and value < low) or (high is not None and value > high):
            bounds = f"at least {low:,}" if high is None else f"between {low:,} and {high:,}"
            raise UsageError(f"{entry.flags[-1]} is {value}, but must be {bounds}")


def make(kind: type[AnySettings], values: Mapping[str, object], command: str = "") -> AnySettings:
    """Make settings of a class; with `command` only those that it takes.

    Old names work with a DeprecationWarning. Only checks: nothing is opened or built here.
    """
    commands = (command,) if command else tuple(commands_of(kind))
    declared = {
        name: entry for name, entry in settings_of(kind).items() if not command or command in entry.commands
    }
    values = modern(declared, values, commands, _warn, dashes="")
    for name in values:
        if name not in declared:
            raise UsageError(f"there is no setting {name!r}", hint=f"settings: {', '.join(declared)}")
    parsed = {
        name: declared[name].parse(declared[name].blamed, value)
        for name, value in values.items()
        if value is not None
    }
    refuse_all(commands, parsed, declared)
    complete = getattr(kind, "complete", None)
    return kind(**(complete(parsed) if complete else parsed))


def _warn(message: str) -> None:
    warnings.warn(message, DeprecationWarning, stacklevel=5)


def modern(
    declared: Mapping[str, Setting],
    values: Mapping[str, object],
    commands: tuple[str, ...],
    say: Callable[[str], None],
    dashes: str = "--",
) -> dict[str, object]:
    """Give values under their present names; `say` is called for each old name or value."""
    unknown = not values.keys() <= declared.keys()
    old = {
        each.key: (entry, each)
        for entry in (declared.values() if unknown else ())
        for each in entry.aliases_of(commands or entry.commands)
    }
    found: dict[str, object] = {}
    for name, value in values.items():
        if name not in declared and name in old:
            entry, known = old[name]
            if value is None or (known.is_switch and not value):
                continue
            former = known.flags[-1] if known.flags and dashes else name
            present = entry.flags[-1] if dashes else entry.name
            if entry.name in values:
                raise UsageError(
                    f"{former} is an old name of {present}, and you gave both", hint=f"use {present}"
                )
            new = known.values.get(value, value)
            say(f"{former} is now {present}" + (f" {new}" if known.values and new != value else ""))
            found.setdefault(entry.name, new)
        else:
            found[name] = _present_value(declared.get(name), value, commands, say)
    return found


def _present_value(
    entry: Setting | None, value: object, commands: tuple[str, ...], say: Callable[[str], None]
) -> object:
    if entry is None or not isinstance(value, str):
        return value
    for command in commands:
        renamed = entry.old_values.get(command, {})
        if value in renamed:
            say(f"{entry.flags[-1]} {value} is now {entry.flags[-1]} {renamed[value]}")
            return renamed[value]
    return value
