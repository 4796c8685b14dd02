"""What two groups of a class have in common without copying, because they solve the same task.

In a class whose task leaves little choice, any two programs have much in common. So two are versions of
one work by what they have beyond that, as Cohen's kappa judges two raters: (c - e) / (1 - e), where c is what
they have in common and e what the smaller has in common with most of the others. Others are those outside of
its family: however many copy a work, its background stays what it is as long as the families are found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copysift.join.rows import Postings, candidates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt32s

# Of the others have as much or less in common with a group. Half would follow what has been copied once half
# of a class copied it and no family shows that; with a third, up to two thirds may have.
THIRD = 1 / 3
SLIGHT = 0.1  # a background below this is none: nothing then depends on how many others there are
MOST = 1000  # groups of which each is compared with every other; of more, with some of them
SOME = 300


def background(postings: Postings, families: UInt32s, fewest: int, jobs: int = 1) -> NDArray[np.float64]:
    """Give for each group the share of its hashes that a third of the groups of other families have at most.

    Groups with fewer than `fewest` hashes are not among the others, and have no background.
    """
    counted = postings.sizes >= fewest
    numbers = np.flatnonzero(counted)
    others = numbers if len(numbers) <= MOST else numbers[np.linspace(0, len(numbers) - 1, SOME).astype(int)]
    chosen = np.zeros(len(counted), np.bool_)
    chosen[others] = True
    pairs = candidates(
        postings.among(counted),
        "containment",
        SLIGHT,
        1,
        jobs,
        side=(~chosen).astype(np.uint32),  # those that are not chosen are not compared with each other
        kin=families + np.uint32(1),
    )
    ends, opposite = np.concatenate([pairs.left, pairs.right]), np.concatenate([pairs.right, pairs.left])
    ends, share = ends[chosen[opposite]], (np.tile(pairs.shared, 2) / postings.sizes[ends])[chosen[opposite]]
    order = np.lexsort((-share, ends))
    ends, share = ends[order], share[order]
    own = np.bincount(families[others], minlength=len(counted))[families[numbers]]
    first, last = (np.searchsorted(ends, numbers, side) for side in ("left", "right"))
    place = first + ((len(others) - own) * (1 - THIRD)).astype(np.int64)  # the largest share is first
    listed = place < last
    found = np.zeros(len(counted))
    found[numbers[listed]] = share[place[listed]]
    return np.where(found < SLIGHT, 0.0, found)


def beyond(contained: NDArray[np.float64], usual: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give what is in common beyond the background, as a share of what could be."""
    room = 1.0 - usual
    return np.divide(np.maximum(contained - usual, 0.0), room, out=np.zeros_like(room), where=room > 0)
