"""`copysift compare`: two files side by side, or two folders by content."""

from __future__ import annotations

import dataclasses
from datetime import date
from pathlib import Path

import click

from copysift.cli import console
from copysift.cli.options import SectionedCommand, options, settings_from
from copysift.cli.scan import report_format, without_regions
from copysift.cli.scan import show as show_result
from copysift.errors import UsageError
from copysift.settings.comparison import Settings
from copysift.settings.output import Door

ALL = 1_000_000


@click.command("compare", cls=SectionedCommand)
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
@options("compare")
def command(left: str, right: str, **given: object) -> int:
    """Compare two files side by side, or two folders or archives.

    Folders and archives are compared by content, whatever the names of their files. Files of records (JSONL,
    CSV, Parquet, Arrow, WARC) are compared record by record in the same way; see --records. A and B may also
    be documents in other files, by the names that scan gives them, such as mail.mbox!12.
    """
    settings, door = settings_from("compare", given)
    chosen = report_format(door)
    console.check_output(door)
    from copysift.workflows.compare import holds_files
    from copysift.workflows.members import container_of
    from copysift.workflows.submissions import check_paths

    for place in (left, right):
        check_paths([container_of(place) or place])
    folders = [holds_files(path, settings) for path in (left, right)]
    if door.sync_plan and settings.by == "dir":
        raise UsageError("--sync-plan compares file by file", hint="leave out --by dir")
    if settings.metadata and settings.by != "dir":
        raise UsageError("--metadata is about submissions", hint="add --by dir")
    if any(folders) and not all(folders) and settings.by != "dir":
        raise UsageError(
            "cannot compare a folder, an archive or records with a single file",
            hint="name two files, or two folders, archives or files of records",
        )
    if door.sync_plan and not all(Path(path).is_dir() for path in (left, right)):
        raise UsageError("--sync-plan needs two folders", hint="unpack archives first")
    if door.sync_plan:  # a plan is about files, not about what is in them
        settings = dataclasses.replace(settings, no_containers=True, records="no")
    if settings.by == "dir":
        return _submissions(left, right, settings, door, chosen)
    if all(folders):
        return _folders(left, right, settings, door, chosen)
    return _files(left, right, settings, door, chosen)


def _files(left: str, right: str, settings: Settings, door: Door, chosen: str) -> int:
    from copysift.report.sidebyside import side_by_side
    from copysift.report.view import View
    from copysift.workflows.compare import compare_files, reaches

    result, scan = compare_files(left, right, settings)
    if door.no_regions:
        result = without_regions(result)
    if chosen != "table":
        show_result(result, chosen, settings, door, scan)
    else:
        view = View(
            passages=ALL if door.passages is None else door.passages,
            whole=door.whole,
            width=console.width(door),
            color=console.color(door),
            quiet=door.quiet,
            source=scan.source,
        )
        console.write(side_by_side(result, view), door)
    return console.status(reaches(result.pairs[0], settings), ())


def _submissions(left: str, right: str, settings: Settings, door: Door, chosen: str) -> int:
    from copysift.workflows.compare import compare_submissions, reaches

    with console.progress(door) as shown:
        result, scan = compare_submissions(left, right, settings, shown)
    console.name_skipped(result.skipped)
    if door.no_regions:
        result = without_regions(result)
    asked = dataclasses.replace(settings, threshold=settings.threshold or 0.0)
    show_result(result, chosen, asked, dataclasses.replace(door, passages=door.passages or 0), scan)
    found = [pair for pair in result.pairs if reaches(pair, settings)]
    return console.status(bool(found), result.skipped)


def _folders(left: str, right: str, settings: Settings, door: Door, chosen: str) -> int:
    from copysift.report import folders
    from copysift.report.view import View
    from copysift.workflows.compare import compare_folders

    if chosen not in folders.REPORTS:
        raise UsageError(
            f"two folders cannot be shown as {chosen}", hint=f"formats: {', '.join(folders.REPORTS)}"
        )
    with console.progress(door) as shown:
        result, scanned = compare_folders(left, right, settings, shown)
    console.name_skipped(scanned.skipped, every=bool(door.verbose))
    console.name_notes(scanned.notes, door)
    view = View(
        width=console.width(door),
        color=console.color(door),
        quiet=door.quiet,
        title=door.title,
        date=f"{date.today():%-d %B %Y}",
    )
    left_out = scanned.skipped
    if door.sync_plan:
        from copysift.report.sync_script import sync_script
        from copysift.workflows.sync_plan import plan_sync

        plan = plan_sync(result)
        console.write(sync_script(plan), dataclasses.replace(door, output=door.sync_plan))
        console.name_skipped(plan.skipped, every=bool(door.verbose))
        left_out = (*left_out, *plan.skipped)
    console.write(folders.REPORTS[chosen](result, view), door)
    if chosen == "html" and door.output not in ("", "-") and not door.quiet:
        console.note(f"{folders.summary(result)}: {door.output}")
    return console.status(bool(result.equal or result.similar), left_out)
