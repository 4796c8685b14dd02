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
from copysift.cli.reporting import SUFFIXES
from copysift.errors import UsageError
from copysift.model.values import Result
from copysift.runtime import registry
from copysift.settings.comparison import Settings
from copysift.settings.output import Door

PAGES = ("html", "moss")  # formats that show the sources of the best pairs
MOST_PAGES = 500  # pairs that they show unless --limit says otherwise
RARELY = 200_000  # new values between two searches for cycles
TABLE_ROWS = 1000  # of each part of a table, unless --limit says otherwise


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
    chosen = report_format(door)
    console.check_output(door)
    places = [*paths, *_listed(door)]
    if not places:
        raise UsageError("nothing to scan", hint="name files or folders, or use --files-from")
    if door.save:
        from copysift.runs.scan_run import check_place

        check_place(Path(door.save), door.overwrite)
    if chosen == "moss":
        folders.check_folder(door)
    if door.anonymise:
        pseudonyms.check_key(door)
    if door.server:
        from copysift.cli.remote import scan_there

        return scan_there(places, values, settings, door, chosen)
    from copysift.workflows.index_scan import scan_of

    scan, places = scan_of(places, settings, given_settings(values))
    gc.freeze()  # a result is many small values that exist to the end: looking for cycles among them takes
    gc.set_threshold(RARELY)  # a tenth of the time, and finds none
    with console.progress(door) as shown:
        result = scan.run(
            places,
            regions=(chosen == "json" and not door.no_regions) or chosen in PAGES or bool(door.passages),
            most=_limit(settings, chosen) if chosen in PAGES else None,
            groups=wants_groups(chosen, door),
            keep=bool(door.save),
            progress=shown,
        )
    if door.save:
        scan.save(Path(door.save))
    console.name_skipped(result.skipped)
    console.name_notes(result.notes, door)
    show(result, chosen, settings, door, scan)
    if door.verbose:
        spelled = [f"{name} {value}" for name, value in result.settings.items() if value]
        console.note(f"settings: {', '.join(spelled)}")
        for phase, seconds in scan.times.items():
            console.note(f"{phase}: {seconds:.2f} s")
        for read_as, count in Counter(group.read_as for group in result.documents if group.read_as).items():
            console.note(f"read as {read_as}: {count:,} of {len(result.documents):,} documents")
        raw = sum(group.kind == "bytes" for group in result.documents)
        if raw:
            console.note(f"compared as bytes: {raw:,} of {len(result.documents):,} files")
    return console.status(bool(result.pairs or result.equal), result.skipped)


def wants_groups(chosen: str, door: Door) -> bool:
    """Say whether a report lists groups; one of a plug-in may."""
    return door.groups or chosen not in ("table", "json", "csv", "names")


def report_format(door: Door) -> str:
    """Give the report format: that of --format, else by the extension of the output file, else table."""
    if door.format:
        return registry.check(registry.REPORTS, door.format)
    suffix = Path(door.output).suffix.lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    if suffix[1:] in registry.names(registry.REPORTS):
        return suffix[1:]
    if suffix in ("", ".txt"):
        return "names" if door.null else "table"
    raise UsageError(
        f"no report format has the extension {suffix}",
        hint=f"use --format: {', '.join(registry.names(registry.REPORTS))}",
    )


def show(result: Result, chosen: str, settings: Settings, door: Door, scan: object = None) -> None:
    """Make the report and write it."""
    from copysift.report import csv_report, json_report
    from copysift.report.names import names
    from copysift.report.view import View, no_holders, no_source, no_spans
    from copysift.report.wording import plural

    view = View(
        groups=door.groups,
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
        decisions=_decisions(door, chosen),
    )
    if door.anonymise:
        result, view = pseudonyms.anonymous(result, view, settings, door)
    if chosen in ("json", "csv"):
        streamed = json_report if chosen == "json" else csv_report
        console.write(streamed.parts(result, view), door)
        return
    report = names if chosen == "names" else registry.load(registry.REPORTS, chosen)
    made = report(result, view)
    if isinstance(made, str):
        console.write(made, door)
    else:
        folders.write_folder(made, door)
    if chosen in PAGES and door.output not in ("", "-") and not door.quiet:
        units = {each.group for each in result.documents} | {each.name for each in result.submissions}
        noun = "submission" if result.submissions else "file"
        console.note(f"{plural(len(result.pairs), 'pair')} of {plural(len(units), noun)}: {door.output}")


def without_regions(result: Result) -> Result:
    """Give a result whose pairs have no regions, for --no-regions."""
    return dataclasses.replace(
        result, pairs=tuple(dataclasses.replace(pair, regions=None) for pair in result.pairs)
    )


def _decisions(door: Door, chosen: str) -> tuple[dict[str, str], ...]:
    """Read the decisions that an earlier report exported."""
    from copysift.report.decisions import read_decisions

    if not door.decisions:
        return ()
    if chosen != "html":
        raise UsageError(
            f"--decisions goes into the HTML report, not into {chosen}", hint="use -o report.html"
        )
    return read_decisions(Path(door.decisions))


def _limit(settings: Settings, chosen: str) -> int | None:
    """Give how many rows are listed: a person reads a table, a program reads all of a file."""
    if settings.limit is None:
        return TABLE_ROWS if chosen == "table" else MOST_PAGES if chosen in PAGES else None
    return settings.limit or None


def _listed(door: Door) -> Iterator[str]:
    """Read the list of --files-from; one that contains a NUL is NUL-separated, with -0 or without."""
    if not door.files_from:
        return
    try:
        listed = Path(door.files_from)
        content = sys.stdin.buffer.read() if door.files_from == "-" else listed.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read the list {door.files_from}: {error.strerror}") from None
    separator = b"\0" if door.null or b"\0" in content else b"\n"
    if separator == b"\n" and content.count(b"\n") == content.count(b"\r\n"):  # as Windows ends lines
        content = content.replace(b"\r\n", b"\n")
    for name in content.split(separator):
        if name:
            yield os.fsdecode(name)
