"""What documents of two folders share, by weight: text of many files does not make two of them versions.

A fingerprint in up to `FEW` documents counts in full, one in ten times as many a tenth: a licence header
weighs next to nothing beside what only two files have, and where a whole family of files is similar all
weights fall together, so that shares stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copysift import kernels
from copysift.join.rows import Postings, candidates
from copysift.kinds.kind import CODE, TEXT
from copysift.match.measures import GRAIN
from copysift.model.values import Pair
from copysift.runtime.lazy_dataclass import dataclass
from copysift.workflows.channel import Lists

FEW = 6
HALF = 0.5  # least resemblance of two programs by tokens
FEWEST = 20  # fingerprints that they share by tokens
FEWEST_MOVED = 10  # fingerprints of a part that was split off or merged
Rows = NDArray[np.uint32]


def folder_weights(degrees: NDArray[Any], groups: int) -> NDArray[np.float64]:
    """Weigh hashes by the number of documents that have them."""
    weight = np.minimum(1.0, FEW / np.maximum(degrees.astype(np.float64), 1.0))
    return np.maximum(np.round(weight / GRAIN), 1.0) * GRAIN


class Shares(NamedTuple):
    """What two documents share, by weight: of both together, of the left one and of the right one."""

    resemblance: float
    of_left: float
    of_right: float


@dataclass(frozen=True, slots=True)
class _List:
    """Postings, and the numbers of the hashes of each document."""

    postings: Postings
    bounds: NDArray[np.int64]
    rows: Rows
    weights: NDArray[np.float32]  # of each hash

    @classmethod
    def of(cls, postings: Postings) -> _List:
        bounds, rows = kernels.join.transpose(postings.offsets, postings.groups, len(postings.sizes))
        return cls(postings, bounds, rows, postings.weights)

    def hashes(self, document: int) -> Rows:
        return self.rows[self.bounds[document] : self.bounds[document + 1]]


class FolderEvidence:
    """What two documents share as texts or, where that says more, as programs.

    Tokens of unrelated programs are similar to some degree: beside texts they count from a half on, and
    not for small files.
    """

    def __init__(self, lists: Mapping[str, Lists], jobs: int) -> None:
        self._text = _Evidence(lists[TEXT], jobs)
        self._code = _Evidence(lists[CODE], jobs) if CODE in lists else None

    def pair(self, one: int, other: int, left: str, right: str) -> Pair:
        """Give the measures of two documents; of what too many documents share nothing counts."""
        found = self._text.pair(one, other, left, right)
        if self._code is None:
            return found
        tokens = self._code.pair(one, other, left, right)
        return tokens if self._says_more(one, other, tokens, found.resemblance) else found

    def _says_more(self, one: int, other: int, tokens: Pair, known: float) -> bool:
        if not self._text.measurable(one, other):  # they are programs only
            return True
        return tokens.shared >= FEWEST and tokens.resemblance >= max(HALF, known)

    def measurable(self, one: int, other: int) -> bool:
        """Say whether anything of the two counts."""
        return self._text.measurable(one, other) or (
            self._code is not None and self._code.measurable(one, other)
        )

    def moved(self, one: int, other: int, kept: Iterable[int]) -> tuple[float, float]:
        """Give the shares of two documents that are in both and in none of `kept`."""
        return self._text.moved(one, other, kept)

    def between(self, lefts: set[int], rights: set[int], least: float) -> Mapping[tuple[int, int], Shares]:
        """Give the pairs of a left and a right document, one of which has at least a share of the other."""
        found = dict(self._text.between(lefts, rights, least))
        if self._code is None:
            return found
        for key, shares in self._code.between(lefts, rights, least).items():
            known = found[key].resemblance if key in found else 0.0
            if self._says_more(*key, self._code.pair(*key, "", ""), known):
                found[key] = shares
        return found


class _Evidence:
    """Shares of pairs of documents, by number, from the postings of one channel of a scan of both folders."""

    def __init__(self, lists: Lists, jobs: int) -> None:
        self._short = lists.short
        self._chosen, self._whole = _List.of(lists.chosen), _List.of(lists.whole)
        self._jobs = jobs

    def _list(self, one: int, other: int) -> _List:
        return self._whole if self._short[one] and self._short[other] else self._chosen

    def pair(self, one: int, other: int, left: str, right: str) -> Pair:
        """Give the measures of two documents; of what too many documents share nothing counts."""
        listed = self._list(one, other)
        both = np.intersect1d(listed.hashes(one), listed.hashes(other), assume_unique=True)
        n, m = int(listed.postings.sizes[one]), int(listed.postings.sizes[other])
        shared = len(both)
        least = float(min(listed.postings.totals[one], listed.postings.totals[other]))
        weight = float(listed.weights[both].sum())
        return Pair(
            left, right, False, min(1.0, weight / least) if least else 0.0, shared / max(1, n + m - shared),
            shared / max(1, n), shared / max(1, m), shared,
        )  # fmt: skip

    def measurable(self, one: int, other: int) -> bool:
        """Say whether anything of the two counts."""
        listed = self._list(one, other)
        return bool(listed.postings.sizes[one] or listed.postings.sizes[other])

    def moved(self, one: int, other: int, kept: Iterable[int]) -> tuple[float, float]:
        """Give the shares of two documents that are in both and in none of `kept`."""
        listed = self._list(one, other)
        both = np.intersect1d(listed.hashes(one), listed.hashes(other), assume_unique=True)
        for document in kept:
            both = np.setdiff1d(both, listed.hashes(document), assume_unique=True)
        if len(both) < FEWEST_MOVED:  # a header of small files is no part of another one
            return 0.0, 0.0
        weight = float(listed.weights[both].sum())
        totals = listed.postings.totals
        return weight / max(float(totals[one]), GRAIN), weight / max(float(totals[other]), GRAIN)

    def between(self, lefts: set[int], rights: set[int], least: float) -> Mapping[tuple[int, int], Shares]:
        """Give the pairs of a left and a right document, one of which has at least a share of the other."""
        if not lefts or not rights:
            return {}
        found: dict[tuple[int, int], Shares] = {}
        for listed, whole in ((self._chosen, False), (self._whole, True)):
            postings = listed.postings
            # Two labels leave left × right of all pairs: what is neither has one label of each.
            side = np.ones(len(postings.sizes), np.uint32)
            kin = np.ones(len(postings.sizes), np.uint32)
            side[list(rights)], kin[list(lefts)] = 2, 2
            pairs = candidates(postings, "similarity", least, 1, self._jobs, side, kin)
            rows = zip(pairs.left.tolist(), pairs.right.tolist(), pairs.similarity.tolist(), strict=True)
            for one, other, similarity in rows:
                if bool(self._short[one] and self._short[other]) != whole:
                    continue
                left, right = (one, other) if one in lefts and other in rights else (other, one)
                if left not in lefts or right not in rights:
                    continue
                of_left, of_right = float(postings.totals[left]), float(postings.totals[right])
                weight = similarity * min(of_left, of_right)
                found[left, right] = Shares(
                    weight / (of_left + of_right - weight), weight / of_left, weight / of_right
                )
        return found
