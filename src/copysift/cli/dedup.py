"""`copysift dedup`: keep one document of each cluster."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from copysift.cli import console
from copysift.cli.corpora import check_engine, corpus_settings, expand, name_skipped
from copysift.cli.options import SectionedCommand, options
from copysift.errors import UsageError
from copysift.sources.places import is_uri
from copysift.sources.walk import is_run

if TYPE_CHECKING:
    from copysift.engines.dedup_job import DedupCounts
    from copysift.model.contamination import Contamination
    from copysift.runtime.progress import Progress
    from copysift.settings.corpus import CorpusSettings
    from copysift.settings.output import Door

ITEMS = 10  # of benchmarks, on the terminal


@click.command("dedup", cls=SectionedCommand)
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@options("dedup")
def command(sources: tuple[str, ...], **given: object) -> int:
    """Remove near-duplicates from a corpus.

    Writes the remaining records to -o OUT: .jsonl, .json, .csv or .tsv (also compressed: .gz, .zst, .bz2,
    .xz), .parquet or .arrow; - is standard output, as JSON lines; a folder (OUT/) gets a file of the same
    name for every input file. The removed ones are listed in OUT.removed, each with the reason and the
    document kept instead. A document is removed only if it is itself similar to the one that is kept. With
    --engine spark SOURCE and OUT may be URIs; at a URI, OUT is a folder of part files.
    """
    settings, door, values = corpus_settings("dedup", given)
    if door.report and not door.test:
        raise UsageError("--report says what the corpus has of a benchmark", hint="name it with --test")
    if door.test and (door.against or door.save or settings.max_copies):
        raise UsageError(
            "--test only looks for the items of benchmarks",
            hint="leave out --against, --save and --max-copies, or run dedup twice",
        )
    if door.from_run and (sources or door.against or door.save or door.engine == "spark"):
        raise UsageError(
            "--from RUN applies a run to its own sources",
            hint="leave out SOURCE, --against, --save and --engine",
        )
    if not sources and not door.from_run:
        raise UsageError(
            "nothing to deduplicate", hint="name a folder, JSONL, Parquet, CSV or WARC files, or -"
        )
    if not door.output and not door.dry_run and not door.report:
        ways = "-o OUT.jsonl, --report FILE.html or --dry-run" if door.test else "-o OUT.jsonl or --dry-run"
        raise UsageError("no output file given", hint=f"add {ways}")
    if door.engine == "spark" and (door.cut_passages or door.test):
        raise UsageError("passages need --engine local", hint="leave out --engine spark")
    if door.report:
        from copysift.report.contamination import contamination_format

        contamination_format(door.report)  # a name without a format is refused before the work
    from copysift.report.wording import plural

    sources = expand(sources)
    check_engine(door, settings)
    with console.progress(door) as shown:
        done = _dedup(sources, settings, door, values, shown)
    name_skipped(done.skipped, done.skipped_total, "")
    if not door.quiet:
        for note in done.notes:
            console.note(note)
        say = partial(click.echo, err=door.output == "-")  # standard output has the records
        verb = "would be " if door.dry_run or not door.output else ""
        unit = "submission" if settings.by == "dir" else "document"
        say(f"{plural(done.documents, unit)}: {done.kept:,} {verb}kept, {done.removed:,} {verb}removed")
        how = "flagged" if door.cut_passages == "flag" else "cut"
        for reason, count in done.reasons.items():
            if reason != how:
                say(f"  {count:,} {reason}")
        if door.cut_passages or door.test:
            share = done.passage_bytes / done.text_bytes if done.text_bytes else 0.0
            where = f" in {plural(done.reasons[how], 'document')}" if how in done.reasons else ""
            say(
                f"{plural(done.passages, 'passage')} {verb}{how}{where}: "
                f"{done.passage_bytes:,} of {done.text_bytes:,} bytes ({share:.1%})"
            )
    if done.contamination is not None:
        _show_contamination(done.contamination, done, door)
    return console.status(bool(done.documents), range(done.left_out))


def _dedup(
    sources: tuple[str, ...],
    settings: CorpusSettings,
    door: Door,
    given: Iterable[str],
    shown: Progress,
) -> DedupCounts:
    """Run the chosen engine."""
    from copysift.engines.cluster_run import check_sources, replaces
    from copysift.engines.dedup_job import DedupJob
    from copysift.engines.dedup_steps import dedup
    from copysift.engines.engine import dedup_on_spark
    from copysift.engines.known_run import known_run
    from copysift.engines.output_targets import output_place, refuse_existing
    from copysift.runs.stored_run import open_corpus

    if door.engine == "local":
        check_sources([*sources, *settings.earlier], settings)
    if door.save and not door.overwrite and replaces(Path(door.save), sources, settings):
        raise UsageError(
            f"{door.save} already contains another run", hint="choose another folder, or add --overwrite"
        )
    run = Path(door.save) if door.save else None
    if door.output and not (door.dry_run or door.overwrite or is_uri(door.output)):
        made_of = open_corpus(Path(door.from_run)).described["sources"] if door.from_run else sources
        refuse_existing(door.output, made_of, door.shards, settings)
    on_spark = door.engine == "spark"
    if on_spark and door.against and not is_run(door.against):
        raise UsageError(
            f"--engine spark takes --against only as a run, and {door.against} is none",
            hint=f"make one with copysift cluster {door.against} -o RUN, and name that",
        )
    with known_run(door.against or None, settings, given, shown) as against:
        if on_spark:
            job = DedupJob(
                sources, door.output, settings, door.keep, door.shards, door.dry_run, against=against, run=run
            )
            return dedup_on_spark(door.spark_master, door.spark_conf)(job, shown)
        return dedup(
            sources,
            output_place(door.output, make=not door.dry_run) if door.output else None,
            settings,
            keeping=door.keep,
            shards=door.shards,
            dry_run=door.dry_run or not door.output,
            against=against,
            passages=door.cut_passages,
            tests=door.test,
            run=run,
            from_run=Path(door.from_run) if door.from_run else None,
            progress=shown,
        )


def _show_contamination(found: Contamination, done: DedupCounts, door: Door) -> None:
    """Say what the corpus has of each benchmark, and write the report."""
    from copysift.report.contamination import WRITERS, contamination_format, limits_of
    from copysift.report.wording import percent, visible

    if door.report:
        made = WRITERS[contamination_format(door.report)](found)
        Path(door.report).write_text(made, encoding="utf-8")
    if door.quiet:
        return
    say = partial(click.echo, err=door.output == "-")
    for name, items, dirty in found.benchmarks:
        share = dirty / items if items else 0.0
        say(f"{visible(name)}: {dirty:,} of {items:,} items found, or parts of them ({percent(share)})")
    for item in found.items[:ITEMS]:
        where = item.holders[0].document
        more = f" and {item.documents - 1:,} more" if item.documents > 1 else ""
        say(f"  {percent(item.share):>4} of {visible(item.name)}: {visible(where)}{more}")
    if len(found.items) > ITEMS:
        rest = f": {door.report} has all" if door.report else "; --report FILE.html lists all"
        say(f"  … and {len(found.items) - ITEMS:,} more{rest}")
    for note in limits_of(found):
        console.note(note)
    if found.documents < found.documents_total:
        console.note(
            f"looked at {done.text_bytes:,} of {done.corpus_bytes:,} bytes of text: the run has no shingle "
            f"of an item in the other {found.documents_total - found.documents:,} documents"
        )
