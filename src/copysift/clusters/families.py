"""Which groups are versions of one work, so that what they share counts as one occurrence.

Fifteen copies of one solution are one occurrence of their code; fifty students who write the same loop by
themselves are fifty. Without this, code would count the less the more people copied it.

First come plain copies: groups that have most of their fingerprints in common, whatever the others have.
They are one group in all that follows, so nothing changes when one more of them comes in, even if they are
most of the class. Then come near copies, which are one occurrence when it is decided what is rare, and
versions that have most of what is rare in common. These are stars: the group with the most links and all
that are linked to it, and then what is linked to several of them. Components would chain independent
programs together that have a little idiom in common, and then report them. Copies in different heavy
disguises have few links: last, stars are united that have enough of what is rare in common on average of
all members, linked or not. What is rare counts only beyond the background (background.py): solutions of a
task that leaves little choice are much the same, and nobody copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copysift import kernels
from copysift.clusters.background import background, beyond
from copysift.clusters.components import roots
from copysift.join.rows import Postings, candidates
from copysift.runtime.arrays import distinct

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt32s

PLAIN = 0.7  # of all hashes of the smaller are in the larger: a copy, whatever is rare in the class
# Hashes of winnowing of the smaller of two plain or near copies. Independent programs with fewer are often
# the same, token for token: in one task of IR-Plag 7 of 15 are, with 33 hashes each.
SUBSTANTIAL = 60
HANDED_OUT = 0.9  # of the groups: what more of them are versions of was handed out, not copied
# Share of the groups that may hold a hash which links two versions: first of all groups, then of all
# occurrences, because what a family holds is rare again once the family counts as one.
RARE = (2 / 3, 1 / 2)
# Of all hashes of the smaller are in the larger: two near copies. Of the rare ones, beyond the background:
# two versions.
CONTAINED = 0.45
# On average of the rare hashes of the smaller are in the larger: versions of one work. Chosen on four classes
# of POJ-104 with generated copies, and tried on five others (experiments/plagiarism).
VERSIONS = 0.3
WEAK = 0.2  # what two have less of in common counts as nothing in that average
LARGEST = 2000  # groups whose average is taken together
GONE = -1e18  # below any sum: of a family that has become part of another one
FEWEST = 30  # rare hashes of winnowing of the smaller; fewer link nothing
SEVERAL = 2  # links to members of a family, or to half of a small one, bring another group into it
SMALL = 6
MOST = 5000  # groups; among more, which are no class, each is a family of its own


def families(postings: Postings, kin: UInt32s | None = None, jobs: int = 1, density: float = 1.0) -> UInt32s:
    """Label every group with the centre of its family, or with itself.

    Groups with the same label other than 0 in `kin` are of one author, and so of one family. `density` is the
    share of winnowing's hashes that there are.
    """
    labels = np.arange(len(postings.sizes), dtype=np.uint32)
    if np.count_nonzero(postings.sizes) <= MOST:
        near = _links(postings, CONTAINED, round(SUBSTANTIAL * density), jobs)
        same = _same(postings, near)
        near = near.between(same == labels)
        copies = _plain_copies(postings, near, same)
        labels = _versions(postings, copies, near, round(FEWEST * density), jobs)
    if kin is not None and kin.any():
        own = np.flatnonzero(kin)
        _, first, which = np.unique(kin[own], return_index=True, return_inverse=True)
        labels[own] = labels[own[first]][which]
    return labels


def _same(postings: Postings, near: Links) -> UInt32s:
    """Label every group with the first that has the same hashes: how many have them changes nothing."""
    sizes = postings.sizes
    equal = near.take((near.contained == 1) & (sizes[near.left] == sizes[near.right]))
    return roots(len(sizes), equal.left, equal.right).astype(np.uint32)


def _plain_copies(postings: Postings, near: Links, same: UInt32s) -> UInt32s:
    """Label every group with the one of its plain copies that has the most of them."""
    plain = near.take(near.contained >= PLAIN)
    count = len(same)
    parts = roots(count, plain.left, plain.right)
    order = np.argsort(-plain.counts(count), kind="stable").astype(np.uint32)
    _, first, which = np.unique(parts[order], return_index=True, return_inverse=True)
    labels = np.arange(count, dtype=np.uint32)
    labels[order] = order[first][which]
    return _chosen(postings, labels[same])


def _chosen(postings: Postings, labels: UInt32s) -> UInt32s:
    """Give the labels, but to each group its own where nearly all have the same: that is starter code."""
    members = np.bincount(labels, minlength=len(labels))[labels]
    every = members > HANDED_OUT * np.count_nonzero(postings.sizes)
    return np.where(every, np.arange(len(labels), dtype=np.uint32), labels)


def _versions(postings: Postings, copies: UInt32s, near: Links, fewest: int, jobs: int) -> UInt32s:
    """Label the families of groups, as if one of several plain copies were the only one of them."""
    chosen = copies == np.arange(len(copies))
    alone = postings.among(chosen)
    near_labels = _family_labels(len(copies), near.between(chosen))
    labels = _chosen(postings, near_labels[copies])
    for share in RARE:
        degrees = kernels.join.distinct(alone.offsets, alone.groups, labels)
        most = max(2, int(share * len(distinct(labels[alone.sizes > 0]))))
        rare = alone.only(degrees <= most)
        usual = background(rare, labels, fewest, jobs)
        links = _links(rare, CONTAINED, fewest, jobs).beyond(rare.sizes, usual, CONTAINED)
        labels = _family_labels(len(copies), links)
    labels = _united(rare, usual, labels, fewest, jobs)
    return labels[copies]


class Links(NamedTuple):
    """Pairs of groups, and which share of the hashes of the smaller the larger has."""

    left: UInt32s
    right: UInt32s
    contained: NDArray[np.float64]

    def take(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> Links:
        """Give some of the links."""
        return Links(self.left[which], self.right[which], self.contained[which])

    def between(self, groups: NDArray[np.bool_]) -> Links:
        """Give the links of which both ends are among some groups."""
        return self.take(groups[self.left] & groups[self.right])

    def beyond(self, sizes: UInt32s, usual: NDArray[np.float64], least: float) -> Links:
        """Give the links that have at least `least` in common beyond what is usual for the smaller group."""
        smaller = np.where(sizes[self.left] <= sizes[self.right], self.left, self.right)
        contained = beyond(self.contained, usual[smaller])
        return self._replace(contained=contained).take(contained >= least)

    def counts(self, groups: int) -> NDArray[np.int64]:
        """Give how many links each group has."""
        counted: NDArray[np.int64] = np.bincount(self.left, minlength=groups)
        return counted + np.bincount(self.right, minlength=groups)


def _links(postings: Postings, contained: float, fewest: int, jobs: int) -> Links:
    """Give the pairs of which the smaller has at least `fewest` hashes and is contained in the larger."""
    found = candidates(postings, "containment", contained, int(contained * fewest), jobs)
    smaller = np.minimum(postings.sizes[found.left], postings.sizes[found.right])
    every = Links(found.left, found.right, found.shared / np.maximum(smaller, 1))
    return every.take(smaller >= fewest)


def _united(rare: Postings, usual: NDArray[np.float64], labels: UInt32s, fewest: int, jobs: int) -> UInt32s:
    """Unite stars with each other, and with groups that have none, by average linkage of what is rare.

    Two families that become one have a pair of members that is as good as their average: only groups that are
    linked in that way are compared in full.
    """
    links = _links(rare, VERSIONS, fewest, jobs).beyond(rare.sizes, usual, VERSIONS)
    parts = _parts(labels, links)
    united = labels.copy()
    several = rare.among(np.bincount(parts)[parts] > 1)
    weak = _links(several, WEAK, fewest, jobs).beyond(rare.sizes, usual, WEAK)
    weak = weak.take(parts[weak.left] == parts[weak.right])
    order = np.argsort(parts[weak.left], kind="stable")
    heads, starts = np.unique(parts[weak.left][order], return_index=True)
    for head, some in zip(heads.tolist(), np.split(order, starts)[1:], strict=True):
        members = np.flatnonzero(parts == head)
        members = members[np.argsort(labels[members], kind="stable")]
        stars, first = np.unique(labels[members], return_index=True)
        if len(stars) > 1 and len(members) <= LARGEST:
            nearest = _average_linkage(*_sums(rare.sizes, members, first, weak.take(some)))
            united[members] = stars[nearest][np.searchsorted(stars, labels[members])]
    return united


def _sums(
    sizes: UInt32s, members: NDArray[np.intp], first: NDArray[np.intp], links: Links
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum what two stars have in common over the pairs of their members, and how many the smaller has.

    The members of a star are in a row, from `first` on.
    """
    place = np.empty(len(sizes), np.intp)
    place[members] = np.arange(len(members))
    sides = place[links.left], place[links.right]
    held = sizes[members].astype(np.float64)
    smaller = np.minimum.outer(held, held)
    common = np.zeros_like(smaller)
    common[sides] = common[sides[::-1]] = links.contained * smaller[sides]
    common, smaller = (
        np.add.reduceat(np.add.reduceat(each, first), first, axis=1) for each in (common, smaller)
    )
    return common, smaller


def _parts(labels: UInt32s, links: Links) -> NDArray[np.int64]:
    """Label every group with those that links lead to; links of a part that is too large must be stronger."""
    least, own = VERSIONS, np.arange(len(labels), dtype=np.uint32)
    while True:
        ends = np.concatenate([links.left, own]), np.concatenate([links.right, labels])
        parts: NDArray[np.int64] = roots(len(labels), *ends)
        large = np.bincount(parts)[parts] > LARGEST
        if not large.any() or least > 1:  # stars may be larger themselves: they stay what they are
            return parts
        least = least + 0.05
        links = links.take(~large[links.left] | (links.contained >= least))


def _average_linkage(common: NDArray[np.float64], smaller: NDArray[np.float64]) -> NDArray[np.intp]:
    """Label each group with one of its family, by what two have in common and how many the smaller has.

    A chain goes from each family to its nearest; two that are nearest to each other become one. That gives
    the families of uniting the nearest two of all first, because an average is never above both of its parts.
    Both matrices are used up.
    """
    labels, waiting = np.arange(len(common)), np.ones(len(common), np.bool_)
    np.fill_diagonal(common, GONE)
    chain: list[int] = []
    while chain or waiting.any():
        if not chain:
            chain.append(int(np.argmax(waiting)))
        last = chain[-1]
        share = common[last] / smaller[last]
        near = int(np.argmax(share))
        if len(chain) > 1 and share[near] <= share[chain[-2]]:
            near = chain[-2]
            for sums in (common, smaller):
                sums[near] = sums[:, near] = sums[last] + sums[near]
            common[near, near] = GONE
            labels[labels == last] = near
            del chain[-2:]
        elif share[near] >= VERSIONS:
            chain.append(near)
            continue
        else:  # nothing is near enough, now or later
            chain.pop()
        common[last] = common[:, last] = GONE
        waiting[last] = False
    return labels


def _family_labels(count: int, links: Links) -> UInt32s:
    """Label every group with its family: stars, and what is linked to several of one."""
    return _widened(_stars(count, links.left, links.right), links.left, links.right)


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


def _widened(labels: UInt32s, left: UInt32s, right: UInt32s) -> UInt32s:
    """Add each group without a family to the one to which it has most links, if they are several."""
    count, sizes = np.int64(len(labels)), np.bincount(labels, minlength=len(labels))
    alone = sizes[labels] == 1
    ends, others = np.concatenate([left, right]), np.concatenate([right, left])
    between = alone[ends] & ~alone[others]
    links, times = np.unique(ends[between] * count + labels[others[between]], return_counts=True)
    group, family = links // count, links % count
    joins = (times >= SEVERAL) & (2 * times >= np.minimum(sizes[family], SMALL))
    order = np.flatnonzero(joins)[np.argsort(times[joins], kind="stable")]  # the most links come last
    found = labels.copy()
    found[group[order]] = family[order]
    return found
