"""`copysift locate`: where is it now?"""

from __future__ import annotations

from pathlib import Path

import click

from copysift.cli import console
from copysift.cli.index import opened
from copysift.cli.options import SectionedCommand, of_class, options, values_from
from copysift.cli.reporting import must_exist, shown
from copysift.errors import InputError
from copysift.settings.comparison import Door
from copysift.settings.sweeps import Tracing


@click.command("locate", cls=SectionedCommand)
@click.argument("index", metavar="INDEX")
@click.argument("what", metavar="URI|FILE")
@click.option("--file", "is_file", is_flag=True, help="Take URI|FILE as a file: has anyone seen this?")
@options("locate")
def command(index: str, what: str, is_file: bool, **given: object) -> int:
    """Tell where the document of an address is now, where it was, and since when it is gone.

    A FILE is asked for where no sweep has met an address of that name: has anyone seen this?
    """
    values = values_from("locate", given)
    door, threshold = of_class(Door, values), of_class(Tracing, values).threshold
    must_exist(index)
    with opened({**values, "index": index}) as store:
        try:
            found = (
                store.seen(what, threshold=threshold) if is_file else store.locate(what, threshold=threshold)
            )
        except InputError:
            if is_file or not Path(what).is_file():
                raise
            found = store.seen(what, threshold=threshold)
    from copysift.report import sweeps

    shown({"table": sweeps.located, "json": sweeps.record}, found, door)
    return console.DONE if found.now is not None else console.NOTHING_FOUND
