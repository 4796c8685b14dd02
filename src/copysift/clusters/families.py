"""Which groups are versions of one work, so that what they share counts as one occurrence.

Fifteen copies of one solution are one occurrence of their code; fifty students who write the same loop by
themselves are fifty. Without this, code would count the less the more people copied it.

A family is a star, not a component: the group with the most links and all that are linked to it. Components
chain independent programs together that have a little idiom in common, and then report them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copysift import kernels
from copysift.join.rows import Postings, candidates

if TYPE_CHECKING:
    from copysift.model.values import UInt32s

# Share of the groups that may hold a hash which links two versions: first of all groups, then of all
# occurrences, because what a family holds is rare again once the family counts as one.
RARE = (2 / 3, 1 / 2)
CONTAINED = 0.5  # of the rare hashes of the smaller are in the larger
FEWEST = 30  # rare hashes of the smaller; fewer link nothing
MOST = 5000  # groups; among more, which are no class, each is a family of its own


def families(postings: Postings, kin: UInt32s | None = None, jobs: int = 1) -> UInt32s:
    """Label every group with the centre of its family, or with itself.

    Groups with the same label other than 0 in `kin` are of one author, and so of one family.
    """
    labels = np.arange(len(postings.sizes), dtype=np.uint32)
    for share in RARE if np.count_nonzero(postings.sizes) <= MOST else ():
        degrees = kernels.join.distinct(postings.offsets, postings.groups, labels)
        most = max(2, int(share * len(np.unique(labels[postings.sizes > 0]))))
        labels = _linked(postings.only(degrees <= most), jobs)
    if kin is not None and kin.any():
        own = np.flatnonzero(kin)
        _, first, which = np.unique(kin[own], return_index=True, return_inverse=True)
        labels[own] = labels[own[first]][which]
    return labels


def _linked(rare: Postings, jobs: int) -> UInt32s:
    found = candidates(rare, "containment", CONTAINED, int(CONTAINED * FEWEST), jobs)
    large = np.minimum(rare.sizes[found.left], rare.sizes[found.right]) >= FEWEST
    return _stars(len(rare.sizes), found.left[large], found.right[large])


def _stars(count: int, left: UInt32s, right: UInt32s) -> UInt32s:
    """Take the groups by their number of links: one that is free takes all its free neighbours."""
    ends, others = np.concatenate([left, right]), np.concatenate([right, left])
    order = np.argsort(ends, kind="stable")
    others = others[order]
    links = np.bincount(ends, minlength=count)
    starts = np.concatenate([[0], np.cumsum(links)])
    labels = np.arange(count, dtype=np.uint32)
    free = np.ones(count, np.bool_)
    for centre in np.argsort(-links, kind="stable")[: np.count_nonzero(links)].tolist():
        if free[centre]:
            near = others[starts[centre] : starts[centre + 1]]
            near = near[free[near]]
            labels[near] = centre
            free[near] = free[centre] = False
    return labels
