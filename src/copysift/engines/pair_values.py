"""Measures of pairs that are computed when they are wanted: similarity, sif and longest.

A run keeps all that they need: sets, the order of the shingles, and how many documents have one. Shingles
that do not count (boilerplate, base code, and templates where these were left out of a pair) count in none.
The similarity of executables weighs what linkers put into them by the different programs that have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from copysift.clusters.builds import builds
from copysift.errors import RunError
from copysift.join.boilerplate import bounds_of
from copysift.join.memory import Join
from copysift.match.exact import runs_among
from copysift.match.measures import GRAIN, library_weights, weights
from copysift.match.sets import MeasuredPairs, PairsWithValues
from copysift.match.templates import Texts
from copysift.model.traits import kind_traits
from copysift.runs.sets import Sets, has_sets
from copysift.runs.sketches import read_templates
from copysift.runtime.arrays import distinct
from copysift.runtime.mapped import spacious_array
from copysift.settings.corpus import CorpusSettings
from copysift.settings.selection import MADE_LATER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Int64s = NDArray[np.int64]
    Shares = NDArray[np.float64]
    UInt64s = NDArray[np.uint64]

ENTRY = 40  # bytes that a shingle of a document takes while it is weighed
PAIR = 128  # bytes that a pair takes while it is measured
LOOKED_UP = 64  # bytes that a shingle takes while it is looked up
EXPANDED = 1 << 22  # shingles of pairs that are looked up together, at most
TOGETHER = 4096  # pairs whose texts are held together, at most


class ValuedPairs:
    """Pairs with the measure of the settings, made once; every loop over them gives them again.

    As many are measured together as memory has space for, and what was made is on disk where it is large.
    """

    def __init__(self, pairs: Iterable[MeasuredPairs], values: PairValues) -> None:
        self._pairs = pairs
        count = sum(len(each) for each in pairs)
        self._made = spacious_array(count, np.float64, values.memory // 8)
        start = 0
        for some in _regrouped(pairs, max(values.memory // 4 // PAIR, TOGETHER)):
            self._made[start : start + len(some)] = values.of(some)
            start += len(some)

    def __iter__(self) -> Iterator[PairsWithValues]:
        start = 0
        for each in self._pairs:
            yield PairsWithValues.of(each, self._made[start : start + len(each)])
            start += len(each)


def _regrouped(pairs: Iterable[MeasuredPairs], most: int) -> Iterator[MeasuredPairs]:
    """Give pairs together, `most` or up to twice as many."""
    held: list[MeasuredPairs] = []
    for each in pairs:
        for start in range(0, len(each), most):
            held.append(each.take(np.arange(start, min(start + most, len(each)))))
            if sum(map(len, held)) >= most:
                yield MeasuredPairs.joined(held)
                held = []
    if held:
        yield MeasuredPairs.joined(held)


class PairValues:
    """Measures pairs by the sketches in a folder; `standing` says which documents are compared."""

    def __init__(self, folder: Path, settings: CorpusSettings, standing: Bools) -> None:
        if not has_sets(folder) and len(standing):
            raise RunError(
                f"{folder.parent} has no shingles, which --measure {settings.measure} needs",
                hint="it was created with --slim; recreate it without",
            )
        self._sets, self._settings, self._standing = Sets(folder), settings, standing
        self.memory = settings.memory
        self._templates = read_templates(folder)
        self._held: _Entries | None = None  # all shingles, where memory has space for them
        self._programs: tuple[Bools, Int64s] | None = None

    def of(self, pairs: MeasuredPairs) -> Shares:
        """Give the measure of pairs, in their order."""
        if self._settings.measure == "similarity":
            return self._similarities(pairs)
        parts = [self._placed(pairs.take(some)) for some in self._batches(pairs)]
        return np.concatenate([np.zeros(0), *parts])

    # ---- by places

    def _batches(self, pairs: MeasuredPairs) -> Iterator[Int64s]:
        """Part pairs so that memory has space for their texts; one pair is never parted."""
        sizes = self._sets.column("places")
        held = np.cumsum(ENTRY * (sizes[pairs.left] + sizes[pairs.right]))
        start, before = 0, 0
        while start < len(pairs):
            end = int(np.searchsorted(held, before + self.memory // 4, "right"))
            end = max(min(end, start + TOGETHER), start + 1)
            yield np.arange(start, end)
            start, before = end, int(held[end - 1])

    def _placed(self, pairs: MeasuredPairs) -> Shares:
        numbers = distinct(np.concatenate([pairs.left, pairs.right]))
        texts = self._sets.texts(numbers)
        ends = bounds_of(texts.places)
        if len(texts.order) != ends[-1]:
            raise RunError("the run does not have the order of its shingles", hint="recreate the run")
        orders = [texts.order[ends[at] : ends[at + 1]] for at in range(len(numbers))]
        counting = [np.isin(order, _low(texts, at)) for at, order in enumerate(orders)]
        sides = (np.minimum(pairs.left, pairs.right), np.maximum(pairs.left, pairs.right))
        left, right = (np.searchsorted(numbers, side) for side in sides)
        if self._settings.measure == "sif":
            return np.array(
                [
                    _sif(orders[a][counting[a]], orders[b][counting[b]])
                    for a, b in zip(left.tolist(), right.tolist(), strict=True)
                ]
            )
        masks = [(~each).astype(np.uint8) for each in counting]
        found = runs_among(orders, left, right, 1, 0, masks)
        longest = np.zeros(len(pairs), np.int64)
        np.maximum.at(longest, found.pairs, found.lengths.astype(np.int64))
        width = texts.words - texts.places + 1
        return np.where(longest > 0, longest + np.minimum(width[left], width[right]) - 1, 0).astype(
            np.float64
        )

    # ---- by weights

    def _similarities(self, pairs: MeasuredPairs) -> Shares:
        """Give W(A ∩ B) / min(W(A), W(B)), the weights by rarity: whole grains, so sums are exact."""
        documents = len(self._standing)
        lost = self._lost(pairs)
        expanded = min(EXPANDED, self.memory // 8 // LOOKED_UP)
        totals, shared = (np.zeros((2, size), np.int64) for size in (documents, len(pairs)))
        for entries in self._ranges():
            grains = entries.grains(int(np.count_nonzero(self._standing)), *self._labelled())
            free = ~np.isin(entries.hashes, self._templates.hashes)
            for row, weight in enumerate((grains, grains * free)):  # with templates, and without
                totals[row] += np.bincount(entries.documents, weight, documents).astype(np.int64)
                shared[row] += entries.shared(pairs, weight, expanded)
        at = lost.astype(np.int64)
        least = np.minimum(totals[at, pairs.left], totals[at, pairs.right])
        return np.divide(shared[at, np.arange(len(pairs))], least, out=np.zeros(len(pairs)), where=least > 0)

    def _labelled(self) -> tuple[Bools, Int64s]:
        """Say which documents have libraries that a linker put in; builds of one program have one label."""
        if self._programs is None:
            linked = [_linked(self._sets.kinds(part)) for part in range(self._sets.parts)]
            programs = self._standing & np.concatenate([np.zeros(0, np.bool_), *linked])
            labels = np.arange(len(programs))
            if np.count_nonzero(programs) > 2:
                with Join(self.memory // 4) as join:
                    for hashes, documents in self._shingles(programs):
                        join.add_entries(hashes, documents.astype(np.uint32))
                    postings = join.finish(0, weights)
                made = builds(postings, programs[: len(postings.sizes)])
                labels[: len(made)] = made
            self._programs = programs, labels
        return self._programs

    def _shingles(self, wanted: Bools) -> Iterator[tuple[UInt64s, Int64s]]:
        """Give the shingles of some documents, each with its document, a part at a time."""
        for part in range(self._sets.parts):
            span = self._sets.span(part)
            if wanted[span].any():
                values, bounds = self._sets.whole(part)
                owners = np.repeat(np.arange(span.start, span.stop), np.diff(bounds))
                yield values[wanted[owners]], owners[wanted[owners]]

    def _lost(self, pairs: MeasuredPairs) -> Bools:
        """Say which pairs were measured without templates: they share less than their sets do."""
        if not len(self._templates):
            return np.zeros(len(pairs), np.bool_)
        self._sets.keep(0)
        return np.asarray(self._sets.shared(pairs.left, pairs.right) != pairs.shared)

    def _ranges(self) -> Iterator[_Entries]:
        """Give the shingles of all documents that are compared, a range of hashes at a time."""
        if self._held is not None:
            yield self._held
            return
        sets = self._sets
        total = int(sets.column("compared")[self._standing].sum())
        count = max(1, -(-ENTRY * total // max(self._settings.memory // 4, 1 << 20)))
        for low, high in pairwise(2**64 * at // count for at in range(count + 1)):
            hashes, documents = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
            for values, owners in self._shingles(self._standing):
                if count > 1:
                    own = (values >= np.uint64(low)) & (values <= np.uint64(high - 1))
                    values, owners = values[own], owners[own]
                hashes.append(values)
                documents.append(owners)
            made = _Entries(np.concatenate(hashes), np.concatenate(documents))
            self._held = made if count == 1 else None
            yield made


class _Entries:
    """Shingles of documents, ordered by document and then by hash."""

    def __init__(self, hashes: UInt64s, documents: Int64s) -> None:
        self.hashes, self.documents = hashes, documents
        _, ranks, self._degrees = np.unique(hashes, return_inverse=True, return_counts=True)
        self._ranks = ranks.astype(np.int64)
        self._keys = documents * np.int64(len(self._degrees)) + self._ranks  # ascending

    def grains(self, groups: int, programs: Bools, labels: Int64s) -> Int64s:
        """Weigh every shingle by how many of the documents, `groups` in all, have it.

        Those that only `programs` have are weighed by how many different ones have them.
        """
        weight = weights(np.arange(int(self._degrees.max(initial=1)) + 1), groups)[self._degrees]
        some = programs[self.documents]
        if some.any():
            count = len(weight)
            others = np.bincount(self._ranks[~some], minlength=count) > 0
            apart = distinct(self._ranks[some] << 32 | labels[self.documents[some]])
            independent = library_weights(np.bincount(apart >> 32, minlength=count), groups)
            weight = np.where(others, weight, independent)
        return np.round(weight / GRAIN).astype(np.int64)[self._ranks]

    def shared(self, pairs: MeasuredPairs, weight: Int64s, expanded: int) -> Int64s:
        """Sum the weights of what pairs share, about `expanded` shingles at a time."""
        found = np.zeros(len(pairs), np.int64)
        starts, ends = (np.searchsorted(self.documents, pairs.left, side) for side in ("left", "right"))
        sizes = ends - starts
        cuts = np.searchsorted(np.cumsum(sizes), np.arange(expanded, int(sizes.sum()), expanded))
        for some in np.split(np.arange(len(pairs)), distinct(cuts)):
            if not len(some):
                continue
            owner = np.repeat(some, sizes[some])
            at = np.arange(len(owner)) - np.repeat(bounds_of(sizes[some])[:-1], sizes[some])
            at += np.repeat(starts[some], sizes[some])
            asked = pairs.right[owner] * np.int64(len(self._degrees)) + self._ranks[at]
            place = np.minimum(np.searchsorted(self._keys, asked), max(len(self._keys) - 1, 0))
            both = self._keys[place] == asked if len(asked) else np.zeros(0, np.bool_)
            found += np.bincount(owner[both], weight[at[both]], len(pairs)).astype(np.int64)
        return found


def _linked(kinds: pa.Array) -> Bools:
    """Say which kinds are those of programs into which linkers put libraries."""
    found = [kind for kind in kinds.unique().to_pylist() if kind_traits(kind).linked]
    return np.asarray(pc.is_in(kinds, pa.array(found, pa.string())).to_numpy(zero_copy_only=False))


def _low(texts: Texts, at: int) -> NDArray[np.uint32]:
    """Give the low halves of the shingles of a document that count."""
    return texts.values[texts.bounds[at] : texts.bounds[at + 1]].astype(np.uint32)


def _sif(left: NDArray[np.uint32], right: NDArray[np.uint32]) -> float:
    """Give how often shingles of the left document are in the right one, by how many the left one has."""
    return float(np.count_nonzero(np.isin(right, left)) / len(left)) if len(left) else 0.0


def valued(pairs: MeasuredPairs, values: PairValues | None) -> MeasuredPairs:
    """Give pairs with the measure that is wanted, if it is one of those that are made here."""
    return pairs if values is None else PairsWithValues.of(pairs, values.of(pairs))


def values_of(folder: Path, settings: CorpusSettings, standing: Bools) -> PairValues | None:
    """Give what makes the measure of the settings; None for those that every pair has."""
    return PairValues(folder, settings, standing) if settings.measure in MADE_LATER else None
