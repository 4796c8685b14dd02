"""The options of a command, made from the declarations in settings/."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from copysift.cli import console
from copysift.settings.commands import OUTPUT, SECTIONS
from copysift.settings.comparison import Settings
from copysift.settings.config import read_config, read_secret
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import Setting, make, modern, settings_of
from copysift.settings.index import Query
from copysift.settings.output import Door
from copysift.settings.refusals import is_refused, refuse_all
from copysift.settings.server import ServeOptions
from copysift.settings.sweeps import Copies, SweepOptions, TraceOptions

# Where two classes have the same option, the first wins: a query's threshold is that of Query.
CLASSES: tuple[type[Any], ...] = (
    Query,
    Copies,
    TraceOptions,
    SweepOptions,
    CorpusSettings,
    ServeOptions,
    Settings,
    Door,
)
OLD = "old_"  # begins the parameter of an old name

F = TypeVar("F", bound=Callable[..., Any])
Made = TypeVar("Made")


class SectionedCommand(click.Command):
    """A command whose help lists the options under the sections of the declarations."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {name: [] for name in SECTIONS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                sections[getattr(parameter, "section", OUTPUT)].append(record)
        for section, records in sections.items():
            if records:
                with formatter.section(section):
                    formatter.write_dl(records)


class SettingOption(click.Option):
    """A click option that belongs to a section of the help."""

    section = OUTPUT
    on = False  # a switch that is on unless it is turned off

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Name a switch by the form that changes something; the other overrules a config file."""
        record = super().get_help_record(ctx)
        return record and (record[0].split(" / ")[-1 if self.on else 0], record[1])


def declared(command: str) -> dict[str, Setting]:
    """Give the settings that a command takes, by name."""
    found: dict[str, Setting] = {}
    for kind in CLASSES:
        for name, entry in settings_of(kind).items():
            if command in entry.commands and _serves(kind, command):
                found.setdefault(name, entry)
    return found


def _serves(kind: type[Any], command: str) -> bool:
    return command in getattr(kind, "COMMANDS", command).split()


def every_setting() -> dict[str, Setting]:
    """Give the settings of all commands by name."""
    return {name: entry for kind in reversed(CLASSES) for name, entry in settings_of(kind).items()}


def options(command: str) -> Callable[[F], F]:
    """Decorate a click command with its settings, their old names, and --config."""

    def decorate(function: F) -> F:
        made = [_option(entry, command) for entry in declared(command).values()]
        made += [each for entry in declared(command).values() for each in _old_options(entry, command)]
        made.append(_config_option())
        parameters = getattr(function, "__click_params__", [])
        function.__click_params__ = [*reversed(made), *parameters]  # type: ignore[attr-defined]
        return function

    return decorate


def _config_option() -> SettingOption:
    return SettingOption(
        ["--config"], metavar="FILE", help="Read options from a TOML file. Options on the command line win."
    )


def _option(entry: Setting, command: str) -> SettingOption:
    words = entry.help_for.get(command, entry.help).replace("`", "'")
    unnamed = entry.choices and not any(choice in words for choice in entry.choices)
    shown = f"{words}  [{'|'.join(entry.choices)}]" if unnamed else words
    default = default_of(entry, command)
    if default and default != "none":
        shown += f"  [default: {default}]"
    names = list(entry.flags)
    extra: dict[str, Any] = {}
    if isinstance(entry.default, bool):
        name = names[-1][2:]
        names[-1] += f"/--{name.removeprefix('no-')}" if name.startswith("no-") else f"/--no-{name}"
        shown = words
    elif entry.name == "verbose":
        extra, shown = {"count": True}, words
    else:
        extra = {"metavar": entry.metavar, "multiple": isinstance(entry.default, tuple)}
    option = SettingOption(
        [entry.name, *names], help=shown, default=None, hidden=is_refused(entry.name, command), **extra
    )
    option.section = entry.section
    option.on = entry.default is True
    return option


def _old_options(entry: Setting, command: str) -> list[SettingOption]:
    made = []
    for alias in entry.aliases_of((command,)):
        if alias.flags:
            several = not alias.is_switch and isinstance(entry.default, tuple)
            switch: dict[str, Any] = {"is_flag": True, "flag_value": True} if alias.is_switch else {}
            names = [OLD + alias.key, *alias.flags]
            made.append(SettingOption(names, hidden=True, default=None, multiple=several, **switch))
    return made


def default_of(entry: Setting, command: str) -> str:
    """Give the default of a setting in a command, in words; "" if there is nothing to say."""
    named = entry.default_for.get(command) or entry.default_text
    default = entry.default
    if named or default is None or isinstance(default, bool) or default in ("", ()):
        return named
    return f"{default:.0%}" if isinstance(default, float) else str(default)


def settings_from(command: str, given: Mapping[str, object]) -> tuple[Settings, Door]:
    """Make the settings: what was given, else the config file, else the defaults."""
    values = values_from(command, given)
    return of_class(Settings, values, command), of_class(Door, values, command)


def values_from(command: str, given: Mapping[str, object]) -> dict[str, object]:
    """Give the values of the command line or the config file, under their present names; no defaults."""
    takes = declared(command)
    config = given.get("config")
    values: dict[str, object] = {}
    typed = {
        name.removeprefix(OLD): value
        for name, value in given.items()
        if (name in takes or name.startswith(OLD))
        and value is not None
        and value != ()
        and not (name == "verbose" and value == 0)
    }
    notes: list[str] = []
    typed = modern(takes, typed, (command,), notes.append)
    if config:
        read = read_config(Path(str(config)), takes, every_setting())
        values = modern(takes, read, (command,), notes.append)
    values = {name: value for name, value in (values | typed).items() if name in takes}
    if not values.get("quiet"):
        for each in notes:
            console.note(each)
    parsed = {name: takes[name].parse(takes[name].blamed, value) for name, value in values.items()}
    refuse_all((command,), parsed, takes)
    if values.get("seed_file"):
        values["seed"] = read_secret(str(values["seed_file"]))
    return values


def of_class(kind: type[Made], values: Mapping[str, object], command: str = "") -> Made:
    """Make one class of settings from the values that belong to it."""
    names = settings_of(kind)
    return make(kind, {name: value for name, value in values.items() if name in names}, command)


def given_settings(values: Mapping[str, object]) -> dict[str, object]:
    """Give the values that belong to the settings of a scan or an index."""
    known = settings_of(Settings)
    return {name: value for name, value in values.items() if name in known}
