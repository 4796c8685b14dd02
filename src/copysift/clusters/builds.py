"""Which programs are builds of one: how a library differs from a program of which somebody has many builds.

Code that several different programs have comes from a library, and says little about which of them is a
version of which. Fifty builds of one program are no library: they are one occurrence of its code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copysift.clusters.components import joined
from copysift.join.rows import Postings, Rows, row_ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt32s

# Resemblance, not containment: nearly all of a small program may be library code that a large one has, too.
ALIKE = 0.5
ROOM = 1 << 20  # pairs in memory at a time, about


def builds(postings: Postings, programs: NDArray[np.bool_]) -> UInt32s:
    """Label every program with the first that builds which resemble each other connect it with."""
    rows = Rows(postings.among(programs))
    labels = np.arange(len(programs), dtype=np.int64)
    for within in row_ranges([rows], 1, ROOM):
        found = rows.pairs(within, "resemblance", ALIKE)
        labels = joined(labels, found.left, found.right)
    return labels.astype(np.uint32)
