"""The measures of candidate pairs, as columns; sketches have estimators of their own.

Schemes that sketch keep a sample whose density differs between documents, so counts of shared
fingerprints do not compare as they are (Broder et al. 1997, section 3).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from copysift.join.rows import Candidates, Postings
from copysift.match.counts import PairColumns
from copysift.model.traits import LEVELS, SMALLEST, scheme_traits
from copysift.settings.comparison import Settings

if TYPE_CHECKING:
    from copysift.model.values import UInt64s

Sketches = Callable[[str, int], "UInt64s"]  # of a channel and a document


def measured(
    found: Candidates, postings: Postings, sketch: Callable[[int], UInt64s], settings: Settings
) -> PairColumns:
    """Give the measures of every candidate; `sketch` gives that of a document, ascending."""
    left, right = found.left, found.right
    columns = PairColumns.counted(left, right, found.shared, found.similarity, postings)
    traits = scheme_traits(settings.scheme)
    if not traits.sketch:
        return columns
    estimate = ESTIMATORS[traits.estimator]
    rows = [
        estimate(sketch(one), sketch(other), settings.sketch)
        for one, other in zip(left.tolist(), right.tolist(), strict=True)
    ]
    resemblance, of_left, of_right = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    return dataclasses.replace(
        columns,
        similarity=np.maximum(of_left, of_right),
        resemblance=resemblance,
        containment_left=of_left,
        containment_right=of_right,
    )


def _min_pair(a: UInt64s, b: UInt64s, size: int) -> tuple[float, float, float]:
    """Estimate r from MIN_s(A ∪ B), and the containments from it and the sizes of the two sets."""
    union = np.union1d(a, b)[:size]
    common = np.intersect1d(a, b, assume_unique=True)
    r = float(np.isin(union, common, assume_unique=True).sum() / len(union)) if len(union) else 0.0
    n, m = _set_size(a, size), _set_size(b, size)
    together = r / (1 + r) * (n + m)
    return r, min(1.0, together / max(1.0, n)), min(1.0, together / max(1.0, m))


def _set_size(smallest: UInt64s, size: int) -> float:
    """Estimate how many distinct hashes a document has: the s-th smallest is at about s / n of 2^64."""
    if len(smallest) < size:
        return float(len(smallest))
    return (size - 1) * 2.0**64 / max(1.0, float(smallest[-1]))


def _adaptive_pair(a: UInt64s, b: UInt64s, size: int) -> tuple[float, float, float]:
    """Compare two documents at the coarser of their levels, where both samples are whole."""
    level = np.uint64(max(_level(a), _level(b)))
    mask = (np.uint64(1) << level) - np.uint64(1)
    a, b = a[(a & mask) == 0], b[(b & mask) == 0]
    s = len(np.intersect1d(a, b, assume_unique=True))
    return s / max(1, len(a) + len(b) - s), s / max(1, len(a)), s / max(1, len(b))


def _level(hashes: UInt64s) -> int:
    """Give the largest i for which all hashes are 0 mod 2^i: the level of the sample, or a coarser one."""
    if not len(hashes):
        return 0
    together = int(np.bitwise_or.reduce(hashes))
    return min(63, (together & -together).bit_length() - 1) if together else 63


ESTIMATORS = {SMALLEST: _min_pair, LEVELS: _adaptive_pair}
