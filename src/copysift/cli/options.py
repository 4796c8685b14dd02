"""The options of a command, made from the declarations in settings.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from copysift.settings.comparison import Door, Settings, read_config
from copysift.settings.declaration import Setting, make, settings_of
from copysift.settings.index import Keep, Query
from copysift.settings.sweeps import Sweeping, Tracing

CLASSES: tuple[type[Any], ...] = (Settings, Door, Query, Keep, Sweeping, Tracing)

F = TypeVar("F", bound=Callable[..., Any])
Made = TypeVar("Made")


class SectionedCommand(click.Command):
    """A command whose help lists the options under the sections of settings.py."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None:
                section = getattr(parameter, "section", "Output")
                sections.setdefault(section, []).append(record)
        for section, records in sections.items():
            with formatter.section(section):
                formatter.write_dl(records)


class SettingOption(click.Option):
    """A click option that belongs to a section of the help."""

    section = ""
    on = False  # a switch that is on unless it is turned off

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Name a switch by the form that changes something; the other overrules a config file."""
        record = super().get_help_record(ctx)
        return record and (record[0].split(" / ")[-1 if self.on else 0], record[1])


def declared(command: str) -> dict[str, Setting]:
    """Give the settings that a command takes, by name."""
    return {
        name: entry
        for kind in CLASSES
        for name, entry in settings_of(kind).items()
        if command in entry.commands
    }


def options(command: str) -> Callable[[F], F]:
    """Decorate a click command with its settings and --config."""

    def decorate(function: F) -> F:
        made = [_option(entry, command) for entry in declared(command).values()]
        made.append(config_option())
        parameters = getattr(function, "__click_params__", [])
        function.__click_params__ = [*reversed(made), *parameters]  # type: ignore[attr-defined]
        return function

    return decorate


def config_option() -> SettingOption:
    """Make --config."""
    option = SettingOption(
        ["--config"], metavar="FILE", help="Take settings from a TOML file; options given here win."
    )
    option.section = "Output"
    return option


def _option(entry: Setting, command: str) -> SettingOption:
    default = entry.shown or _spell(entry.default)
    words = entry.told.get(command, entry.help).replace("`", "'")
    shown = f"{words}  [{'|'.join(entry.choices)}]" if entry.choices else words
    if default:
        shown += f"  [default: {default}]"
    names = list(entry.flags)
    extra: dict[str, Any] = {}
    if isinstance(entry.default, bool):
        names[-1] += f"/--no-{names[-1][2:]}"
        shown = words
    elif entry.name == "verbose":
        extra, shown = {"count": True}, words
    else:
        extra = {"metavar": entry.metavar, "multiple": isinstance(entry.default, tuple)}
    option = SettingOption([entry.name, *names], help=shown, default=None, **extra)
    option.section = entry.section
    option.on = entry.default is True
    return option


def _spell(default: object) -> str:
    if default is None or isinstance(default, bool) or default in ("", ()):
        return ""
    return f"{default:.0%}" if isinstance(default, float) else str(default)


def settings_from(command: str, given: Mapping[str, object]) -> tuple[Settings, Door]:
    """Make the settings: what was given, else the config file, else the defaults."""
    values = values_from(command, given)
    return of_class(Settings, values), of_class(Door, values)


def values_from(command: str, given: Mapping[str, object]) -> dict[str, object]:
    """Give the values that were given, or stand in the config file, and no defaults."""
    config = given.get("config")
    values: dict[str, object] = read_config(Path(str(config)), CLASSES) if config else {}
    takes = declared(command)
    values = {name: value for name, value in values.items() if name in takes}
    values |= {
        name: value
        for name, value in given.items()
        if name in takes and value is not None and value != () and not (name == "verbose" and value == 0)
    }
    return values


def of_class(kind: type[Made], values: Mapping[str, object]) -> Made:
    """Make one class of settings from the values that belong to it."""
    names = settings_of(kind)
    return make(kind, {name: value for name, value in values.items() if name in names})
