"""Relate the contents of all sweeps: pairs that share enough, and the versions of each address."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from copysift.model.sweeps import IgnoredInSweep
from copysift.settings.comparison import Settings
from copysift.store.boilerplate import Boilerplate, most_shared, present_ever, present_now
from copysift.store.catalog import Catalog
from copysift.store.relations import Pairs, Relations, Sources
from copysift.store.segment import Damage
from copysift.store.snapshot import Snapshot
from copysift.store.sweep_clusters import merge, rebuild
from copysift.store.timeline import Timeline
from copysift.store.writer import Writer

if TYPE_CHECKING:
    from copysift.model.values import UInt64s

    Int64s = np.ndarray[tuple[int], np.dtype[np.int64]]

LOOKED_AT, EXAMPLES = 500, 3  # boilerplate that is looked at for examples, and their number


def sizes_of(writer: Writer) -> Int64s:
    """Give the distinct hashes of every live content by number, 0 for others."""
    sizes = np.zeros(writer.next_content, np.int64)
    rows = writer.catalog.run("SELECT number, hashes FROM contents").fetchall()
    if rows:
        numbers, counts = np.array(rows, np.int64).T
        sizes[numbers] = counts
    return sizes


def relate_new(
    writer: Writer, settings: Settings, limit: int, looked_up: UInt64s | None, fresh: int,
    wanted: Iterable[tuple[int, int]],
) -> list[Damage]:  # fmt: skip
    """Relate the contents from number `fresh` on, which only the newest sweep has, and the wanted pairs.

    Where boilerplate has become so that older contents have, too, their measures change: then all is related.
    """
    timeline, sizes = Timeline(writer.catalog), sizes_of(writer)
    known = Boilerplate.stored(writer.catalog, len(sizes))
    sources = _sources(writer, settings, looked_up)
    work = Relations(sources, sizes, fresh, known, present_now(timeline, len(sizes)), limit)
    if work.outgrown:
        return relate_all(writer, settings, limit)
    pairs = _filed(writer, work, wanted, fresh)
    merge(timeline, pairs, *work.compared(pairs.left, pairs.right))
    return sources.snapshot.damages


def _sources(writer: Writer, settings: Settings, looked_up: UInt64s | None) -> Sources:
    return Sources(
        Snapshot.uncommitted(writer.catalog), looked_up, settings.memory,
        Path(settings.tmp_dir) if settings.tmp_dir else None,
        settings.jobs or os.cpu_count() or 1,
    )  # fmt: skip


def _filed(writer: Writer, work: Relations, wanted: Iterable[tuple[int, int]], fresh: int) -> Pairs:
    """File the pairs both ways, and what was found to be boilerplate."""
    pairs = work.pairs(wanted)
    rows = list(zip(*(column.tolist() for column in pairs), strict=True))
    insert = "INSERT OR REPLACE INTO alike VALUES (?, ?, ?)"
    writer.catalog.run_many(insert, rows)
    writer.catalog.run_many(insert, ((right, left, shared) for left, right, shared in rows))
    work.boilerplate.file(writer.catalog, fresh)
    return pairs


def versions_pairs(contents: list[int]) -> set[tuple[int, int]]:
    """Give the pairs of versions of one address whose resemblance `history` shows."""
    made = set()
    for at, content in enumerate(contents[1:], 1):
        for other in {contents[0], contents[at - 1]} - {content}:
            made.add((min(other, content), max(other, content)))
    return made


def relate_all(writer: Writer, settings: Settings, limit: int) -> list[Damage]:
    """Recompute all pairs, clusters and boilerplate; give what was found damaged."""
    timeline = Timeline(writer.catalog)
    for table in ("alike", "templated", "boilerplate WHERE NOT base"):
        writer.catalog.run(f"DELETE FROM {table}")
    wanted: set[tuple[int, int]] = set()
    for _, rows in groupby(list(timeline.versions()), key=lambda row: row.uri):
        wanted |= versions_pairs([row.content for row in rows])
    writer.spill()
    sizes = sizes_of(writer)
    sources = _sources(writer, settings, None)
    known = Boilerplate.none(writer.catalog, len(sizes))
    work = Relations(sources, sizes, 0, known, present_ever(timeline, len(sizes)), limit)
    writer.changed = True
    _filed(writer, work, wanted, 0)
    rebuild(timeline)
    return sources.snapshot.damages


def ignored_in(catalog: Catalog) -> IgnoredInSweep | None:
    """Give what was left out of all comparisons, of the newest sweep; None: nothing was."""
    hashes = catalog.one("SELECT count(*) FROM boilerplate WHERE NOT base")
    base = catalog.one("SELECT count(*) FROM boilerplate WHERE base")
    if not hashes and not base:
        return None
    documents, bare, share = next(
        catalog.rows(
            "SELECT count(*), ifnull(sum(t.bare), 0), "
            "ifnull(avg(iif(t.bare, NULL, t.hashes * 1.0 / c.hashes)), 0) FROM "
            "(SELECT DISTINCT content FROM versions WHERE last IS NULL) v "
            "JOIN templated t ON t.content = v.content JOIN contents c ON c.number = v.content"
        )
    )
    limit = most_shared(catalog, catalog.about("max_shared"))
    texts = _examples(catalog) if catalog.about("settings").get("keep_text") else ()
    return IgnoredInSweep(limit, hashes, documents - bare, bare, share, texts, base)


def _examples(catalog: Catalog) -> tuple[str, ...]:
    """Give the texts of some boilerplate that many contents have."""
    snapshot = Snapshot.uncommitted(catalog)
    rows = catalog.rows("SELECT hash FROM boilerplate LIMIT ?", (LOOKED_AT,))
    found = snapshot.find(np.array([row[0] for row in rows], np.int64).view(np.uint64))
    texts = []
    for which in np.argsort(-np.bincount(found.which))[:EXAMPLES].tolist():
        at = int(np.flatnonzero(found.which == which)[0])
        start = int(found.starts[at])
        piece = snapshot.text(int(found.documents[at]), start, start + int(found.lengths[at])) or b""
        texts.append(" ".join(piece.decode("utf-8", "replace").split()))
    return tuple(dict.fromkeys(filter(None, texts)))
