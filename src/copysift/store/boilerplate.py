"""What is boilerplate in sweeps: hashes that more than `--max-shared` documents of one sweep have.

They are left out of both sides of every measure (Broder et al. 1997, section 5.1): pages of one site
share its navigation, and that alone does not make them versions of each other. What was boilerplate
once stays boilerplate, so that pairs which are filed keep their measures.

A content may have nothing else: thousands of near-copies of one page share all they have. It is distinguished
from a page with a template by the text that no boilerplate covers: edits of a word or two leave short
gaps, a text leaves long ones. Such bare contents are compared with each other by the hashes that mostly
bare ones have; what pages with texts of their own have, too, is a template and counts for none.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.store.catalog import Catalog
from copysift.store.timeline import Timeline

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt64s

    Int64s = NDArray[np.int64]
    Bools = NDArray[np.bool_]

MAX_SHARED = 10  # documents of a sweep that may have a hash: a site of a dozen pages has a template
GAP = 4  # a gap longer than this many k-grams is text; an edited word leaves a gap of two or three
OWN = 0.02  # share of a content that may be text of its own, if it is to be a near-copy of others


@dataclass(frozen=True, slots=True)
class Presence:
    """In which sweeps each content was: runs of the places of sweeps in time, both ends included.

    The runs of content c are those from offsets[c] to offsets[c + 1].
    """

    offsets: Int64s
    firsts: Int64s
    lasts: Int64s

    @classmethod
    def of(cls, runs: Iterable[tuple[Any, ...]], room: int) -> Presence:
        """Make it of (content, first, last), in order of content and of time."""
        table = np.array(list(runs), np.int64).reshape(-1, 3)
        offsets = np.zeros(room + 1, np.int64)
        np.cumsum(np.bincount(table[:, 0], minlength=room), out=offsets[1:])
        return cls(offsets, table[:, 1], table[:, 2])

    def most(self, contents: Int64s, bounds: Int64s) -> Int64s:
        """Give the most contents that one sweep has of each list contents[bounds[i]:bounds[i + 1]]."""
        lists = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        runs = self.offsets[contents + 1] - self.offsets[contents]
        owners = np.repeat(lists, runs)
        at = np.arange(len(owners)) - np.repeat(np.cumsum(runs) - runs, runs)
        at += np.repeat(self.offsets[contents], runs)
        steps = np.repeat(np.array([1, -1]), len(owners))  # one comes with `first`, and goes after `last`
        times = np.concatenate([self.firsts[at], self.lasts[at] + 1])
        owners = np.concatenate([owners, owners])
        order = np.lexsort((steps, times, owners))
        there = np.cumsum(steps[order])  # every list ends with none
        found = np.zeros(len(bounds) - 1, np.int64)
        np.maximum.at(found, owners[order], there)
        return found


def present_now(timeline: Timeline, room: int) -> Presence:
    """Give the contents of the newest sweep, as if it were the only one."""
    rows = timeline.catalog.rows("SELECT DISTINCT content, 0, 0 FROM versions WHERE last IS NULL ORDER BY 1")
    return Presence.of(rows, room)


def present_ever(timeline: Timeline, room: int) -> Presence:
    """Give the contents of all sweeps; one that several addresses have counts once in a sweep."""
    places = {row.at: place for place, row in enumerate(timeline.sweeps())}
    latest = len(places) - 1
    runs: list[tuple[int, int, int]] = []
    rows = timeline.catalog.rows("SELECT content, first, last FROM versions ORDER BY content, first")
    for content, versions in groupby(rows, key=lambda row: row[0]):
        begun = len(runs)
        for _, first, last in versions:
            run = (content, places[first], latest if last is None else places[last])
            if len(runs) > begun and run[1] <= runs[-1][2]:
                runs[-1] = (content, runs[-1][1], max(run[2], runs[-1][2]))
            else:
                runs.append(run)
    return Presence.of(runs, room)


def most_shared(catalog: Catalog, chosen: int | float) -> int:
    """Give the most contents of one sweep that may have a hash; a share is one of the newest sweep."""
    if isinstance(chosen, int):
        return chosen
    there: int = catalog.one("SELECT count(DISTINCT content) FROM versions WHERE last IS NULL")
    return max(2, int(chosen * there))


@dataclass(slots=True)
class Boilerplate:
    """Hashes that are boilerplate, sorted; how many do not count in each content, and which are bare."""

    hashes: UInt64s
    counts: Int64s
    bare: Bools
    base: UInt64s  # those of base code, which count for bare contents neither

    @classmethod
    def none(cls, catalog: Catalog, room: int) -> Boilerplate:
        """Give a start: no hash is known as boilerplate but those of base code."""
        rows = catalog.rows("SELECT hash FROM boilerplate WHERE base")
        base = np.sort(np.array([row[0] for row in rows], np.int64).view(np.uint64))
        return cls(base, np.zeros(room, np.int64), np.zeros(room, np.bool_), base)

    @classmethod
    def stored(cls, catalog: Catalog, room: int) -> Boilerplate:
        """Read what earlier sweeps have found."""
        if not catalog.has_table("boilerplate"):  # format 2
            nothing = np.zeros(0, np.uint64)
            return cls(nothing, np.zeros(room, np.int64), np.zeros(room, np.bool_), nothing)
        made = cls.none(catalog, room)
        values = [row[0] for row in catalog.rows("SELECT hash FROM boilerplate")]
        made.hashes = np.sort(np.array(values, np.int64).view(np.uint64))
        for content, hashes, bare in catalog.rows("SELECT content, hashes, bare FROM templated"):
            made.counts[content], made.bare[content] = hashes, bool(bare)
        return made

    def holds(self, hashes: UInt64s) -> Bools:
        """Say which hashes are boilerplate."""
        return _among(self.hashes, hashes)

    def in_base(self, hashes: UInt64s) -> Bools:
        """Say which hashes are of base code."""
        return _among(self.base, hashes)

    def add(self, hashes: UInt64s) -> None:
        """Take further hashes as boilerplate."""
        self.hashes = np.union1d(self.hashes, hashes)

    def file(self, catalog: Catalog, fresh: int) -> None:
        """Write the hashes, and what is known of the contents from number `fresh` on."""
        values = self.hashes.view(np.int64).tolist()
        catalog.run_many("INSERT OR IGNORE INTO boilerplate VALUES (?, 0)", ((value,) for value in values))
        numbers = fresh + np.flatnonzero(self.bare[fresh:] | (self.counts[fresh:] > 0))
        rows = zip(numbers.tolist(), self.counts[numbers].tolist(), self.bare[numbers].tolist(), strict=True)
        catalog.run_many("INSERT OR REPLACE INTO templated VALUES (?, ?, ?)", rows)


def bare_contents(contents: Int64s, starts: Int64s, lengths: Int64s, common: Bools) -> Int64s:
    """Give the contents that have next to no text of their own, from all their postings in any order."""
    if not len(contents):
        return np.zeros(0, np.int64)
    order = np.lexsort((starts, contents))
    contents, starts, common = contents[order], starts[order], common[order]
    ends = starts + lengths[order]
    first = np.flatnonzero(np.concatenate([[True], contents[1:] != contents[:-1]]))
    gram = np.add.reduceat(lengths[order], first) / np.diff(np.append(first, len(contents)))
    # Sources one behind the other, so that a running maximum of ends never reaches the next one.
    extent = np.maximum.reduceat(ends, first)
    low = np.minimum.reduceat(starts, first)
    shift = np.cumsum(extent) - extent
    of = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(contents))))
    starts, ends = starts + shift[of], ends + shift[of]
    reached = np.maximum.accumulate(np.where(common, ends, 0))
    before = np.maximum(np.concatenate([[0], reached[:-1]]), (low + shift)[of])
    covers = np.flatnonzero(common)
    gaps = [(of[covers], starts[covers] - before[covers])]
    last = np.append(first[1:], len(contents)) - 1
    gaps.append((np.arange(len(first)), extent + shift - np.maximum(reached[last], low + shift)))
    owners, sizes = (np.concatenate(column) for column in zip(*gaps, strict=True))
    long = sizes > GAP * gram[owners]
    own = np.bincount(owners[long], sizes[long], minlength=len(first))
    kept: Int64s = contents[first][own <= OWN * (extent - low)]
    return kept


def add_base(catalog: Catalog, hashes: UInt64s) -> bool:
    """File the k-grams of base code as boilerplate for good; say whether some are new."""
    before = catalog.one("SELECT count(*) FROM boilerplate WHERE base")
    rows = ((value,) for value in hashes.view(np.int64).tolist())
    catalog.run_many("INSERT OR REPLACE INTO boilerplate VALUES (?, 1)", rows)
    return bool(catalog.one("SELECT count(*) FROM boilerplate WHERE base") != before)


def boilerplate_among(catalog: Catalog, hashes: UInt64s) -> tuple[Bools, Bools]:
    """Say which of some hashes an index has as boilerplate, and which of these are of base code."""
    found: dict[int, int] = {}
    values = hashes.view(np.int64).tolist()
    for at in range(0, len(values) if catalog.has_table("boilerplate") else 0, 500):
        part = values[at : at + 500]
        marks = ",".join("?" * len(part))
        found |= dict(catalog.rows(f"SELECT hash, base FROM boilerplate WHERE hash IN ({marks})", part))
    common = np.array([value in found for value in values], np.bool_)
    return common, np.array([bool(found.get(value)) for value in values], np.bool_)


def _among(known: UInt64s, hashes: UInt64s) -> Bools:
    """Say which hashes are among known ones, which are sorted."""
    if not len(known):
        return np.zeros(len(hashes), np.bool_)
    found: Bools = known[np.minimum(np.searchsorted(known, hashes), len(known) - 1)] == hashes
    return found
