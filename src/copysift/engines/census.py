"""The census on this machine: which shingles are boilerplate, and what documents are without them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from copysift import kernels
from copysift.fingerprints import shingles as sketching
from copysift.join.boilerplate import LOAD, Boilerplate, Told, marks_of, new_cells, tally
from copysift.join.lists import COMMONEST
from copysift.runs.sets import Sets, write_common
from copysift.settings.corpus import CorpusSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Int64s = NDArray[np.int64]
    UInt64s = NDArray[np.uint64]

ENTRY = 40  # bytes that a shingle takes while it is counted by name
NOTHING = np.uint32(2**32 - 1)  # a modulus of which no sample is expected


class Mapped(Protocol):
    """Maps in threads, in order."""

    def __call__(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]: ...


def boilerplate(
    sets: Sets, first: Int64s, settings: CorpusSettings, mapped: Mapped, jobs: int
) -> tuple[Boilerplate, Bools]:
    """Find the shingles that more than --max-shared of the documents that stand for others have.

    The second array says which documents may have any.
    """
    most = settings.most_shared(len(first))
    standing = first == np.arange(len(first))
    suspects = np.zeros(len(first), np.bool_)
    if np.count_nonzero(standing) <= most:
        return Boilerplate.none(), suspects
    edges = sets.bounds()
    wanted = standing.astype(np.uint8)
    keys = int(sets.column("shingles")[standing].sum())

    def some(part: int) -> tuple[UInt64s, Int64s, NDArray[np.uint8]]:
        return *sets.full(part), wanted[edges[part] : edges[part + 1]]

    def count(parts: NDArray[np.int64]) -> NDArray[np.uint32]:
        cells = new_cells(keys, most, settings.memory // (8 * jobs))
        for part in parts.tolist():
            kernels.shingle.count(cells, *some(part))
        return cells

    shares = np.array_split(np.arange(sets.parts), min(jobs, sets.parts))
    cells = sum(mapped(count, shares))
    marks = marks_of(cells, most)
    full = int(np.count_nonzero(cells > most))
    if not full:
        return Boilerplate.none(), suspects
    load = max(keys // len(cells), LOAD)
    passes = min(max(1, -(-full * load * ENTRY // (settings.memory // 4))), len(marks))
    hashes, documents = [], []
    for number in range(passes):
        part = np.zeros_like(marks)
        span = slice(len(marks) * number // passes, len(marks) * (number + 1) // passes)
        part[span] = marks[span]
        found, counts = _by_name(mapped(partial(_marked, part, some, suspects, edges), range(sets.parts)))
        common = counts > most
        hashes.append(found[common])
        documents.append(counts[common])
    found, counts = tally(np.concatenate(hashes), np.concatenate(documents))
    return Boilerplate(found, counts), suspects[first]


def _marked(
    marks: UInt64s, some: Callable[[int], Any], suspects: Bools, edges: Int64s, part: int
) -> tuple[UInt64s, Int64s]:
    """Count the shingles of a part whose cells are marked, and note whose they are."""
    found, ends = kernels.shingle.marked(marks, *some(part))
    suspects[edges[part] : edges[part + 1]] |= np.diff(ends) > 0
    return tally(found)


def _by_name(parts: Iterable[tuple[UInt64s, Int64s]]) -> tuple[UInt64s, Int64s]:
    """Add up how often every shingle comes."""
    found, counts = np.zeros(0, np.uint64), np.zeros(0, np.int64)
    for hashes, more in parts:
        found, counts = tally(np.concatenate([found, hashes]), np.concatenate([counts, more]))
    return found, counts


def settle(sets: Sets, first: Int64s, common: Boilerplate, suspects: Bools, mapped: Mapped) -> Told:
    """Leave boilerplate out of all sets, and say what that means."""
    write_common(sets.folder, common)
    told, before = Told(len(common)), int(sets.column("shingles").sum())
    for name in ("shingles", "words", "places") if len(common) else ("shingles",):
        sets.column(name)  # what threads share is made before they start
    parts = mapped(lambda part: sets.settle(part, common, suspects[sets.span(part)]), range(sets.parts))
    for found, _ in parts:
        told.documents += len(found.changed) + len(found.buried)
        told.buried += len(found.buried)
    after = int(sets.column("compared").sum())
    told.share = (before - after) / before if before else 0.0
    told.commonest = first_holders(sets, first == np.arange(len(first)), common)
    return told


def commonest(common: Boilerplate) -> tuple[UInt64s, Int64s]:
    """Give the shingles in most documents, and in how many they are."""
    order = np.lexsort((common.hashes, -common.documents))[:COMMONEST]
    return common.hashes[order], common.documents[order]


def first_holders(sets: Sets, standing: Bools, common: Boilerplate) -> tuple[tuple[int, int, int], ...]:
    """Name the commonest shingles with the first document that has each."""
    hashes, documents = commonest(common)
    if not len(hashes):
        return ()
    edges, first = sets.bounds(), np.full(len(hashes), -1, np.int64)
    order = np.argsort(hashes)
    for part in range(sets.parts):
        values, bounds = sets.full(part)
        at = holders(values, bounds, standing[edges[part] : edges[part + 1]], hashes[order])
        new = (first[order] < 0) & (at >= 0)
        first[order[new]] = at[new] + edges[part]
        if (first >= 0).all():
            break
    return tuple(zip(hashes.tolist(), documents.tolist(), first.tolist(), strict=True))


def holders(values: UInt64s, bounds: Int64s, standing: Bools, hashes: UInt64s) -> Int64s:
    """Give the first of some sets that has each of these hashes, which ascend; −1 where none has."""
    known = sketching.new_filter(len(hashes), 1 << 20)
    kernels.shingle.note(known, hashes)
    by = np.full(len(bounds) - 1, NOTHING)
    found, ends = kernels.shingle.samples(values, bounds, by, known)
    docs = np.repeat(np.arange(len(by)), np.diff(ends))
    place = np.searchsorted(hashes, found)
    real = standing[docs] & (place < len(hashes))
    real[real] = hashes[place[real]] == found[real]
    first = np.full(len(hashes), -1, np.int64)
    first[place[real][::-1]] = docs[real][::-1]  # the last to be written is the first document
    return first
