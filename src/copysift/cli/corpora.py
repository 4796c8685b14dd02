"""What the commands on a corpus share: their settings, skipped records, Spark."""

from __future__ import annotations

import glob
import logging
import os
from collections.abc import Iterable, Mapping

from copysift.cli import console
from copysift.cli.options import of_class, values_from
from copysift.errors import UsageError
from copysift.model.values import TAKEN, Skipped
from copysift.settings.corpus import CorpusSettings, refuse_far
from copysift.settings.output import Door

NAMED = 20  # skipped records that are named on the terminal; run.json has more


def corpus_settings(
    command: str, given: Mapping[str, object]
) -> tuple[CorpusSettings, Door, dict[str, object]]:
    """Make the settings; also give the values that were given, without defaults."""
    values = values_from(command, given)
    return of_class(CorpusSettings, values, command), of_class(Door, values, command), values


def expand(sources: tuple[str, ...]) -> tuple[str, ...]:
    """Give the files that a pattern in quotes takes, in order of their names, where no file has its name.

    A pattern that takes nothing stays, to be named as missing. Shells expand others before, and fail at
    some hundred thousand files.
    """
    found: list[str] = []
    for name in sources:
        known = not glob.has_magic(name) or "://" in name or os.path.lexists(name)
        found += [name] if known else sorted(glob.glob(name, recursive=True)) or [name]  # noqa: PTH207 - a name as it was given
    return tuple(found)


def name_skipped(named: Iterable[tuple[str, str]], total: int, where: str) -> None:
    """Name the first records that were left out or changed, and say where the others are named."""
    shown = list(named)
    for name, reason in shown[:NAMED]:
        if reason in TAKEN:
            console.note(f"noted {name}: {reason}")
        else:
            console.name_skipped([Skipped(name, reason)])
    if total > NAMED:
        console.note(f"… and {total - min(NAMED, len(shown)):,} more{where}")


def check_engine(door: Door, settings: CorpusSettings) -> None:
    """Refuse what only Spark can do, and what it cannot."""
    if door.engine == "spark":
        if "://" in door.output:
            refuse_far(settings, "a run at a URI")
        return
    if "://" in door.output:
        raise UsageError(
            "only Spark writes to a URI", hint="add --engine spark, or write to a file or folder"
        )


def log_rounds() -> None:
    """Print what phases log on the way, such as the rounds of the components on Spark."""
    logging.basicConfig(format="%(message)s")
    logging.getLogger("copysift").setLevel(logging.INFO)
