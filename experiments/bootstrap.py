"""Confidence intervals by the bootstrap: how far a figure moves when the cases are drawn again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np


def interval(
    figure: Callable[[np.ndarray], float], strata: Sequence[int], rounds: int = 1000, seed: int = 1979
) -> tuple[float, float]:
    """Give the 2.5 and 97.5 percentiles of a figure of numbered cases (Efron 1979).

    Cases are drawn again within each stratum, so that the mix of tasks stays as it is.
    """
    rng = np.random.default_rng(seed)
    groups = [np.flatnonzero(np.asarray(strata) == each) for each in np.unique(strata)]
    found = [
        figure(np.concatenate([rng.choice(group, len(group)) for group in groups])) for _ in range(rounds)
    ]
    low, high = np.percentile(found, (2.5, 97.5))
    return float(low), float(high)
