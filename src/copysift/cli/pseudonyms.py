"""--anonymise: where the key is stored, and that it is never lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from copysift.cli import console
from copysift.errors import UsageError
from copysift.runtime import durable
from copysift.settings.comparison import Settings
from copysift.settings.output import Door

if TYPE_CHECKING:
    from copysift.model.values import Result
    from copysift.report.view import View


def key_path(door: Door) -> Path:
    """Give the file of the key: that of --key-file, else next to the report, else in this folder."""
    if door.key_file:
        return Path(door.key_file)
    if door.output and door.output != "-":
        return Path(door.output).with_suffix(".key.csv")
    return Path("copysift.key.csv")


def check_key(door: Door) -> dict[str, str]:
    """Read the key that is there already; a file that is not a key is refused before any work."""
    from copysift.report.anonymise import read_key

    path = key_path(door)
    if not path.exists():
        return {}
    try:
        return read_key(path.read_text(encoding="utf-8", errors="surrogateescape"), str(path))
    except OSError as error:
        raise UsageError(f"cannot read the key {path}: {error.strerror}") from None


def anonymous(result: Result, view: View, settings: Settings, door: Door) -> tuple[Result, View]:
    """Give result and view without names; the key is written first."""
    from copysift.report.anonymise import anonymised, written_key

    path = key_path(door)
    made = anonymised(result, view, check_key(door), settings.seed)
    try:
        durable.replace(path, written_key(made.key).encode("utf-8", "surrogateescape"), private=True)
    except OSError as error:
        raise UsageError(f"cannot write the key {path}: {error.strerror}") from None
    if not door.quiet:
        console.note(f"the pseudonyms are listed in {path}")
    return made.result, made.view
