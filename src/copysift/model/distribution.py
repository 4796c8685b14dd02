"""How similar the pairs of a class are, and how unusual one of them is.

The null model: in a class without copies, the logit of the similarity of two submissions is normal. Its
median and its 90th percentile fix it, so that a few copies in a class do not move it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.runtime.arrays import distinct
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

BINS = 100
STRIP = 25  # bins of one submission
NEAREST = 3
FEWEST = 20  # submissions; the percentiles of fewer say too little
LEAST = 0.0005  # a similarity below it counts as this one: its logit has no end
UPPER = 0.9  # the percentile that gives the width
DEVIATIONS = 1.2815515655446004  # of a normal variable, from its median to that percentile


@dataclass(frozen=True, slots=True)
class Distribution:
    """The similarities of all pairs of a class that were compared.

    `histogram` counts pairs in hundredths; `strips[i]` those of submission i in twenty-fifths; `nearest[i]`
    are its best similarities, each with the number of the other. `centre` and `width` are of the null
    model; None if the class is too small, or too uniform, for one.
    """

    pairs: int
    histogram: tuple[int, ...]
    strips: tuple[tuple[int, ...], ...]
    nearest: tuple[tuple[tuple[float, int], ...], ...]
    centre: float | None
    width: float | None
    scores: bytes = b""  # every pair, a byte each (255: the same): 0 with 1, 0 with 2, …, 1 with 2, …

    def chance(self, similarity: float) -> float | None:
        """Give the probability that two independent submissions of this class are as similar or more."""
        if self.centre is None or self.width is None:
            return None
        return 0.5 * math.erfc((_logit(similarity) - self.centre) / self.width / math.sqrt(2))

    @property
    def suggested(self) -> float | None:
        """Give the similarity that one pair of this class would reach if none were copied."""
        if self.centre is None or self.width is None or self.pairs < 2:
            return None
        from statistics import NormalDist  # slow to load, and only a report asks

        logit = self.centre - NormalDist().inv_cdf(1 / self.pairs) * self.width
        return 1 / (1 + math.exp(-logit))


def distribution(
    submissions: int,
    pairs: int,
    left: NDArray[Any],
    right: NDArray[Any],
    similarity: NDArray[np.float64],
) -> Distribution:
    """Describe the pairs of this many submissions; pairs that are not given have nothing in common."""
    none = pairs - len(similarity)
    counts = np.histogram(similarity, BINS, (0.0, 1.0))[0]
    counts[0] += none
    ends, others = np.concatenate([left, right]), np.concatenate([right, left])
    both = np.concatenate([similarity, similarity])
    place = np.minimum((both * STRIP).astype(np.int64), STRIP - 1)
    strips = np.bincount(ends * np.int64(STRIP) + place, minlength=submissions * STRIP).reshape(-1, STRIP)
    order = np.lexsort((others, -both, ends))
    starts = np.searchsorted(ends[order], np.arange(submissions + 1))
    nearest = tuple(
        tuple((float(both[at]), int(others[at])) for at in order[start : min(end, start + NEAREST)].tolist())
        for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    )
    centre, width = _null(np.concatenate([similarity, np.zeros(max(none, 0))]), submissions)
    strip = tuple(map(tuple, strips.tolist()))
    scores = _scores(submissions, left, right, similarity)
    return Distribution(pairs, tuple(counts.tolist()), strip, nearest, centre, width, scores)


def _scores(
    submissions: int, left: NDArray[Any], right: NDArray[Any], similarity: NDArray[np.float64]
) -> bytes:
    """Give the similarity of every pair as a byte, rows of the upper triangle in a row."""
    low, high = np.minimum(left, right).astype(np.int64), np.maximum(left, right).astype(np.int64)
    found = np.zeros(submissions * (submissions - 1) // 2, np.uint8)
    place = low * (2 * submissions - low - 1) // 2 + high - low - 1
    # what is shared at all is never 0, and only what is the same is 255
    found[place] = np.clip(np.ceil(similarity * 254), 1, 254) + (similarity >= 1)
    return found.tobytes()


def compared_pairs(held: NDArray[np.bool_], side: NDArray[np.uint32], kin: NDArray[np.uint32]) -> int:
    """Count the pairs of groups that have fingerprints and are compared with each other."""
    total = int(held.sum())
    found = total * (total - 1) // 2
    past = int((held & (side != 0)).sum())
    found -= past * (past - 1) // 2
    for label in distinct(kin[held & (kin != 0)]).tolist():
        own = held & (kin == label)
        some, old = int(own.sum()), int((own & (side != 0)).sum())
        found -= some * (some - 1) // 2 - old * (old - 1) // 2
    return found


def _null(similarity: NDArray[np.float64], submissions: int) -> tuple[float | None, float | None]:
    if submissions < FEWEST:
        return None, None
    middle, upper = (_logit(float(each)) for each in np.quantile(similarity, [0.5, UPPER]))
    width = (upper - middle) / DEVIATIONS
    return (middle, width) if width > 0 else (None, None)


def _logit(share: float) -> float:
    inside = min(max(share, LEAST), 1 - LEAST)
    return math.log(inside / (1 - inside))
