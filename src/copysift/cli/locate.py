"""`copysift locate`: where is it now?"""

from __future__ import annotations

from typing import Any

import click

from copysift.cli import console
from copysift.cli.index import opened
from copysift.cli.options import SectionedCommand, of_class, options, values_from
from copysift.cli.reporting import is_question, must_exist, neither, shown
from copysift.settings.declaration import settings_of
from copysift.settings.output import Door
from copysift.settings.sweeps import TraceOptions


@click.command("locate", cls=SectionedCommand)
@click.argument("index", metavar="INDEX")
@click.argument("what", metavar="URI|FILE")
@options("locate")
def command(index: str, what: str, **given: object) -> int:
    """Find where a document is now.

    Shows where the document of a URI is and was, and since when it is gone. If no sweep has seen the URI and
    there is a file of that name, the file is looked up instead.
    """
    values = values_from("locate", given)
    door = of_class(Door, values)
    of_class(TraceOptions, values, "locate")  # a wrong value is refused before anything is opened
    asked: dict[str, Any] = {
        name: value for name, value in values.items() if name in settings_of(TraceOptions)
    }
    must_exist(index)
    from copysift.workflows.trace import UnseenAddressError

    with opened({**values, "index": index}, TraceOptions) as store:
        try:
            found = store.seen(what, **asked) if door.is_file else store.locate(what, **asked)
        except UnseenAddressError as error:
            if not is_question(what):
                raise neither(what, error) from None
            found = store.seen(what, **asked)
    shown("locate", found, door)
    console.name_skipped(found.skipped)
    return console.status(found.now is not None, found.skipped)
