"""Which contents share enough: pairs of new contents with all others, from postings, never from texts.

A few new contents are looked up by their hashes; for many, all postings are gone through once. A hash
that over COMMON contents hold forms no pairs by itself, but counts in the pairs that others form. A
content that has little besides such hashes is compared with the first contents that hold them, so
that even thousands of near-copies are joined at a linear cost (Broder et al. 1997, section 4.1).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from copysift import kernels
from copysift.join.memory import Join
from copysift.join.rows import Postings, candidates
from copysift.settings.selection import CORPUS_FLOOR
from copysift.store.segment import hashes_of
from copysift.store.snapshot import Snapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt64s

    Int64s = NDArray[np.int64]

COMMON = 1000  # contents that hold a hash before it forms no pairs by itself
FEWEST = 2  # shared hashes that are evidence, unless a content has fewer
PARTNERS = 100  # pairs of one content that are kept, the most resembling
REPRESENTATIVES = 8
LISTS = 3  # common hashes by which a content finds representatives
LOOKED_UP = 1 << 18  # hashes at once


class Pairs(NamedTuple):
    """Pairs of contents, left < right, and the hashes that they share."""

    left: Int64s
    right: Int64s
    shared: Int64s


@dataclass(slots=True)
class _Common:
    """Who holds the common hashes: one array of contents for each."""

    lists: list[Int64s] = field(default_factory=list)

    def counts(self, room: int) -> Int64s:
        """Give how many common hashes each content has."""
        counts = np.zeros(room, np.int64)
        for each in self.lists:
            counts[each] += 1
        return counts

    def shared(self, left: Int64s, right: Int64s, room: int) -> Int64s:
        """Give how many common hashes pairs share."""
        found = np.zeros(len(left), np.int64)
        holds = np.zeros(room, np.bool_)
        for each in self.lists:
            holds[each] = True
            found += holds[left] & holds[right]
            holds[each] = False
        return found

    def representatives(self, heavy: NDArray[np.bool_], fresh: int) -> tuple[Int64s, Int64s]:
        """Pair contents that have little else with the first holders of some of their hashes."""
        used = np.zeros(len(heavy), np.int64)
        parts = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
        for each in self.lists:
            members = each[(each >= fresh) & heavy[each] & (used[each] < LISTS)]
            used[members] += 1
            for first in each[:REPRESENTATIVES].tolist():
                others = members[members != first]
                parts.append((np.minimum(others, first), np.maximum(others, first)))
        return np.concatenate([one for one, _ in parts]), np.concatenate([other for _, other in parts])


def related(
    snapshot: Snapshot,
    sizes: Int64s,
    looked_up: UInt64s | None,
    fresh: int,
    wanted: Iterable[tuple[int, int]] = (),
    *,
    memory: int = 1 << 28,
    tmp_dir: Path | None = None,
    jobs: int = 1,
) -> Pairs:
    """Give the pairs of contents from number `fresh` on with any other, and the `wanted` pairs in any case.

    `sizes` has the distinct hashes of every live content by number, 0 for others. `looked_up` are the
    hashes of the new contents; None goes through all postings.
    """
    common = _Common()
    with Join(memory, tmp_dir, jobs=jobs) as join:
        for hashes, contents in _pieces(snapshot, looked_up, jobs):
            _sift(hashes, contents, sizes, join, common)
        postings = join.finish(0, lambda degrees, groups: np.ones(len(degrees)))
    room = len(sizes)
    counts = common.counts(room)
    lefts: list[Int64s] = []
    rights: list[Int64s] = []
    if len(postings.sizes):
        rare = (sizes - counts)[: len(postings.sizes)]
        postings = dataclasses.replace(
            postings, sizes=np.maximum(rare, 1).astype(np.uint32), totals=np.maximum(rare, 1).astype(float)
        )
        side = (np.arange(len(rare)) < fresh).astype(np.uint32)
        found = candidates(postings, "containment", CORPUS_FLOOR, FEWEST, jobs, side)
        lefts.append(found.left.astype(np.int64))
        rights.append(found.right.astype(np.int64))
    one, other = common.representatives(2 * counts > sizes, fresh)
    asked = np.array(sorted({(min(pair), max(pair)) for pair in wanted}), np.int64).reshape(-1, 2)
    left = np.concatenate([*lefts, one, asked[:, 0]])
    right = np.concatenate([*rights, other, asked[:, 1]])
    codes = ascending((left.astype(np.uint64) << np.uint64(32)) | right.astype(np.uint64))
    left, right = (codes >> np.uint64(32)).astype(np.int64), (codes & np.uint64(2**32 - 1)).astype(np.int64)
    shared = _shared(postings, left, right) + common.shared(left, right, room)
    must = np.isin(codes, (asked[:, 0].astype(np.uint64) << np.uint64(32)) | asked[:, 1].astype(np.uint64))
    return _kept(Pairs(left, right, shared), sizes, must)


def ascending(values: UInt64s) -> UInt64s:
    """Give distinct values in order; sorting is faster here than np.unique."""
    ordered = np.sort(values)
    fresh = np.ones(len(ordered), np.bool_)
    fresh[1:] = ordered[1:] != ordered[:-1]
    kept: UInt64s = ordered[fresh]
    return kept


def resemblance(shared: Any, one: Any, other: Any) -> Any:
    """Give |A ∩ B| / |A ∪ B| from counts of distinct hashes."""
    return shared / np.maximum(one + other - shared, 1)


def _pieces(
    snapshot: Snapshot, looked_up: UInt64s | None, jobs: int
) -> Iterator[tuple[UInt64s, NDArray[Any]]]:
    """Give hashes with the contents that hold them; all holders of a hash stand in one piece."""
    if looked_up is None:
        for columns, _ in snapshot.postings():
            yield hashes_of(columns.keys), columns.documents
        return
    size = max(1, min(LOOKED_UP, -(-len(looked_up) // jobs)))
    parts = [looked_up[at : at + size] for at in range(0, len(looked_up), size)]
    with ThreadPoolExecutor(jobs) as pool:
        for at in range(0, len(parts), jobs):  # so many at once, and no more in memory
            some = parts[at : at + jobs]
            for part, (found, _) in zip(some, pool.map(snapshot.find, some), strict=True):
                yield part[found.which], found.documents


def _sift(hashes: UInt64s, contents: NDArray[Any], sizes: Int64s, join: Join, common: _Common) -> None:
    """Give the hashes that a few contents share to the join, and the common ones to their lists."""
    live = sizes[contents] > 0
    hashes, contents = hashes[live].copy(), contents[live].astype(np.uint32)
    kernels.join.sort_pairs(hashes, contents)
    if not len(hashes):
        return
    fresh = np.ones(len(hashes), np.bool_)
    fresh[1:] = (hashes[1:] != hashes[:-1]) | (contents[1:] != contents[:-1])
    hashes, contents = hashes[fresh], contents[fresh]
    bounds = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1], [True]]))
    degrees = np.diff(bounds)
    rare = np.repeat((degrees > 1) & (degrees <= COMMON), degrees)
    join.add_entries(hashes[rare], contents[rare])
    for at in np.flatnonzero(degrees > COMMON).tolist():
        common.lists.append(contents[bounds[at] : bounds[at + 1]].astype(np.int64))


def _shared(postings: Postings, left: Int64s, right: Int64s) -> Int64s:
    """Give the hashes that pairs share, as far as the join has their contents."""
    found = np.zeros(len(left), np.int64)
    offsets, numbers = kernels.join.transpose(postings.offsets, postings.groups, len(postings.sizes))
    lengths = np.diff(offsets)
    rows = np.repeat(np.arange(len(lengths)), lengths) << 32 | numbers  # ascending: every row's are sorted
    there = np.flatnonzero(right < len(postings.sizes))
    ends = np.cumsum(lengths[left[there]])
    first = 0
    while first < len(there):  # so many pairs at a time that their hashes fit
        last = max(first + 1, int(np.searchsorted(ends, (ends[first - 1] if first else 0) + LOOKED_UP)))
        some = there[first:last]
        size = lengths[left[some]]
        of = np.repeat(np.arange(len(some)), size)
        at = np.arange(len(of)) - np.repeat(np.cumsum(size) - size, size) + offsets[left[some]][of]
        wanted = right[some][of] << 32 | numbers[at]
        place = np.minimum(np.searchsorted(rows, wanted), max(len(rows) - 1, 0))
        met = rows[place] == wanted if len(rows) else np.zeros(0, np.bool_)
        found[some] = np.bincount(of[met], minlength=len(some))
        first = last
    return found


def _kept(pairs: Pairs, sizes: Int64s, must: NDArray[np.bool_]) -> Pairs:
    one, other = sizes[pairs.left], sizes[pairs.right]
    least = np.maximum(np.minimum(one, other), 1)
    enough = (pairs.shared / least >= CORPUS_FLOOR) & (pairs.shared >= np.minimum(FEWEST, least))
    scores = np.where(enough, resemblance(pairs.shared, one, other), -1.0)
    kept = must | (enough & (_best(pairs.left, scores) | _best(pairs.right, scores)))
    return Pairs(*(column[kept] for column in pairs))


def _best(contents: Int64s, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which pairs are among the best of their content."""
    order = np.lexsort((-scores, contents))
    ordered = contents[order]
    ranks = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    best = np.zeros(len(order), np.bool_)
    best[order[ranks < PARTNERS]] = True
    return best
