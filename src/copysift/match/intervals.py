"""How far a measure that is estimated from a sample may be from the one of all k-grams.

Sampling alone gives Wilson's interval for a share of n fingerprints, narrower for windowed schemes, whose
samples are spread more evenly than independent draws. Windowed schemes have a bias, too: a difference changes
what is chosen in the equal text beside it, so they estimate too low. How much depends on the number of
differences, which a sample does not say, but it has an upper limit: a difference costs k k-grams, so that at
most (1 - c) N / k of them fit where a share 1 - c differs. Each hides `edge` fingerprints, a fact of the
scheme. The lower end of an interval therefore supposes one long difference, the upper end as many as there
can be. `experiments/winnowing` measures how often the intervals hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from copysift.match.counts import PairColumns
from copysift.model.intervals import Interval, Intervals
from copysift.model.traits import COUNTS, SMALLEST, kind_traits, scheme_traits

Z = 1.959964  # of the normal distribution: 95 %
Shares = NDArray[np.float64]
Counts = NDArray[Any]


class Sampling(NamedTuple):
    """How a sample was drawn: by which estimator it is compared, and what else its intervals need.

    `variance` is that of the sample divided by that of independent draws. `hidden` is the share of a
    difference's own k-grams that it hides in the text beside it; `size` is s of MIN_s. `whole`: the
    sizes of documents count all k-grams, as in a run of `cluster`.
    """

    estimator: str = COUNTS
    variance: float = 1.0
    hidden: float = 0.0
    size: int = 0
    whole: bool = False


Samplings = Callable[[str], Sampling | None]  # by the kind that decided


def samplings(settings: Mapping[str, Any]) -> Samplings:
    """Give the sampling of every kind in a result with these settings; None where measures are exact."""
    corpus = "estimate" in settings  # of cluster or dedup: exact unless estimates were wanted
    known: dict[str, Sampling | None] = {}

    def of(kind: str) -> Sampling | None:
        if kind not in known:
            known[kind] = _sampling(settings, kind, corpus)
        return known[kind]

    return of


def _sampling(settings: Mapping[str, Any], kind: str, corpus: bool) -> Sampling | None:
    if corpus and not settings["estimate"]:
        return None
    # runs of a corpus of version 0.1 do not say which scheme they have: all of them have mod
    scheme, modulus = str(settings.get("scheme") or "mod"), settings.get("modulus") or 0
    traits = scheme_traits(scheme)
    if traits.estimator != COUNTS:
        return Sampling(traits.estimator, size=settings.get("sketch") or 0)
    if corpus:
        return Sampling(whole=True) if modulus != 1 else None
    usual = kind_traits(kind).thresholds
    k = settings.get("noise") or usual.noise
    w = (settings.get("guarantee") or k + usual.window - 1) - k + 1
    return sampling_of(scheme, k, w, modulus)


def sampling_of(scheme: str, k: int, w: int, modulus: int) -> Sampling | None:
    """Give the sampling of a scheme that counts fingerprints; None if it keeps every k-gram."""
    traits = scheme_traits(scheme)
    if traits.every or (w <= 1 if traits.guarantee else modulus == 1):
        return None
    hidden = traits.edge * (w + 1) / (2 * k)
    return Sampling(variance=traits.variance, hidden=hidden)


def wilson(share: Shares, count: Shares) -> tuple[Shares, Shares]:
    """Give the ends of Wilson's interval for a share of `count` draws (Wilson 1927)."""
    spread = Z * Z / np.maximum(count, 1.0)
    middle = (share + spread / 2) / (1 + spread)
    half = np.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


def _seen(high: Shares, hidden: float) -> Shares:
    """Give the largest containment c that a sample shows as `high`: high = c - hidden · (1 - c)."""
    return (high + hidden) / (1 + hidden)


def _seen_together(high: Shares, hidden: float) -> Shares:
    """Give the largest resemblance that a sample shows as `high`.

    A difference adds to the union what it hides: high = (r - h (1 - r)) / (1 + h (1 - r)), h = hidden / 2,
    since the differences of both documents are in 1 - r.
    """
    more = hidden / 2 * (1 + high)
    return (high + more) / (1 + more)


def ends(
    sampling: Sampling, shared: Counts, resemblance: Shares, left: Shares, right: Shares
) -> NDArray[np.float64]:
    """Give the ends of the intervals of resemblance and of both containments: rows of three times two."""
    r, of_left, of_right = (np.asarray(each, np.float64) for each in (resemblance, left, right))
    if sampling.estimator == SMALLEST:
        low, high = wilson(r, np.full(len(r), float(sampling.size)))
        scale = [
            np.divide(each * (1 + r), r, out=np.zeros(len(r)), where=r > 0) for each in (of_left, of_right)
        ]
        # The sizes of the two sets are estimates, too, each with a relative error of 1/√s.
        error = Z * np.sqrt(2 / sampling.size)
        sides = []
        for side in scale:
            there = side * r / (1 + r)
            down, up = (side * at / (1 + at) - there for at in (low, high))
            of_sizes = there * (1 - there) * error
            sides.append(
                [
                    np.maximum(there - np.hypot(down, of_sizes), 0.0),
                    np.minimum(there + np.hypot(up, of_sizes), 1.0),
                ]
            )
        return _rows(*(np.stack(ends) for ends in zip((low, high), *sides, strict=True)))
    shares = np.stack((r, of_left, of_right))
    count = np.asarray(shared, np.float64)
    n = np.divide(count, shares, out=np.zeros(shares.shape), where=shares > 0)
    low, high = wilson(shares, n / sampling.variance)
    high[0], high[1:] = _seen_together(high[0], sampling.hidden), _seen(high[1:], sampling.hidden)
    return _rows(low, high)


def _rows(low: Shares, high: Shares) -> NDArray[np.float64]:
    """Put the ends of three measures of all pairs side by side, a row for each pair."""
    made = np.empty((low.shape[1], 3, 2))
    made[..., 0], made[..., 1] = low.T, high.T
    return made


def is_sampled(sampling: Sampling, shared: int, left: float, right: float, sizes: tuple[int, int]) -> bool:
    """Say whether measures come from a sample; `sizes` are the fingerprints of the two documents."""
    if not shared:
        return False
    if sampling.estimator == SMALLEST:
        return sum(sizes) - shared > sampling.size
    if sampling.whole:  # equal documents, and those with other densities, are measured by all k-grams
        return (round(shared / left), round(shared / right)) != sizes
    return True


class Estimates:
    """The intervals of some pairs, one pair after the other."""

    def __init__(self, by_kind: Samplings, pairs: PairColumns) -> None:
        self._by_kind, self._pairs, self._row = by_kind, pairs, -1
        self._ends: dict[Sampling, NDArray[np.float64]] = {}

    def next(self, kind: str, sizes: tuple[int, int]) -> Intervals | None:
        """Give the intervals of the next pair, which a kind decided; None if it is not from a sample."""
        self._row += 1
        sampling = self._by_kind(kind)
        if sampling is None:
            return None
        pairs, row = self._pairs, self._row
        left, right = pairs.containment_left, pairs.containment_right
        if not is_sampled(sampling, int(pairs.shared[row]), float(left[row]), float(right[row]), sizes):
            return None
        if sampling not in self._ends:  # of all pairs at once: few results have several samplings
            self._ends[sampling] = ends(sampling, pairs.shared, pairs.resemblance, left, right)
        return intervals(self._ends[sampling][row])


def intervals(row: NDArray[np.float64]) -> Intervals:
    """Make the intervals of a pair from a row of `ends`."""
    return Intervals(*(Interval(low, high) for low, high in row.tolist()))
