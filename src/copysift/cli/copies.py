"""`copysift copies`: where is all or part of this?"""

from __future__ import annotations

from typing import Any

import click

from copysift.cli import console
from copysift.cli.index import opened
from copysift.cli.options import SectionedCommand, of_class, options, values_from
from copysift.cli.reporting import is_question, must_exist, neither, shown
from copysift.settings.declaration import settings_of
from copysift.settings.output import Door
from copysift.settings.sweeps import Copies


@click.command("copies", cls=SectionedCommand)
@click.argument("index", metavar="INDEX")
@click.argument("what", metavar="FILE|URI")
@options("copies")
def command(index: str, what: str, **given: object) -> int:
    """Find copies of all or part of a document.

    Copies are grouped by host or folder, so that you can notify each when the original changes. If there is
    no FILE of that name, the document at the URI is looked up, if its text is stored (--keep-text).
    """
    values = values_from("copies", given)
    door = of_class(Door, values)
    asked: dict[str, Any] = {name: value for name, value in values.items() if name in settings_of(Copies)}
    must_exist(index)
    from copysift.workflows.trace import UnseenAddressError

    with opened({**values, "index": index}, Copies) as store:
        if is_question(what):
            found = store.copies(what, **asked)
        else:
            try:
                found = store.copies_of(what, **asked)
            except UnseenAddressError as error:
                raise neither(what, error) from None
    shown("copies", found, door)
    console.name_skipped(found.skipped)
    return console.status(bool(found.holders or found.lost), found.skipped)
