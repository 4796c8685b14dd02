"""`copysift sweep`: add one dated sweep to an index."""

from __future__ import annotations

from typing import Any

import click

from copysift.cli import console
from copysift.cli.index import opened
from copysift.cli.options import SectionedCommand, of_class, options, values_from
from copysift.settings.declaration import settings_of
from copysift.settings.output import Door
from copysift.settings.sweeps import SweepOptions


@click.command("sweep", cls=SectionedCommand)
@click.argument("index", metavar="INDEX")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@options("sweep")
def command(index: str, sources: tuple[str, ...], **given: object) -> int:
    """Record the state of a collection on a date.

    SOURCE is a folder, a WARC file, JSONL with uri and text, or a git repository (--revision). Only new and
    changed documents are fingerprinted. A sweep is stored completely or not at all, and can be repeated.
    """
    values = values_from("sweep", given)
    of_class(SweepOptions, values)
    door = of_class(Door, values)
    asked: dict[str, Any] = {name: values[name] for name in settings_of(SweepOptions) if name in values}
    with opened({**values, "index": index}) as store, console.progress(door) as shown:
        done = store.sweep(list(sources), progress=shown, **asked)
    console.name_skipped(done.skipped, every=bool(door.verbose))
    if not door.quiet:
        from copysift.report.sweeps import swept

        click.echo(swept(done))
    return console.status(True, done.skipped)
