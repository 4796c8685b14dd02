"""What two large programs share by chance: idiom adds up over many files, though nothing was copied.

A fingerprint is a short run of token classes. A program with thousands of them has most of the idiom of its
language, so a third of any other program is found in it. That part is taken off the similarity, and the rest
is measured against what could be shared beside it: all that two copies have in common stays 1, and a copied
file of a tenth of a large submission stays about a tenth.

Measured on 21 pairs of unrelated packages of Python's standard library, plain containment of the smaller:
.32 of 2,000 to 5,000 fingerprints in the larger, up to .47 of 10,000.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.join.rows import Candidates, Postings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt32s

SMALL = 1000  # fingerprints; in a program with fewer, little is found by chance
DOUBLED = 0.13  # of the smaller is found by chance in addition where the larger is twice as large
MOST = 0.5


class Chance:
    """What is shared by chance in a list of postings; the weights of a class take idiom off already.

    Groups with the same label in `labels` are versions of one work: how many there are changes nothing.
    """

    def __init__(self, postings: Postings, labels: UInt32s | None = None) -> None:
        self._sizes = postings.sizes
        if labels is not None:
            postings = postings.among(labels == np.arange(len(labels)))
        degrees = np.diff(postings.offsets)
        shared, every = float(degrees.sum()), float(postings.sizes.sum())
        weight, total = float((postings.weights * degrees).sum()), float(postings.totals.sum())
        self._common = min(1.0, weight / shared / (total / every)) if shared and total else 1.0

    def any(self) -> bool:
        """Say whether any group is so large that chance counts."""
        return bool((self._sizes > SMALL).any())

    def expected(self, left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.float64]:
        """Give the share of the smaller of each pair that is found in the larger by chance."""
        larger = np.maximum(self._sizes[left], self._sizes[right]).astype(np.float64)
        plain = np.clip(DOUBLED * np.log2(np.maximum(larger, SMALL) / SMALL), 0.0, MOST)
        expected: NDArray[np.float64] = self._common * plain
        return expected

    def corrected(self, found: Candidates, least: float = 0.0) -> Candidates:
        """Take chance off the similarity of pairs; give those that still have the least."""
        expected = self.expected(found.left, found.right)
        similarity = np.maximum(found.similarity - expected, 0.0) / (1.0 - expected)
        made = Candidates(found.left, found.right, found.shared, similarity)
        return made.take(similarity >= least) if least > 0 else made
