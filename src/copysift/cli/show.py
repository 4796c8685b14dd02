"""`copysift show`: ask a saved run again without reading its files."""

from __future__ import annotations

from pathlib import Path

import click

from copysift.cli import console
from copysift.cli.options import SectionedCommand, options, settings_from
from copysift.cli.scan import report_format, wants_groups
from copysift.cli.scan import show as show_result
from copysift.settings import Door


@click.command("show", cls=SectionedCommand)
@click.argument("run", metavar="RUN")
@options("show")
def command(run: str, **given: object) -> int:
    """Answer from the saved run RUN, with any threshold that is not below its floor."""
    settings, door = settings_from("show", given)
    if not door.format and not door.null and _corpus(Path(run), door):
        return 0
    chosen = report_format(door)
    console.check_output(door)
    from copysift.engine.local import show

    result = show(Path(run), settings, groups=wants_groups(chosen, door))
    show_result(result, chosen, settings, door)
    return console.status(bool(result.pairs or result.equal), ())


def _corpus(run: Path, door: Door) -> bool:
    """Show a run of `copysift cluster` as a whole, as text or as a page; other formats list its pairs."""
    from copysift.engine.corpus.tables import is_corpus

    suffix = Path(door.output).suffix.lower()
    if suffix not in ("", ".txt", ".html", ".htm") or not is_corpus(run):
        return False
    from copysift.engine.corpus.overview import overview
    from copysift.report.corpus import as_html, as_text

    console.write((as_html if suffix.startswith(".htm") else as_text)(overview(run)), door)
    return True
