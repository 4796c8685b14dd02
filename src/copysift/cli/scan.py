"""`copysift scan`: every file against every file."""

from __future__ import annotations

import dataclasses
import gc
import os
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import click

from copysift.cli import console, folders, pseudonyms
from copysift.cli.options import SectionedCommand, given_settings, of_class, options, values_from
from copysift.cli.reporting import write
from copysift.errors import UsageError
from copysift.model.values import Result
from copysift.report.format import Format, format_by_suffix, format_of
from copysift.runtime import registry
from copysift.runtime.small_files import read_small
from copysift.settings.comparison import Settings
from copysift.settings.output import Door

RARELY = 200_000  # new values between two searches for cycles
LISTED = 256 << 20  # bytes of a list of files, about three million names
NAMES = "names"  # what -0 prints without --format
LIST_PAIRS = (NAMES, "csv", "sif", "html", "moss", "github")  # formats with neither sets nor similar folders


@click.command("scan", cls=SectionedCommand)
@click.argument("paths", nargs=-1, metavar="PATH...")
@options("scan")
def command(paths: tuple[str, ...], **given: object) -> int:
    """Find identical and similar files, submissions or records.

    PATH is a file, a folder, an archive, a file of records (such as JSONL) or an index. Folders and archives
    are read recursively. An index is scanned from what it stores, without its files.
    """
    values = values_from("scan", given)
    settings, door = of_class(Settings, values, "scan"), of_class(Door, values, "scan")
    if door.script:
        settings = _for_script(settings, door)
    chosen = "table" if door.script else report_format(door)
    console.check_output(door)
    places = [*paths, *listed_paths(door)]
    if not places:
        raise UsageError("nothing to scan", hint="name files or folders, or use --files-from")
    if door.save:
        from copysift.runs.scan_run import check_place
        from copysift.workflows.submissions import check_paths

        check_paths(places)
        check_place(Path(door.save), door.overwrite)
    form = None if chosen == NAMES else format_of(chosen)
    sources = form is not None and form.sources
    if form is not None and form.folder:
        folders.check_folder(door)
    if door.anonymise:
        pseudonyms.check_key(door)
    if door.server and (door.folders or door.sets):
        raise UsageError("--folders and --sets do not go with --server", hint="scan here, or leave them out")
    if door.server:
        from copysift.cli.remote import scan_there

        return scan_there(places, values, settings, door, chosen)
    from copysift.workflows.scan_choice import scan_of

    scan, places = scan_of(places, settings, given_settings(values))
    gc.freeze()  # a result is many small values that exist to the end: looking for cycles among them takes
    gc.set_threshold(RARELY)  # a tenth of the time, and finds none
    scan.listed = door.sets
    with console.progress(door) as shown:
        result = scan.run(
            places,
            regions=_wants_regions(form, door),
            most=_limit(settings, chosen) if sources else None,
            groups=wants_groups(chosen, door),
            keep=bool(door.save),
            progress=shown,
        )
    if door.save:
        scan.save(Path(door.save))
    result = with_folders(result, settings, door)
    if door.sets:
        from copysift.workflows.shared_sets import with_sets

        result = with_sets(result, scan, settings.min_shared)
    console.name_skipped(result.skipped, every=bool(door.verbose))
    console.name_notes((*result.notes, *_without_effect(settings, door, chosen)), door)
    if door.script:
        from copysift.report.duplicate_script import duplicate_script

        console.write(duplicate_script(result, door.script), door)
    else:
        show(result, chosen, settings, door, scan)
    if door.verbose:
        spelled = [f"{name} {value}" for name, value in result.settings.items() if value]
        console.note(f"settings: {', '.join(spelled)}")
        for phase, seconds in scan.times.items():
            console.note(f"{phase}: {seconds:.2f} s")
        for how, count in Counter(group.how_read for group in result.documents).items():
            if count > 1:
                console.note(f"read as {how}: {count:,} of {len(result.documents):,} documents")
            else:
                name = next(group.name for group in result.documents if group.how_read == how)
                console.note(f"{name}: read as {how}")
        raw = sum(group.kind == "bytes" for group in result.documents)
        if raw:
            console.note(f"compared as bytes: {raw:,} of {len(result.documents):,} files")
    return console.status(bool(result.pairs or result.equal), result.skipped)


def _for_script(settings: Settings, door: Door) -> Settings:
    """Refuse what a script of equal files cannot have."""
    for name, given in (("format", door.format), ("server", door.server), ("anonymise", door.anonymise)):
        if given:
            raise UsageError(f"--script does not go with --{name}", hint=f"leave out --{name}")
    if settings.by == "dir":
        raise UsageError("--script is about files, not submissions", hint="leave out --by")
    return dataclasses.replace(settings, equal_only=True)


def _without_effect(settings: Settings, door: Door, chosen: str) -> Iterator[str]:
    """Name the options that this scan has no use for."""
    if door.key_file and not door.anonymise:
        yield "--key-file has no effect without --anonymise"
    if door.passages and settings.equal_only:
        yield "--passages has no effect with --equal-only or --script: equal files are equal as a whole"
    for name, given in (("folders", door.folders), ("sets", door.sets)):
        if given and not door.script and chosen in LIST_PAIRS:
            yield f"--{name} has no effect in this report: the table and --format json have them"


def wants_groups(chosen: str, door: Door) -> bool:
    """Say whether a report lists groups; one of a plug-in may."""
    return door.groups or (chosen != NAMES and format_of(chosen).groups)


def _wants_regions(form: Format | None, door: Door) -> bool:
    shown = form is not None and form.regions and (form.sources or not door.no_regions)
    return shown or bool(door.passages)


def with_folders(result: Result, settings: Settings, door: Door) -> Result:
    """Add the folders that are the same or similar, if they are wanted."""
    page = door.format == "html" or (not door.format and door.output.lower().endswith((".html", ".htm")))
    if not door.folders and (result.submissions or not (settings.equal_only or page)):
        return result
    from copysift.workflows import folder_groups

    if door.folders:
        return folder_groups.with_folders(result, settings)
    return dataclasses.replace(result, folder_sets=folder_groups.duplicate_folders(result))


def report_format(door: Door) -> str:
    """Give the report format: that of --format, else by the extension of the output file, else table."""
    if door.format:
        return registry.check(registry.REPORTS, door.format)
    suffix = Path(door.output).suffix.lower()
    if suffix in ("", ".txt"):
        return NAMES if door.null else "table"
    if found := format_by_suffix(suffix):
        return found
    raise UsageError(
        f"no report format has the extension {suffix}",
        hint=f"use --format: {', '.join(registry.names(registry.REPORTS))}",
    )


def show(result: Result, chosen: str, settings: Settings, door: Door, scan: object = None) -> None:
    """Make the report and write it."""
    from copysift.report.names import names
    from copysift.report.units import totals_of
    from copysift.report.view import View, no_explanation, no_holders, no_source, no_spans
    from copysift.report.wording import plural

    view = View(
        groups=door.groups,
        folders=door.folders,
        sets=door.sets,
        limit=_limit(settings, chosen),
        passages=door.passages or 0,
        whole=door.whole,
        width=console.width(door),
        color=console.color(door),
        quiet=door.quiet,
        title=door.title,
        date=f"{date.today():%-d %B %Y}",
        source=getattr(scan, "source", no_source),
        base=getattr(scan, "base", no_spans),
        holders=getattr(scan, "holders", no_holders),
        explain=getattr(scan, "explain", no_explanation),
        decisions=_decisions(door, chosen, result),
    )
    if door.anonymise:
        result, view = pseudonyms.anonymous(result, view, settings, door)
    form = None if chosen == NAMES else format_of(chosen)
    write(names(result, view) if form is None else form.writer("scan")(result, view), door)
    if form is not None and form.sources and door.output not in ("", "-") and not door.quiet:
        totals = totals_of(result)
        console.note(f"{totals.found()} of {plural(totals.units, totals.unit)}: {door.output}")


def without_regions(result: Result) -> Result:
    """Give a result whose pairs have no regions, for --no-regions."""
    return dataclasses.replace(
        result, pairs=tuple(dataclasses.replace(pair, regions=None) for pair in result.pairs)
    )


def _decisions(door: Door, chosen: str, result: Result) -> tuple[dict[str, str], ...]:
    """Read the decisions that an earlier report exported, and say how many are of nobody in this class."""
    from copysift.report.decisions import carried, read_decisions
    from copysift.report.units import submissions_of
    from copysift.report.wording import plural

    if not door.decisions:
        return ()
    if chosen != "html":
        raise UsageError(
            f"--decisions goes into the HTML report, not into {chosen}", hint="use -o report.html"
        )
    found, absent = carried(read_decisions(Path(door.decisions)), submissions_of(result))
    if absent:
        console.note(
            f"{plural(len(absent), 'decision')} of {door.decisions} on submissions that are not here"
        )
    return (*found, *absent)


def _limit(settings: Settings, chosen: str) -> int | None:
    """Give how many rows are listed: a person reads a table, a program reads all of a file."""
    if settings.limit is None:
        return None if chosen == NAMES else format_of(chosen).limit
    return settings.limit or None


def listed_paths(door: Door) -> Iterator[str]:
    """Read the list of --files-from; one that contains a NUL is NUL-separated, with -0 or without."""
    if not door.files_from:
        return
    try:
        listed = Path(door.files_from)
        content = sys.stdin.buffer.read() if door.files_from == "-" else read_small(listed, LISTED)
    except OSError as error:
        raise UsageError(f"cannot read the list {door.files_from}: {error.strerror}") from None
    separator = b"\0" if door.null or b"\0" in content else b"\n"
    if separator == b"\n" and content.count(b"\n") == content.count(b"\r\n"):  # as Windows ends lines
        content = content.replace(b"\r\n", b"\n")
    for name in content.split(separator):
        if name:
            yield os.fsdecode(name)
