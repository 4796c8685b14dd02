"""`copysift history`: how one document changed."""

from __future__ import annotations

import click

from copysift.cli import console
from copysift.cli.index import opened
from copysift.cli.options import SectionedCommand, of_class, options, values_from
from copysift.cli.reporting import must_exist, shown
from copysift.settings.comparison import Door
from copysift.settings.sweeps import Tracing


@click.command("history", cls=SectionedCommand)
@click.argument("index", metavar="INDEX")
@click.argument("uri", metavar="URI")
@options("history")
def command(index: str, uri: str, **given: object) -> int:
    """List the versions of a document, and how much each resembles the one before and the first."""
    values = values_from("history", given)
    door, asked = of_class(Door, values), of_class(Tracing, values)
    must_exist(index)
    with opened({**values, "index": index}) as store:
        found = store.history(uri, diff=asked.diff)
    from copysift.report import sweeps

    shown({"table": sweeps.history, "json": sweeps.record}, found, door)
    return console.DONE
