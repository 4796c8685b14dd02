"""`copysift show`: a saved run, without reading its files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from copysift.cli import console
from copysift.cli.options import SectionedCommand, declared, options, settings_from
from copysift.cli.scan import report_format, wants_groups, with_folders
from copysift.cli.scan import show as show_result
from copysift.errors import UsageError
from copysift.settings.output import Door

# options that select pairs, which an overview does not list
PAIRS = {
    "threshold",
    "measure",
    "min_shared",
    "min_match",
    "same_suffix",
    "size_ratio",
    "limit",
    "groups",
    "folders",
}


@click.command("show", cls=SectionedCommand)
@click.argument("run", metavar="RUN")
@options("show")
def command(run: str, **given: object) -> int:
    """Show a saved run, with any threshold.

    The threshold cannot be below the --floor of RUN. A run of 'copysift cluster' is shown as an overview;
    --format table, json or csv lists its pairs.
    """
    from copysift.runs.tables import is_corpus
    from copysift.workflows.show import show

    settings, door = settings_from("show", given)
    corpus = is_corpus(Path(run))
    if corpus and not door.format and not door.null and _corpus(Path(run), door, given):
        return 0
    chosen = report_format(door)
    console.check_output(door)
    result = show(Path(run), settings, groups=wants_groups(chosen, door))
    result = with_folders(result, settings, door)
    console.name_notes(result.notes, door)
    show_result(result, chosen, settings, door)
    return console.status(bool(result.pairs or result.equal), ())


def _corpus(run: Path, door: Door, given: Mapping[str, object]) -> bool:
    """Show the overview of a run of `copysift cluster`, as text or HTML; other formats list its pairs."""
    suffix = Path(door.output).suffix.lower()
    if suffix not in ("", ".txt", ".html", ".htm"):
        return False
    known = declared("show")
    idle = [known[name].flags[-1] for name, value in given.items() if name in PAIRS and value is not None]
    if idle:
        raise UsageError(
            f"{', '.join(idle)} {'has' if len(idle) == 1 else 'have'} no effect on the overview of {run}",
            hint="add --format table, json or csv to list its pairs, or use copysift recluster",
        )
    from copysift.report.corpus import as_html, as_text
    from copysift.workflows.overview import overview

    console.write((as_html if suffix.startswith(".htm") else as_text)(overview(run)), door)
    return True
