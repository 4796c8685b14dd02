"""`copysift dedup`: keep one document of each cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from copysift.cli import console
from copysift.cli.corpus_options import (
    check_engine,
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

if TYPE_CHECKING:
    from copysift.engines.dedup_steps import Deduped
    from copysift.runtime.progress import Progress
    from copysift.settings.corpus import CorpusDoor, CorpusSettings


@click.command("dedup", cls=SectionedCommand)
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@options("dedup")
def command(sources: tuple[str, ...], **given: object) -> int:
    """Write the records of the sources without near-copies to -o OUT.jsonl or OUT.parquet.

    The removed ones are listed in OUT.removed, each with the reason and the one that was kept; no document
    goes that is not itself alike to the one kept in its place. With --engine spark SOURCE and OUT may be
    URIs; at a URI, OUT is a folder of part files.
    """
    settings, door = settings_from(given)
    if not sources:
        raise UsageError("nothing to dedup", hint="name a folder, JSONL, Parquet, CSV or WARC files, or -")
    if not door.output and not door.dry_run:
        raise UsageError("no file for what stays", hint="name it by -o OUT.jsonl, or ask for a --dry-run")
    if door.passages and not door.against:
        raise UsageError("--passages needs --against RUN")
    if door.engine == "spark" and door.passages:
        raise UsageError("--passages is done on this machine alone", hint="leave out --engine spark")
    check_engine(sources, door)
    spare_pandas()
    with progress(door) as shown:
        done = _dedup(sources, settings, door, was_given(given), shown)
    name_skipped(done.skipped, done.skipped_total, "")
    if not door.quiet:
        for note in done.notes:
            console.note(note)
        verb = "would be " if door.dry_run else ""
        told(f"{done.documents:,} documents: {done.kept:,} {verb}kept, {done.removed:,} {verb}removed\n")
        for reason, count in done.reasons.items():
            told(f"  {count:,} {reason}\n")
    return console.SOME_SKIPPED if done.left_out else console.DONE


def _dedup(
    sources: tuple[str, ...],
    settings: CorpusSettings,
    door: CorpusDoor,
    given: list[str],
    shown: Progress,
) -> Deduped:
    """Do it by the engine that was asked for."""
    from copysift.engines.dedup_steps import dedup
    from copysift.engines.engine import dedup_on_spark
    from copysift.runs.cluster_run import check_onto

    against, run = (Path(name) if name else None for name in (door.against, door.run))
    if against is not None:
        check_onto(against, settings, given)
    if door.engine == "spark":
        on_spark = dedup_on_spark(door.master, door.conf)
        return on_spark(
            sources,
            door.output,
            settings,
            keeping=door.keep,
            shards=door.shards,
            dry_run=door.dry_run,
            against=against,
            run=run,
            progress=shown,
        )
    return dedup(
        sources,
        Path(door.output) if door.output else None,
        settings,
        keeping=door.keep,
        shards=door.shards,
        dry_run=door.dry_run,
        against=against,
        passages=door.passages,
        run=run,
        progress=shown,
    )
