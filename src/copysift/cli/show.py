"""`copysift show`: ask a saved run again without reading its files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from copysift.cli import console
from copysift.cli.options import SectionedCommand, declared, options, settings_from
from copysift.cli.scan import report_format, wants_groups
from copysift.cli.scan import show as show_result
from copysift.errors import UsageError
from copysift.settings.comparison import Door

# options that choose among pairs, and so have nothing to do with an overview
PAIRS = {
    "threshold",
    "measure",
    "min_shared",
    "min_match",
    "same_suffix",
    "size_ratio",
    "limit",
    "groups",
    "anonymise",
}


@click.command("show", cls=SectionedCommand)
@click.argument("run", metavar="RUN")
@options("show")
def command(run: str, **given: object) -> int:
    """Answer from the saved run RUN, with any threshold that is not below its floor."""
    from copysift.runs.tables import is_corpus

    settings, door = settings_from("show", given)
    corpus = is_corpus(Path(run))
    if corpus and not door.format and not door.null and _corpus(Path(run), door, given):
        return 0
    chosen = report_format(door)
    console.check_output(door)
    if corpus:
        from copysift.workflows.shown import show
    else:
        from copysift.workflows.scan import show

    result = show(Path(run), settings, groups=wants_groups(chosen, door))
    console.name_notes(result.notes, door)
    show_result(result, chosen, settings, door)
    return console.status(bool(result.pairs or result.equal), ())


def _corpus(run: Path, door: Door, given: Mapping[str, object]) -> bool:
    """Show a run of `copysift cluster` as a whole, as text or as a page; other formats list its pairs."""
    suffix = Path(door.output).suffix.lower()
    if suffix not in ("", ".txt", ".html", ".htm"):
        return False
    known = declared("show")
    idle = [known[name].flags[-1] for name, value in given.items() if name in PAIRS and value is not None]
    if idle:
        raise UsageError(
            f"{', '.join(idle)} changes nothing in the overview of {run}, a run of copysift cluster",
            hint="list its pairs with --format table, json or csv, or use copysift recluster",
        )
    from copysift.report.corpus import as_html, as_text
    from copysift.workflows.overview import overview

    console.write((as_html if suffix.startswith(".htm") else as_text)(overview(run)), door)
    return True
