"""What `copysift dedup --test` says about benchmarks, on the terminal and in a report."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from copysift.cli import console
from copysift.report.contamination import WRITERS, contamination_format, limits_of
from copysift.report.wording import percent, visible

if TYPE_CHECKING:
    from copysift.engines.dedup_job import DedupCounts
    from copysift.model.contamination import Contamination
    from copysift.settings.output import Door

SHOWN = 10  # items on the terminal


def show_contamination(found: Contamination, done: DedupCounts, door: Door) -> None:
    """Say what the corpus has of each benchmark, and write the report."""
    if door.report:
        made = WRITERS[contamination_format(door.report)](found)
        Path(door.report).write_text(made, encoding="utf-8")
    if door.quiet:
        return
    say = partial(click.echo, err=door.output == "-")
    for name, items, dirty in found.benchmarks:
        share = dirty / items if items else 0.0
        say(f"{visible(name)}: {dirty:,} of {items:,} items found, or parts of them ({percent(share)})")
    for item in found.items[:SHOWN]:
        where = item.holders[0].document
        more = f" and {item.documents - 1:,} more" if item.documents > 1 else ""
        say(f"  {percent(item.share):>4} of {visible(item.name)}: {visible(where)}{more}")
    if len(found.items) > SHOWN:
        rest = f": {door.report} has all" if door.report else "; --report FILE.html lists all"
        say(f"  … and {len(found.items) - SHOWN:,} more{rest}")
    for note in limits_of(found):
        console.note(note)
    if found.documents < found.documents_total:
        console.note(
            f"looked at {done.text_bytes:,} of {done.corpus_bytes:,} bytes of text: the run has no shingle "
            f"of an item in the other {found.documents_total - found.documents:,} documents"
        )
