"""Relate the contents of all sweeps: pairs that share enough, and the versions of each address."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from copysift.settings.comparison import Settings
from copysift.store.relating import Pairs, related
from copysift.store.snapshot import Snapshot
from copysift.store.sweep_clusters import rebuild
from copysift.store.timeline import Timeline
from copysift.store.writer import Writer

if TYPE_CHECKING:
    from copysift.model.values import UInt64s

    Int64s = np.ndarray[tuple[int], np.dtype[np.int64]]


def sizes_of(writer: Writer) -> Int64s:
    """Give the distinct hashes of every live content by number, 0 for others."""
    sizes = np.zeros(writer.next_content, np.int64)
    rows = writer.catalog.run("SELECT number, hashes FROM contents").fetchall()
    if rows:
        numbers, counts = np.array(rows, np.int64).T
        sizes[numbers] = counts
    return sizes


def file_pairs(
    writer: Writer, snapshot: Snapshot, settings: Settings, sizes: Int64s, looked_up: UInt64s | None,
    fresh: int,
    wanted: Iterable[tuple[int, int]],
) -> Pairs:  # fmt: skip
    """Find the pairs of the contents from number `fresh` on, and the wanted ones, and file them both ways."""
    pairs = related(
        snapshot, sizes, looked_up, fresh, wanted, memory=settings.memory,
        tmp_dir=Path(settings.tmp_dir) if settings.tmp_dir else None,
        jobs=settings.jobs or os.cpu_count() or 1,
    )  # fmt: skip
    rows = list(zip(*(column.tolist() for column in pairs), strict=True))
    insert = "INSERT OR REPLACE INTO alike VALUES (?, ?, ?)"
    writer.catalog.run_many(insert, rows)
    writer.catalog.run_many(insert, ((right, left, shared) for left, right, shared in rows))
    return pairs


def versions_pairs(contents: list[int]) -> set[tuple[int, int]]:
    """Give the pairs of versions of one address whose resemblance `history` tells."""
    made = set()
    for at, content in enumerate(contents[1:], 1):
        for other in {contents[0], contents[at - 1]} - {content}:
            made.add((min(other, content), max(other, content)))
    return made


def relate_all(writer: Writer, settings: Settings) -> None:
    """Form all pairs and clusters anew."""
    timeline = Timeline(writer.catalog)
    writer.catalog.run("DELETE FROM alike")
    wanted: set[tuple[int, int]] = set()
    for _, rows in groupby(list(timeline.versions()), key=lambda row: row.uri):
        wanted |= versions_pairs([row.content for row in rows])
    writer.spill()
    file_pairs(writer, Snapshot.uncommitted(writer.catalog), settings, sizes_of(writer), None, 0, wanted)
    rebuild(timeline)
