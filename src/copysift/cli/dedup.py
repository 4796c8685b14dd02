"""`copysift dedup`: keep one document of each cluster."""

from __future__ import annotations

from pathlib import Path

import click

from copysift.cli import console
from copysift.cli.corpus_options import (
    name_skipped,
    options,
    progress,
    settings_from,
    spare_pandas,
    told,
    was_given,
)
from copysift.cli.options import SectionedCommand
from copysift.errors import UsageError


@click.command("dedup", cls=SectionedCommand)
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@options("dedup")
def command(sources: tuple[str, ...], **given: object) -> int:
    """Write the records of the sources without near-copies to -o OUT.jsonl or OUT.parquet.

    The removed ones are listed in OUT.removed, each with the reason and the one that was kept; no document
    goes that is not itself alike to the one kept in its place.
    """
    settings, door = settings_from(given)
    if not sources:
        raise UsageError("nothing to dedup", hint="name a folder, JSONL, Parquet, CSV or WARC files, or -")
    if not door.output and not door.dry_run:
        raise UsageError("no file for what stays", hint="name it by -o OUT.jsonl, or ask for a --dry-run")
    if door.passages and not door.against:
        raise UsageError("--passages needs --against RUN")
    spare_pandas()
    from copysift.engine.corpus.deduping import dedup
    from copysift.engine.corpus.engines import cluster_with
    from copysift.engine.corpus.run import check_onto

    if door.against:
        check_onto(Path(door.against), settings, was_given(given))
    with progress(door) as shown:
        done = dedup(
            sources,
            Path(door.output) if door.output else None,
            settings,
            keeping=door.keep,
            shards=door.shards,
            dry_run=door.dry_run,
            against=Path(door.against) if door.against else None,
            passages=door.passages,
            run=Path(door.run) if door.run else None,
            progress=shown,
            cluster=cluster_with(door.engine, door.master, door.conf),
        )
    name_skipped(done.skipped, done.skipped_total, "")
    if not door.quiet:
        verb = "would be " if door.dry_run else ""
        told(f"{done.documents:,} documents: {done.kept:,} {verb}kept, {done.removed:,} {verb}removed\n")
        for reason, count in done.reasons.items():
            told(f"  {count:,} {reason}\n")
    return console.SOME_SKIPPED if done.left_out else console.DONE
