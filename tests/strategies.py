"""Random data for all tests, in one place."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

WIDTHS = (np.uint8, np.uint32, np.uint64)


@st.composite
def symbols(draw: st.DrawFn, max_size: int = 300) -> np.ndarray:
    """Random, periodic, two-letter and one-letter sequences, of every width."""
    letters = draw(st.sampled_from([1, 2, 3, 26, 256, 2**20]))
    size = draw(st.integers(0, max_size))
    width = draw(st.sampled_from(WIDTHS if letters <= 256 else WIDTHS[1:]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    period = draw(st.sampled_from([0, 0, 1, 2, 3, 7, 30]))
    made = rng.integers(0, letters, period or size)
    return np.resize(made, size).astype(width) if len(made) else np.zeros(0, width)


seeds = st.one_of(st.just(0), st.integers(0, 2**64 - 1))
