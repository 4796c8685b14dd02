"""`copysift dedup`: keep one document of each cluster."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from copysift.cli import console
from copysift.cli.corpora import check_engine, corpus_settings, name_skipped, spare_pandas
from copysift.cli.options import SectionedCommand, options
from copysift.errors import UsageError

if TYPE_CHECKING:
    from copysift.engines.dedup_steps import Deduped
    from copysift.runtime.progress import Progress
    from copysift.settings.corpus import CorpusSettings
    from copysift.settings.output import Door


@click.command("dedup", cls=SectionedCommand)
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@options("dedup")
def command(sources: tuple[str, ...], **given: object) -> int:
    """Remove near-duplicates from a corpus.

    Writes the remaining records to -o OUT.jsonl or OUT.parquet, and the removed ones to OUT.removed, each
    with the reason and the document kept instead. A document is removed only if it is itself similar to the
    one that is kept. With --engine spark SOURCE and OUT may be URIs; at a URI, OUT is a folder of part files.
    """
    settings, door, values = corpus_settings("dedup", given)
    if door.from_run and (sources or door.against or door.save or door.engine == "spark"):
        raise UsageError(
            "--from RUN applies a run to its own sources",
            hint="leave out SOURCE, --against, --save and --engine",
        )
    if not sources and not door.from_run:
        raise UsageError(
            "nothing to deduplicate", hint="name a folder, JSONL, Parquet, CSV or WARC files, or -"
        )
    if not door.output and not door.dry_run:
        raise UsageError("no output file given", hint="add -o OUT.jsonl or --dry-run")
    if door.engine == "spark" and door.cut_passages:
        raise UsageError("passages need --engine local", hint="leave out --engine spark")
    check_engine(sources, door)
    spare_pandas()
    with console.progress(door) as shown:
        done = _dedup(sources, settings, door, values, shown)
    name_skipped(done.skipped, done.skipped_total, "")
    if not door.quiet:
        for note in done.notes:
            console.note(note)
        verb = "would be " if door.dry_run else ""
        click.echo(f"{done.documents:,} documents: {done.kept:,} {verb}kept, {done.removed:,} {verb}removed")
        for reason, count in done.reasons.items():
            click.echo(f"  {count:,} {reason}")
        if door.cut_passages:
            share = done.passage_bytes / done.text_bytes if done.text_bytes else 0.0
            click.echo(
                f"{done.passages:,} passages {verb}{'flagged' if door.cut_passages == 'flag' else 'cut'}: "
                f"{done.passage_bytes:,} of {done.text_bytes:,} bytes ({share:.1%})"
            )
    return console.SOME_SKIPPED if done.left_out else console.DONE


def _dedup(
    sources: tuple[str, ...],
    settings: CorpusSettings,
    door: Door,
    given: Iterable[str],
    shown: Progress,
) -> Deduped:
    """Run the chosen engine."""
    from copysift.engines.dedup_steps import DedupJob, dedup
    from copysift.engines.engine import dedup_on_spark
    from copysift.runs.cluster_run import check_onto, replaces

    if door.save and not door.overwrite and replaces(Path(door.save), sources, settings):
        raise UsageError(
            f"{door.save} already contains another run", hint="choose another folder, or add --overwrite"
        )
    against, run = (Path(name) if name else None for name in (door.against, door.save))
    if against is not None:
        check_onto(against, settings, given)
    if door.engine == "spark":
        on_spark = dedup_on_spark(door.spark_master, door.spark_conf)
        job = DedupJob(
            sources, door.output, settings, door.keep, door.shards, door.dry_run, against=against, run=run
        )
        return on_spark(job, shown)
    return dedup(
        sources,
        Path(door.output) if door.output else None,
        settings,
        keeping=door.keep,
        shards=door.shards,
        dry_run=door.dry_run,
        against=against,
        passages=door.cut_passages,
        run=run,
        from_run=Path(door.from_run) if door.from_run else None,
        progress=shown,
    )
