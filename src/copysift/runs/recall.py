"""How much a run has found: a sample of its documents is compared with the others, shingle by shingle.

Nothing is sampled in that comparison and no candidates are chosen, so what the run does not have of the
pairs that come out was missed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from copysift.clusters.components import roots
from copysift.match.sets import MeasuredPairs, at_least, measures
from copysift.match.templates import without_templates
from copysift.runs.sets import Sets, has_sets
from copysift.runs.sketches import read_templates
from copysift.runtime.arrays import distinct
from copysift.runtime.lazy_dataclass import dataclass
from copysift.runtime.plurals import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.runs.stored_run import StoredRun

    Int64s = NDArray[np.int64]
    UInt64s = NDArray[np.uint64]

SAMPLE = 2000  # documents that are compared with the others
VALUES = 64 << 20  # shingles that they are compared with, at most
NEAR = 0.1  # pairs less than this above the floor are near it
AT_ONCE = 1000  # pairs whose sets are held to measure them again
SURE = 1.96  # standard deviations: 95 %


@dataclass(frozen=True, slots=True)
class Recall:
    """Of pairs between sampled documents and others: how many there are, and how many the run has.

    `near` counts those near the floor; `together` the missing ones whose documents are in one cluster.
    `templated` pairs share little but a template; the run does not list them, and they are none of `pairs`.
    """

    sampled: int
    compared: int
    documents: int
    floor: float
    pairs: int
    found: int
    near: int
    near_found: int
    together: int
    templated: int = 0

    @property
    def missing(self) -> float:
        """The share of pairs near the floor that may be missing: its upper bound, 95 % sure."""
        return upper(self.near - self.near_found, self.near)


def upper(missed: int, of: int) -> float:
    """Give the upper end of Wilson's interval for a share that was seen `missed` times."""
    if not of:
        return 1.0
    share, square = missed / of, SURE * SURE
    middle = share + square / (2 * of)
    wide = SURE * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    return min(1.0, (middle + wide) / (1 + square / of))


def measure_recall(opened: StoredRun) -> Recall | None:
    """Compare a sample of the documents of a run with the others; None where the run has no shingles."""
    sets = Sets(opened.path / "sketches")
    if not has_sets(sets.folder):
        return None
    floor = float(opened.described["floor"])
    standing = np.flatnonzero(opened.first == np.arange(len(opened.first)))
    chosen = standing[np.arange(SAMPLE) * len(standing) // SAMPLE] if len(standing) > SAMPLE else standing
    exact, compared = _pairs(sets, chosen, opened.first)
    true = exact.take(at_least(exact, floor))
    count = len(opened.first)
    known = distinct(opened.pairs.left * count + opened.pairs.right)
    keys = true.left * count + true.right
    there = np.isin(keys, known)
    counts = there.copy()
    counts[~there] = _beyond_templates(sets, true.take(~there), floor)
    templated = int(np.count_nonzero(~counts))
    true, there = true.take(counts), there[counts]
    close = true.containment < floor + NEAR
    root = roots(count, opened.pairs.left, opened.pairs.right)
    together = np.count_nonzero(~there & (root[true.left] == root[true.right]))
    return Recall(
        len(chosen), compared, count, floor, len(true), int(there.sum()), int(close.sum()),
        int((there & close).sum()), int(together), templated,
    )  # fmt: skip


def _pairs(sets: Sets, chosen: Int64s, first: Int64s) -> tuple[MeasuredPairs, int]:
    """Give the pairs of the chosen documents with those of some parts, and how many documents these have."""
    values, bounds = sets.some(chosen)
    owners = np.repeat(chosen, np.diff(bounds))
    order = np.argsort(values, kind="stable")
    values, owners = values[order], owners[order]
    sizes = sets.column("compared")
    found: list[UInt64s] = []
    seen = np.zeros(len(first), np.bool_)
    for start, part, edges in _parts(sets):
        hits, counts = _looked_up(values, part)
        documents = start + np.searchsorted(edges, np.flatnonzero(counts), side="right") - 1
        found.append(_keys(documents, hits, counts[counts > 0], owners))
        seen[start : start + len(edges) - 1] = True
    keys, shared = _counted(found)
    both = np.zeros(len(first), np.bool_)
    both[chosen] = seen[chosen]
    left, right = (keys >> np.uint64(32)).astype(np.int64), (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
    numbers = np.arange(len(first))
    shared = np.where(both[left] & both[right], shared // 2, shared)  # met from both sides
    alone = (left != right) & (first[left] == numbers[left]) & (first[right] == numbers[right])
    left, right, shared = left[alone], right[alone], shared[alone]
    return measures(left, right, shared, sizes[left], sizes[right]), int(seen.sum())


def _beyond_templates(sets: Sets, pairs: MeasuredPairs, floor: float) -> NDArray[np.bool_]:
    """Say which pairs are at the floor without the shingles of templates too, which do not count in a run."""
    templates = read_templates(sets.folder)
    kept = np.ones(len(pairs), np.bool_)
    for start in range(0, len(pairs) if len(templates) else 0, AT_ONCE):
        some = pairs.take(np.arange(start, min(start + AT_ONCE, len(pairs))))
        numbers = distinct(np.concatenate([some.left, some.right]))
        left = without_templates(some, numbers, *sets.some(numbers), templates, floor)
        wide = np.int64(len(sets.column("compared")))
        kept[start : start + len(some)] = np.isin(
            some.left * wide + some.right, left.left * wide + left.right
        )
    return kept


def _parts(sets: Sets) -> Iterator[tuple[int, UInt64s, Int64s]]:
    """Give sets of parts that lie far apart, until there are enough: the first document, values, bounds."""
    edges = sets.bounds().tolist()
    taken = 0
    for part in sorted(range(sets.parts), key=lambda number: (number * 0x9E3779B1) & 0xFFFFFFFF):
        if taken >= VALUES:
            return
        values, bounds = sets.whole(part)
        yield edges[part], values, bounds
        taken += len(values)


def _looked_up(known: UInt64s, values: UInt64s) -> tuple[Int64s, Int64s]:
    """Give where values start among the known ones, and for every value how many of these it is."""
    counts = np.zeros(len(values), np.int64)
    if not len(known):
        return np.zeros(0, np.int64), counts
    bits = min(max(len(known).bit_length() + 3, 8), 26)
    shift = np.uint64(64 - bits)
    there = np.zeros(1 << bits, np.bool_)
    there[known >> shift] = True
    some = np.flatnonzero(there[values >> shift])
    begin = np.searchsorted(known, values[some], "left")
    counts[some] = np.searchsorted(known, values[some], "right") - begin
    return begin[counts[some] > 0], counts


def _keys(documents: Int64s, begin: Int64s, counts: Int64s, owners: Int64s) -> UInt64s:
    """Give the pair of each shingle that a document and a chosen one have, packed, left < right."""
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    one, other = np.repeat(documents, counts), owners[np.repeat(begin, counts) + within]
    low, high = np.minimum(one, other), np.maximum(one, other)
    keys: UInt64s = (low.astype(np.uint64) << np.uint64(32)) | high.astype(np.uint64)
    return keys


def _counted(found: list[UInt64s]) -> tuple[UInt64s, Int64s]:
    """Count packed pairs."""
    every = np.concatenate(found) if found else np.zeros(0, np.uint64)
    keys, counts = np.unique(every, return_counts=True)
    return keys, counts


def recall_words(recall: Recall) -> list[str]:
    """Say what a run has found, in sentences."""
    others = f"{recall.compared:,} of {recall.documents:,}" if recall.compared < recall.documents else "all"
    sampled = plural(recall.sampled, "document")
    if not recall.pairs:
        return [
            f"Recall: {sampled} of the corpus {'was' if recall.sampled == 1 else 'were'} compared with "
            f"{others} exactly, and no pair at the floor ({recall.floor:.0%}) came out: "
            "nothing can be said about what is missing"
        ]
    said = [
        f"Recall: of {plural(recall.pairs, 'pair')} at or above the floor ({recall.floor:.0%}) that "
        f"{sampled} of the corpus {'has' if recall.sampled == 1 else 'have'} with {others}, compared "
        f"exactly, the run has {recall.found:,} ({_percent(recall.found / recall.pairs)})"
    ]
    if recall.near:
        said.append(
            f"Of {plural(recall.near, 'pair')} near the floor ({recall.floor:.0%} to "
            f"{recall.floor + NEAR:.0%}) it has {recall.near_found:,}; at most {_percent(recall.missing)} "
            "of such pairs are missing (95% confidence)"
        )
    if recall.templated:
        said.append(
            f"{recall.templated:,} other pairs share little but templates: they are not listed, and not "
            "missing"
        )
    if recall.together:
        said.append(
            f"{recall.together:,} of the missing pairs are of documents that are in one cluster all the same"
        )
    return said


def _percent(share: float) -> str:
    """Spell a share so that only all is 100 %."""
    return "100%" if share == 1 else f"{min(share, 0.9999):.2%}"
