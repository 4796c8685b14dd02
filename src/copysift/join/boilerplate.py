"""Boilerplate: shingles in more documents than --max-shared, left out of both sides of every measure.

A census finds them (Broder et al., section 5.1). To count every shingle by name is to sort them all, so it
takes two passes: the first counts how many fall into each of some cells, the second counts by name the
few whose cell is full enough. The answer does not depend on the number of cells.

A corpus may hold thousands of near-copies of one document. All that they share is common then, and is their
content. They differ in a word here and there, pages of one template in whole runs of words. So a document is
*buried* in what is common, and keeps it, if this leaves no more than OWN of its words uncovered, and no more
than LONG of them in long runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from copysift import kernels
from copysift.fingerprints.shingles import new_filter
from copysift.runtime.arrays import heads
from copysift.runtime.lazy_dataclass import dataclass
from copysift.runtime.plurals import plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]
    Order = Callable[[Int64s], UInt32s]

# Of 50,000 near-copies of 300 words with 1 % of the words changed, 2 pass one of these limits. A template of
# 200 words with 60 others leaves 23 % uncovered. LONG counts words beyond two shingles' length of a run.
OWN, LONG = 0.15, 0.05
FEW = 0.05  # a document with a smaller share of common shingles has content of its own
UNPLACED = 0.15  # the share of shingles, where their order in the text is not known
LOAD = 64  # keys in a cell on average, at most, and a sixteenth of those that fill it
CELL = 4  # bytes


def new_cells(keys: int, max_shared: int, limit: int) -> UInt32s:
    """Make empty cells for a census of this many keys, of at most `limit` bytes."""
    count = 1 << max(10, (keys // min(max(max_shared // 16, 1), LOAD)).bit_length())
    while count * CELL > max(limit, 1 << 16):
        count >>= 1
    return np.zeros(count, np.uint32)


def marks_of(cells: UInt32s, max_shared: int) -> UInt64s:
    """Mark the cells of which a key may be in more than this many sets, a bit each."""
    return np.packbits(cells > max_shared, bitorder="little").view(np.uint64)


def tally(values: UInt64s, counts: Int64s | None = None) -> tuple[UInt64s, Int64s]:
    """Give every value once, in order, with how often it comes, or the sum of its counts."""
    order = None if counts is None else np.argsort(values, kind="stable")
    ordered = np.sort(values) if order is None else values[order]
    firsts = np.flatnonzero(heads(ordered))
    if counts is None or not len(values):
        return ordered[firsts], np.diff(firsts, append=len(values))
    return ordered[firsts], np.add.reduceat(counts[order], firsts)


@dataclass(frozen=True, slots=True)
class Without:
    """Sets that are `changed`, without boilerplate: values[bounds[i]:bounds[i + 1]]; `buried` keep it."""

    changed: Int64s
    buried: Int64s
    values: UInt64s
    bounds: Int64s

    @classmethod
    def none(cls) -> Without:
        """Give what is found where there is no boilerplate."""
        nobody = np.zeros(0, np.int64)
        return cls(nobody, nobody, np.zeros(0, np.uint64), np.zeros(1, np.int64))


class Boilerplate:
    """The shingles that do not count, ascending, and in how many documents each is."""

    def __init__(self, hashes: UInt64s, documents: Int64s) -> None:
        self.hashes = hashes
        self.documents = documents
        self._filter = new_filter(len(hashes), 1 << 30)
        kernels.shingle.note(self._filter, hashes)

    @classmethod
    def none(cls) -> Boilerplate:
        """Give one of nothing."""
        return cls(np.zeros(0, np.uint64), np.zeros(0, np.int64))

    def __len__(self) -> int:
        return len(self.hashes)

    def taken_from(self, values: UInt64s, bounds: Int64s) -> tuple[UInt64s, Int64s]:
        """Leave these shingles out of all sets, also of those that have nothing else."""
        return kernels.shingle.without(values, bounds, self.hashes, self._filter)

    def without(
        self, values: UInt64s, bounds: Int64s, words: Int64s, places: Int64s, order: Order
    ) -> Without:
        """Leave boilerplate out of sets, but for documents that are buried in it.

        `words` and `places` count the words and the shingles in order of the text; 0 places where that is not
        known. `order` gives their low halves, of some of the documents, one after another.
        """
        if not len(self):
            return Without.none()
        sizes = np.diff(bounds)
        common = kernels.shingle.held(values, bounds, self.hashes, self._filter)
        having = np.flatnonzero(common)
        whole, marks = picked(values, bounds, having)
        rest, ends = kernels.shingle.without(whole, marks, self.hashes, self._filter)
        buried = np.diff(ends) <= UNPLACED * sizes[having]
        buried[places[having] > 0] = False
        suspects = np.flatnonzero((places[having] > 0) & (common[having] > FEW * sizes[having]))
        asked = having[suspects]
        own, cuts = picked(rest, ends, suspects)
        edges = bounds_of(places[asked])
        total, run = kernels.shingle.uncovered(order(asked), edges, own, cuts, words[asked]).T
        buried[suspects] = (total <= OWN * words[asked]) & (run <= LONG * words[asked])
        changed = np.flatnonzero(~buried)
        return Without(having[changed], having[buried], *picked(rest, ends, changed))


def order_of(order: UInt32s, places: Int64s) -> Order:
    """Give the order of documents that lies in an array, as `Boilerplate.without` wants it."""
    return lambda which: picked(order, bounds_of(places), which)[0]


def picked(values: NDArray[Any], bounds: Int64s, which: Int64s) -> tuple[NDArray[Any], Int64s]:
    """Give some of the sets, one after another."""
    if len(which) == len(bounds) - 1:
        return np.asarray(values), bounds
    starts, stops = bounds[which], bounds[which + 1]
    ends = bounds_of(stops - starts)
    found = np.empty(ends[-1], values.dtype)
    kernels.shingle.gather(values, starts, stops, found)
    return found, ends


def bounds_of(sizes: NDArray[Any]) -> Int64s:
    """Give where each of some sets that lie one after another starts, and where the last ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


@dataclass(slots=True)
class Told:
    """What a run says about its boilerplate."""

    shingles: int = 0  # that are boilerplate
    documents: int = 0  # that have any
    buried: int = 0  # of these, that are compared by it
    share: float = 0.0  # of all shingles of all documents, that do not count
    commonest: tuple[tuple[int, int, int], ...] = ()  # hash, documents, first of them
    templates: int = 0  # shingles that many documents with many pairs have
    templated: int = 0  # pairs that share hardly anything else

    def described(self, max_shared: int, base: int = 0, template: int = 0) -> dict[str, Any]:
        """Give what run.json says, in numbers and in sentences."""
        numbers: dict[str, float] = {
            "shingles": self.shingles,
            "documents": self.documents,
            "near_copies": self.buried,
        }
        notes = (
            [f"{plural(base, 'shingle')} of --base {'is' if base == 1 else 'are'} ignored"] if base else []
        )
        numbers |= {"share": round(self.share, 6)} | ({"base": base} if base else {})
        if self.templated:
            numbers |= {"template_shingles": self.templates, "template_pairs": self.templated}
            notes.append(
                f"{plural(self.templated, 'pair')} of documents with passages of their own "
                f"{'has' if self.templated == 1 else 'have'} little in common but "
                f"{plural(self.templates, 'shingle')} in more than {plural(template, 'document')}: a "
                "template. Such pairs are not listed (--template 0 lists them)"
            )
        return {"boilerplate": numbers, "notes": notes + self.notes(max_shared)}

    def notes(self, max_shared: int) -> list[str]:
        """Say what was ignored, and what that means for the pairs that are found."""
        notes = []
        if self.shingles:
            notes.append(
                f"shingles in more than {plural(max_shared, 'document')} (--max-shared) are ignored as "
                f"boilerplate: {self.shingles:,} of them, {self.share:.1%} of the text of all documents, in "
                f"{plural(self.documents - self.buried, 'document')}. They count in no measure, so documents "
                "that share nothing else are not paired"
            )
        if self.buried:
            one = self.buried == 1
            verbs = (
                ("differs", "is compared as a near-copy")
                if one
                else ("differ", "are compared as near-copies")
            )
            notes.append(
                f"{plural(self.buried, 'document')} {verbs[0]} from boilerplate in a few words only and "
                f"{verbs[1]}, by all their shingles, each with some of the others: their clusters are "
                "complete, the list of their pairs is not"
            )
        return notes
