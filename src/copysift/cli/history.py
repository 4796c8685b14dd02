"""`copysift history`: how one document changed."""

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


@click.command("history", cls=SectionedCommand)
@click.argument("index", metavar="INDEX")
@click.argument("uri", metavar="URI")
@options("history")
def command(index: str, uri: str, **given: object) -> int:
    """Show the versions of a document.

    Each comes with its resemblance to the previous version and to the first.
    """
    values = values_from("history", given)
    door = of_class(Door, values)
    asked: dict[str, Any] = {
        name: value for name, value in values.items() if name in settings_of(TraceOptions)
    }
    must_exist(index)
    with opened({**values, "index": index}) as store:
        found = store.history(uri, **asked)
    shown("history", found, door)
    return console.DONE
