"""How commands choose a format and write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from copysift.cli import console, folders
from copysift.errors import InputError, UsageError
from copysift.report.format import Written, format_by_suffix, format_of, formats_for
from copysift.report.view import View
from copysift.runtime import registry
from copysift.settings.output import Door
from copysift.sources.places import is_file, is_folder, is_uri
from copysift.sources.walk import STANDARD_INPUT


def shown(command: str, found: object, door: Door) -> None:
    """Write an answer in the chosen format."""
    view = View(width=console.width(door), color=console.color(door), quiet=door.quiet)
    write(format_of(chosen(command, door)).writer(command)(found, view), door)


def write(made: Written, door: Door) -> None:
    """Write what a format made: a text, or a folder of files."""
    if isinstance(made, Mapping):
        folders.write_folder(made, door)
    else:
        console.write(made, door)


def chosen(command: str, door: Door) -> str:
    """Give the format: that of --format, else by the extension of the output file, else table."""
    named = door.format or format_by_suffix(Path(door.output).suffix.lower()) or "table"
    if named in registry.built_in(registry.REPORTS) and format_of(named).shows(command):
        return named  # without looking for plug-ins, which is slow
    formats = formats_for(command)
    if named not in formats:
        name = command.replace("-list", " list").replace("-info", " info")
        raise UsageError(f"{name} has no format {named!r}", hint=f"choose one of {', '.join(formats)}")
    return named


def is_question(what: str) -> bool:
    """Say whether there is a file to look up: pages of the web are addresses, which nobody fetches."""
    return not what.lower().startswith(("http:", "https:")) and is_file(what)


def neither(what: str, error: InputError) -> InputError:
    """Give the error for what is neither a file nor an address that a sweep has seen."""
    if what == "-":
        return InputError(f"{what}: {STANDARD_INPUT}")
    if is_folder(what):
        return InputError(f"{what} is a folder", hint="name a file, or use copysift query INDEX FOLDER")
    if is_uri(what):
        return error
    return InputError(f"{what}: no such file, and no sweep has seen this address", hint=error.hint)


def must_exist(index: str) -> None:
    """Raise StoreError unless there is an index."""
    from copysift.store.snapshot import Snapshot, exists

    if not exists(Path(index)):
        Snapshot(Path(index))
