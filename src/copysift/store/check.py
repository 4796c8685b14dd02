"""Verify an index whole: every checksum, every order, every reference."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from copysift.store.segment import PAGE, Columns, Damage, Segment
from copysift.store.snapshot import BATCH, Snapshot
from copysift.store.timeline import holders, is_swept
from copysift.store.units import has_units

if TYPE_CHECKING:
    from numpy.typing import NDArray

INCOMPLETE = "is incomplete: it lost fingerprints and could not be read again"


@dataclass(slots=True)
class Verification:
    """What a check found: `left` counts the sound postings of each content, `distinct` their hashes.

    `segments` are the files with damage, `short` the contents that have lost postings.
    """

    damages: list[Damage] = field(default_factory=list)
    segments: set[str] = field(default_factory=set)
    short: dict[int, int] = field(default_factory=dict)
    left: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    distinct: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))


def verify(snapshot: Snapshot) -> Verification:
    """Read everything that a snapshot has, and note what is not as it was written."""
    found = Verification()
    catalog = snapshot.catalog
    for page in catalog.damaged_pages():
        found.damages.append(Damage(catalog.path.name, f"page {page + 1} fails its checksum"))
    for row in catalog.rows("PRAGMA integrity_check"):
        if row[0] != "ok":
            found.damages.append(Damage(catalog.path.name, str(row[0])))
    try:
        _read(snapshot, found)
    except (IndexError, KeyError, TypeError, ValueError, OverflowError) as error:
        # An index without checksums of its catalog: what SQLite gives may be anything.
        found.damages.append(Damage(catalog.path.name, f"has values that were never written: {error}"))
    return found


def _read(snapshot: Snapshot, found: Verification) -> None:
    room = snapshot.catalog.about("next")["content"] + 1
    found.left, found.distinct = np.zeros(room, np.int64), np.zeros(room, np.int64)
    for damage in snapshot.damages:
        found.damages.append(damage)
        found.segments.add(damage.where)
    for segment in snapshot.segments:
        for damage in _segment(segment, found):
            found.damages.append(damage)
            found.segments.add(damage.where)
    found.damages += _references(snapshot, found)
    found.damages += _texts(snapshot)


def _segment(segment: Segment, found: Verification) -> Iterator[Damage]:
    last_key = -1
    for first in range(0, segment.pages, BATCH // PAGE):
        columns, damages = segment.read(first, min(segment.pages, first + BATCH // PAGE))
        yield from damages
        if not len(columns.keys):
            continue
        if int(columns.keys[0]) < last_key or np.any(columns.keys[1:] < columns.keys[:-1]):
            yield Damage(segment.name, "its postings are out of order")
        last_key = int(columns.keys[-1])
        if int(columns.documents.max()) >= len(found.left):
            yield Damage(segment.name, "it has postings of a content that was never added")
            continue
        _count(_within(columns, segment), found)


def _within(columns: Columns, segment: Segment) -> Columns:
    tops = (columns.keys >> np.uint64(32)).astype(np.int64)
    return columns.take((tops >= segment.low) & (tops < segment.high))


def _count(columns: Columns, found: Verification) -> None:
    if not len(columns.keys):
        return
    documents = columns.documents.astype(np.int64)
    fresh = np.ones(len(documents), np.bool_)
    fresh[1:] = (documents[1:] != documents[:-1]) | (columns.keys[1:] != columns.keys[:-1])
    found.left += np.bincount(documents, minlength=len(found.left))
    found.distinct += np.bincount(documents[fresh], minlength=len(found.left))


def _references(snapshot: Snapshot, found: Verification) -> Iterator[Damage]:
    known = np.zeros(len(found.left), np.bool_)
    for row in snapshot.catalog.all_contents():
        known[row.number] = True
        if found.left[row.number] != row.fingerprints:
            found.short[row.number] = int(found.left[row.number])
            names = [document.name for document in holders(snapshot.catalog, row.number)]
            missing = f"has {found.left[row.number]:,} of its {row.fingerprints:,} fingerprints"
            yield from (Damage(name, missing) for name in names)
        elif row.lost:
            found.short[row.number] = row.fingerprints
            yield from (Damage(each.name, INCOMPLETE) for each in holders(snapshot.catalog, row.number))
    for view in snapshot.catalog.views():
        known[view.number] = True
        if found.left[view.number] != view.fingerprints and view.content not in found.short:
            found.short[view.content] = int(found.left[view.content])
            left = f"{found.left[view.number]:,} of its {view.fingerprints:,}"
            missing = f"has {left} fingerprints ({view.channel})"
            yield from (Damage(each.name, missing) for each in holders(snapshot.catalog, view.content))
    for (number,) in snapshot.catalog.rows("SELECT content FROM removed"):
        known[number] = True
    for number in np.flatnonzero((found.left > 0) & ~known).tolist():
        yield Damage(snapshot.catalog.path.name, f"content {number} has postings and no row")
    for name, content in snapshot.catalog.rows(
        "SELECT name, content FROM documents WHERE content NOT IN (SELECT number FROM contents)"
    ):
        yield Damage(
            snapshot.catalog.path.name, f"document {name!r} refers to content {content}, which is not there"
        )
    if has_units(snapshot.catalog):
        named = "uris" if is_swept(snapshot.catalog) else "documents"  # addresses outlive their contents
        lost = snapshot.catalog.one(
            f"SELECT count(*) FROM members WHERE document NOT IN (SELECT number FROM {named}) "
            "OR unit NOT IN (SELECT number FROM units)"
        )
        if lost:
            yield Damage(snapshot.catalog.path.name, f"{lost:,} members of units are not there")
    table = "versions" if is_swept(snapshot.catalog) else "documents"
    for (number,) in snapshot.catalog.rows(
        f"SELECT number FROM contents WHERE number NOT IN (SELECT content FROM {table})"
    ):
        yield Damage(snapshot.catalog.path.name, f"content {number} belongs to no document")
    if table == "versions":
        yield from _sweeps(snapshot)


def _sweeps(snapshot: Snapshot) -> Iterator[Damage]:
    """Look whether versions, pairs and clusters refer to what is there."""
    for table, column, target in (
        ("versions", "content", "contents"), ("versions", "uri", "uris"),
        ("alike", "content", "contents"), ("alike", "other", "contents"), ("clusters", "content", "contents"),
        ("templated", "content", "contents"),
    ):  # fmt: skip
        if not snapshot.catalog.has_table(table):
            continue
        lost = snapshot.catalog.one(
            f"SELECT count(*) FROM {table} WHERE {column} NOT IN (SELECT number FROM {target})"
        )
        if lost:
            yield Damage(snapshot.catalog.path.name, f"{lost:,} rows of {table} refer to no row of {target}")


def _texts(snapshot: Snapshot) -> Iterator[Damage]:
    for piece, data in snapshot.catalog.rows("SELECT piece, data FROM texts"):
        try:
            zlib.decompress(data)
        except zlib.error as error:
            yield Damage(snapshot.catalog.path.name, f"kept text {piece} is damaged: {error}")
