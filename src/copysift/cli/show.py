"""`copysift show`: ask a saved run again without reading its files."""

from __future__ import annotations

from pathlib import Path

import click

from copysift.cli import console
from copysift.cli.options import SectionedCommand, options, settings_from
from copysift.cli.scan import report_format, wants_groups
from copysift.cli.scan import show as show_result


@click.command("show", cls=SectionedCommand)
@click.argument("run", metavar="RUN")
@options("show")
def command(run: str, **given: object) -> int:
    """Answer from the saved run RUN, with any threshold that is not below its floor."""
    settings, door = settings_from("show", given)
    chosen = report_format(door)
    console.check_output(door)
    from copysift.engine.local import show

    result = show(Path(run), settings, groups=wants_groups(chosen, door))
    show_result(result, chosen, settings, door)
    return console.status(bool(result.pairs or result.equal), ())
