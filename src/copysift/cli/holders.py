"""`copysift holders`: who holds this, whole or in part?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from copysift.cli import console
from copysift.cli.index import opened
from copysift.cli.options import SectionedCommand, of_class, options, values_from
from copysift.cli.reporting import must_exist, shown
from copysift.settings.comparison import Door
from copysift.settings.declaration import settings_of
from copysift.settings.sweeps import Tracing


@click.command("holders", cls=SectionedCommand)
@click.argument("index", metavar="INDEX")
@click.argument("what", metavar="FILE|URI")
@options("holders")
def command(index: str, what: str, **given: object) -> int:
    """List the documents that hold all or part of FILE, by host or folder: whom to notify when it changes.

    Where there is no such file, what stands at the address URI is looked for, if its text was kept.
    """
    values = values_from("holders", given)
    door = of_class(Door, values)
    asked: dict[str, Any] = {name: value for name, value in values.items() if name in settings_of(Tracing)}
    must_exist(index)
    with opened({**values, "index": index}) as store:
        found = store.holders(what, **asked) if Path(what).is_file() else store.holders_of(what, **asked)
    from copysift.report import copies as holding
    from copysift.report import sweeps

    shown({"table": holding.table, "json": sweeps.record, "csv": holding.rows}, found, door)
    return console.DONE if found.holders or found.lost else console.NOTHING_FOUND
