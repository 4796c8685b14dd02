"""`copysift browse`: a saved run in the terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from copysift.cli.options import SectionedCommand, options, settings_from
from copysift.errors import UsageError


@click.command("browse", cls=SectionedCommand)
@click.argument("run", metavar="RUN")
@options("browse")
def command(run: str, **given: object) -> int:
    """Look through a saved run in the terminal.

    RUN is a folder of 'copysift scan --save'. Choose a group and a pair to see the passages that they share,
    side by side. Space marks a pair, e exports the marked pairs, q quits.
    """
    try:
        from copysift.cli.browser import Browser
    except ModuleNotFoundError as error:
        raise UsageError(
            f"browse needs the package {error.name}", hint="pip install 'copysift[browse]'"
        ) from None
    from copysift.runs.tables import is_corpus
    from copysift.workflows.show import show

    if not (sys.stdin.isatty() and sys.stdout.isatty()):  # an input that has ended would be read for ever
        raise UsageError("browse needs a terminal", hint="use copysift show")
    settings, door = settings_from("browse", given)
    if is_corpus(Path(run)):
        raise UsageError(f"{run} is a run of cluster", hint="use copysift show, or the web pages of serve")
    Browser(show(Path(run), settings), settings, Path(door.output or "marked.csv")).run()
    return 0
