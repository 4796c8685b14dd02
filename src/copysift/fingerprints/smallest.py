"""The smallest fingerprints first (winnowing §3.2), by the order that selected them.

A window keeps the least of its k-grams by (order, hash), so the least of a document's fingerprints
in that order are those that a larger window, or the whole document as one window, would keep: the
spectrum from resemblance to containment. Any other order would sample at random what winnowing
did not sample at random.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copysift import kernels
from copysift.runtime.arrays import distinct

if TYPE_CHECKING:
    from copysift.fingerprints.options import FingerprintSettings
    from copysift.model.values import Canonical, UInt64s


def smallest(canonical: Canonical, hashes: UInt64s, settings: FingerprintSettings, count: int) -> UInt64s:
    """Give the `count` smallest distinct ones of a document's fingerprints, the smallest first."""
    values = distinct(hashes)
    if not settings.is_windowed:
        return values[:count]
    every = settings.kept(kernels.selection.hashes(canonical.symbols, settings.k, settings.seed))
    orders = kernels.selection.orders(canonical.symbols, settings.k, settings.seed, settings.windowing[1])
    grams, first = np.unique(every, return_index=True)  # equal k-grams have equal orders
    at = first[np.searchsorted(grams, values)]
    chosen: UInt64s = values[np.lexsort((values, orders[at]))[:count]]
    return chosen
