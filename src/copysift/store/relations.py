"""Which contents share enough: pairs of new contents with all others, from postings, never from texts.

A few new contents are looked up by their hashes; for many, all postings are gone through once.
Boilerplate forms no pairs and is left out of every measure. Contents that have nothing else are compared
with the first such contents that have their rarest boilerplate, so that even thousands of near-copies
are joined at a linear cost (Broder et al. 1997, section 4.1).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from copysift import kernels
from copysift.join.memory import Join
from copysift.join.rows import Postings, candidates
from copysift.runtime.arrays import distinct
from copysift.settings.selection import CORPUS_FLOOR
from copysift.store.boilerplate import Boilerplate, Presence, bare_contents
from copysift.store.segment import hashes_of
from copysift.store.snapshot import Snapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt64s

    Int64s = NDArray[np.int64]
    Bools = NDArray[np.bool_]

COMMON = 1000  # contents of all times that have a hash before it forms no pairs, whatever one sweep has
FEWEST = 2  # shared hashes that are evidence, unless a content has fewer
NEGLIGIBLE = 0.02  # share of a content that is no evidence, however much of it is shared
PARTNERS = 100  # pairs of one content that are kept, the most resembling
REPRESENTATIVES = 8
LISTS = 3  # boilerplate by which a bare content finds representatives
LOOKED_UP = 1 << 18  # hashes at once
SPAN_BYTES = 96  # of memory for a posting whose place is looked at


class Pairs(NamedTuple):
    """Pairs of contents, left < right, and the hashes that they share."""

    left: Int64s
    right: Int64s
    shared: Int64s


class _Piece(NamedTuple):
    """Postings in which all contents of a hash are together."""

    hashes: UInt64s
    contents: Int64s
    starts: Int64s
    lengths: Int64s


@dataclass(frozen=True, slots=True)
class Sources:
    """Where postings are read: `looked_up` are the hashes of the new contents, None for all postings."""

    snapshot: Snapshot
    looked_up: UInt64s | None
    memory: int = 1 << 28
    tmp_dir: Path | None = None
    jobs: int = 1

    def pieces(self) -> Iterator[_Piece]:
        """Give the postings."""
        if self.looked_up is None:
            for columns in self.snapshot.postings():
                places = (columns.documents, columns.starts, columns.lengths)
                yield _Piece(hashes_of(columns.keys), *(each.astype(np.int64) for each in places))
            return
        size = max(1, min(LOOKED_UP, -(-len(self.looked_up) // self.jobs)))
        parts = [self.looked_up[at : at + size] for at in range(0, len(self.looked_up), size)]
        with ThreadPoolExecutor(self.jobs) as pool:
            for at in range(0, len(parts), self.jobs):  # so that no more than these are in memory
                some = parts[at : at + self.jobs]
                for part, found in zip(some, pool.map(self.snapshot.find, some), strict=True):
                    places = (found.documents, found.starts, found.lengths)
                    yield _Piece(part[found.which], *(each.astype(np.int64) for each in places))


class Relations:
    """Relates the contents from number `fresh` on with all others.

    `sizes` has the distinct hashes of every live content by number, 0 for others. `known` has what earlier
    sweeps found, and is added to; `limit` is the most contents of one sweep that may have a hash.
    """

    def __init__(
        self, sources: Sources, sizes: Int64s, fresh: int, known: Boilerplate, presence: Presence, limit: int
    ) -> None:
        self._sources, self._sizes, self._fresh = sources, sizes, fresh
        self._presence, self._limit = presence, limit
        self.boilerplate = known
        self.outgrown = False  # boilerplate that older contents have, too: all must be related again
        self._members: list[NDArray[np.uint32]] = [np.zeros(0, np.uint32)]
        self._degrees: list[Int64s] = [np.zeros(0, np.int64)]
        self._postings = self._sift()
        if not self.outgrown:
            self._strip()

    # ---- boilerplate

    def _sift(self) -> Postings:
        """Give the hashes that a few contents share to the join, and count the others as boilerplate."""
        found: list[UInt64s] = [np.zeros(0, np.uint64)]
        with Join(self._sources.memory, self._sources.tmp_dir, jobs=self._sources.jobs) as join:
            for piece in self._sources.pieces():
                hashes, contents, bounds = self._collated(piece)
                if not len(hashes):
                    continue
                degrees = np.diff(bounds)
                held = self.boilerplate.holds(hashes[bounds[:-1]])
                common = held | self._common(contents, bounds)
                rare = np.repeat((degrees > 1) & ~common, degrees)
                join.add_entries(hashes[rare], contents[rare].astype(np.uint32))
                self._note(contents, bounds, common, self.boilerplate.in_base(hashes[bounds[:-1]]))
                found.append(hashes[bounds[:-1]][common & ~held])
                older = np.minimum.reduceat(contents, bounds[:-1]) < self._fresh
                self.outgrown |= bool((older & common & ~held).any())
            postings = join.finish(0, lambda degrees, groups: np.ones(len(degrees)))
        self.boilerplate.add(np.concatenate(found))
        return postings

    def _collated(self, piece: _Piece) -> tuple[UInt64s, Int64s, Int64s]:
        """Give the live contents of each hash once: hashes, contents, and the bounds of equal hashes."""
        live = self._sizes[piece.contents] > 0
        hashes, contents = piece.hashes[live].copy(), piece.contents[live].astype(np.uint32)
        kernels.join.sort_pairs(hashes, contents)
        fresh = np.ones(len(hashes), np.bool_)
        fresh[1:] = (hashes[1:] != hashes[:-1]) | (contents[1:] != contents[:-1])
        hashes, contents = hashes[fresh], contents[fresh]
        bounds = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1], [True]]))
        return hashes, contents.astype(np.int64), bounds

    def _common(self, contents: Int64s, bounds: Int64s) -> Bools:
        """Say which lists of contents are too long for evidence."""
        degrees = np.diff(bounds)
        found = degrees > max(COMMON, self._limit)
        some = np.flatnonzero((degrees > self._limit) & ~found)
        if len(some):
            members = contents[_ranges(bounds[some], degrees[some])]
            counts = self._presence.most(members, np.concatenate([[0], np.cumsum(degrees[some])]))
            found[some] = counts > self._limit
        return found

    def _note(self, contents: Int64s, bounds: Int64s, common: Bools, base: Bools) -> None:
        """Keep who has boilerplate, and count what the new contents have of it."""
        degrees = np.diff(bounds)
        self._members.append(contents[np.repeat(common & ~base, degrees)].astype(np.uint32))
        self._degrees.append(degrees[common & ~base])
        members = contents[np.repeat(common, degrees)]
        fresh = np.bincount(members[members >= self._fresh], minlength=len(self._sizes))
        self.boilerplate.counts += fresh

    def _strip(self) -> None:
        """Find the new contents that are bare by the places of all their hashes, as many as fit at a time."""
        counts = self.boilerplate.counts
        heavy = self._fresh + np.flatnonzero((2 * counts > self._sizes)[self._fresh :])
        room = max(1, self._sources.memory // SPAN_BYTES)
        parts = np.cumsum(self._sizes[heavy]) // room
        for part in distinct(parts).tolist():
            wanted = np.zeros(len(self._sizes), np.bool_)
            wanted[heavy[parts == part]] = True
            rows: list[tuple[NDArray[Any], ...]] = [(*[np.zeros(0, np.int64)] * 3, np.zeros(0, np.bool_))]
            for piece in self._sources.pieces():
                some = wanted[piece.contents]
                common = self.boilerplate.holds(piece.hashes[some])
                rows.append((piece.contents[some], piece.starts[some], piece.lengths[some], common))
            found = bare_contents(*(np.concatenate(column) for column in zip(*rows, strict=True)))
            self.boilerplate.bare[found] = True
        self._lists = self._bare_lists()
        fresh = self._lists[1][self._lists[1] >= self._fresh]
        counts -= np.bincount(fresh, minlength=len(counts))

    # ---- pairs

    def pairs(self, wanted: Iterable[tuple[int, int]] = ()) -> Pairs:
        """Give the pairs that share enough, and the `wanted` pairs in any case."""
        one, other = self._representatives(*self._lists)
        asked = np.array(sorted({(min(pair), max(pair)) for pair in wanted}), np.int64).reshape(-1, 2)
        near, far = self._candidates()
        codes = ascending(_codes(np.concatenate([near, one, asked[:, 0]]),
                                 np.concatenate([far, other, asked[:, 1]])))  # fmt: skip
        left, right = (
            (codes >> np.uint64(32)).astype(np.int64),
            (codes & np.uint64(2**32 - 1)).astype(np.int64),
        )
        shared = _shared(self._postings.offsets, self._postings.groups, left, right)
        both = np.flatnonzero(self.boilerplate.bare[left] & self.boilerplate.bare[right])
        shared[both] += _shared(*self._lists, left[both], right[both])
        must = np.isin(codes, _codes(asked[:, 0], asked[:, 1]))
        return self._kept(Pairs(left, right, shared), must)

    def compared(self, left: Int64s, right: Int64s) -> tuple[Int64s, Int64s]:
        """Give the hashes of both sides of pairs that count."""
        own = self._sizes - self.boilerplate.counts
        return own[left], own[right]

    def _kept(self, pairs: Pairs, must: Bools) -> Pairs:
        one, other = self.compared(pairs.left, pairs.right)
        least = np.maximum(np.minimum(one, other), 1)
        smaller = np.minimum(self._sizes[pairs.left], self._sizes[pairs.right])
        enough = (pairs.shared / least >= CORPUS_FLOOR) & is_evidence(pairs.shared, smaller)
        scores = np.where(enough, resemblance(pairs.shared, one, other), -1.0)
        kept = must | (enough & (_best(pairs.left, scores) | _best(pairs.right, scores)))
        return Pairs(*(column[kept] for column in pairs))

    def _candidates(self) -> tuple[Int64s, Int64s]:
        postings = self._postings
        room = len(postings.sizes)
        if not room:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        own = np.maximum(self._sizes - self.boilerplate.counts, 1)[:room]
        postings = dataclasses.replace(postings, sizes=own.astype(np.uint32), totals=own.astype(float))
        side = (np.arange(room) < self._fresh).astype(np.uint32)
        found = candidates(postings, "containment", CORPUS_FLOOR, FEWEST, self._sources.jobs, side)
        return found.left.astype(np.int64), found.right.astype(np.int64)

    def _bare_lists(self) -> tuple[Int64s, NDArray[np.uint32]]:
        """Give the bare contents of each hash that mostly bare ones have, the rarest hash first.

        Such a hash is of the text that near-copies share; others are of a template, which pages with texts
        of their own have, too: these count for no content. As offsets and members.
        """
        members, degrees = np.concatenate(self._members), np.concatenate(self._degrees)
        lists = np.repeat(np.arange(len(degrees)), degrees)
        bare = self.boilerplate.bare[members]
        chosen = np.flatnonzero(
            2 * np.bincount(lists[bare], minlength=len(degrees)) >= np.maximum(degrees, 1)
        )
        ranks = np.full(len(degrees), -1)
        ranks[chosen[np.argsort(degrees[chosen], kind="stable")]] = np.arange(len(chosen))
        kept = np.flatnonzero(bare & (ranks[lists] >= 0))
        kept = kept[np.argsort(ranks[lists[kept]], kind="stable")]
        offsets = np.zeros(len(chosen) + 1, np.int64)
        np.cumsum(np.bincount(ranks[lists[kept]], minlength=len(chosen)), out=offsets[1:])
        return offsets, members[kept]

    def _representatives(self, offsets: Int64s, members: NDArray[np.uint32]) -> tuple[Int64s, Int64s]:
        """Pair new bare contents with the first bare ones that have some of their boilerplate, the rarest."""
        used = np.zeros(len(self._sizes), np.int64)
        parts = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
        for at in np.flatnonzero(np.diff(offsets) > 1).tolist():
            holders = members[offsets[at] : offsets[at + 1]].astype(np.int64)
            chosen = holders[(holders >= self._fresh) & (used[holders] < LISTS)]
            used[chosen] += 1
            for first in holders[:REPRESENTATIVES].tolist() if len(chosen) else ():
                others = chosen[chosen != first]
                parts.append((np.minimum(others, first), np.maximum(others, first)))
        return np.concatenate([one for one, _ in parts]), np.concatenate([other for _, other in parts])


def ascending(values: UInt64s) -> UInt64s:
    """Give distinct values in order; sorting is faster here than np.unique."""
    ordered = np.sort(values)
    fresh = np.ones(len(ordered), np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    kept: UInt64s = ordered[fresh]
    return kept


def is_evidence(shared: Any, size: Any) -> Any:
    """Say whether this many shared hashes say something of a content of a size, boilerplate included.

    What is left beside boilerplate may be next to nothing: then it does not show that all of it is shared.
    """
    return shared >= np.maximum(np.minimum(FEWEST, np.maximum(size, 1)), NEGLIGIBLE * size)


def resemblance(shared: Any, one: Any, other: Any) -> Any:
    """Give |A ∩ B| / |A ∪ B| from counts of distinct hashes."""
    return shared / np.maximum(one + other - shared, 1)


def _codes(left: Int64s, right: Int64s) -> UInt64s:
    return (left.astype(np.uint64) << np.uint64(32)) | right.astype(np.uint64)


def _ranges(starts: Int64s, lengths: Int64s) -> Int64s:
    """Give start, start + 1, … of each range, one after the other."""
    made: Int64s = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths - starts, lengths)
    return made


def _shared(offsets: Int64s, groups: NDArray[np.uint32], left: Int64s, right: Int64s) -> Int64s:
    """Give the lists groups[offsets[i]:offsets[i + 1]] that have both contents of each pair."""
    found = np.zeros(len(left), np.int64)
    room = int(groups.max()) + 1 if len(groups) else 0
    there = np.flatnonzero(right < room)
    if not len(there):
        return found
    starts, numbers = kernels.join.transpose(offsets, groups, room)
    lengths = np.diff(starts)
    rows = np.repeat(np.arange(room), lengths) << 32 | numbers  # ascending: every row's are sorted
    ends = np.cumsum(lengths[left[there]])
    first = 0
    while first < len(there):  # so many pairs at a time that their hashes fit
        last = max(first + 1, int(np.searchsorted(ends, (ends[first - 1] if first else 0) + LOOKED_UP)))
        some = there[first:last]
        size = lengths[left[some]]
        of = np.repeat(np.arange(len(some)), size)
        wanted = right[some][of] << 32 | numbers[_ranges(starts[left[some]], size)]
        place = np.minimum(np.searchsorted(rows, wanted), max(len(rows) - 1, 0))
        found[some] = np.bincount(of[rows[place] == wanted], minlength=len(some))
        first = last
    return found


def _best(contents: Int64s, scores: NDArray[np.float64]) -> Bools:
    """Say which pairs are among the best of their content."""
    order = np.lexsort((-scores, contents))
    ordered = contents[order]
    ranks = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    best = np.zeros(len(order), np.bool_)
    best[order[ranks < PARTNERS]] = True
    return best
