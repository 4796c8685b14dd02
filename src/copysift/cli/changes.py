"""`copysift changes`: how a collection changed over time."""

from __future__ import annotations

from typing import Any

import click

from copysift.cli import console
from copysift.cli.index import opened
from copysift.cli.options import SectionedCommand, of_class, options, values_from
from copysift.cli.reporting import must_exist, shown
from copysift.settings.declaration import settings_of
from copysift.settings.output import Door
from copysift.settings.sweeps import TraceOptions


@click.command("changes", cls=SectionedCommand)
@click.argument("index", metavar="INDEX")
@options("changes")
def command(index: str, **given: object) -> int:
    """Show how a collection changed between sweeps.

    Counts what appeared, disappeared, moved and changed, and how long documents existed.
    """
    values = values_from("changes", given)
    door = of_class(Door, values)
    asked: dict[str, Any] = {
        name: value for name, value in values.items() if name in settings_of(TraceOptions)
    }
    must_exist(index)
    with opened({**values, "index": index}) as store:
        found = store.changes(**asked)
    shown("changes", found, door)
    return console.DONE if found.turns else console.NOTHING_FOUND
