"""sif's listing (Manber 1994, section 4, Figure 3): for every file R, the files similar to it.

The percentages are with respect to R, so they are not symmetric, and similarity is not transitive:
these are no clusters. A set of files is listed once, though each of its members would list it.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from copysift.runtime.lazy_dataclass import dataclass


class SifMember(NamedTuple):
    """One line of the listing: how much of the R file is in this one, 0 to 100, and its bytes."""

    name: str
    percent: float
    size: int


@dataclass(frozen=True, slots=True)
class SifGroup:
    """The R file and the files similar to it, the most similar first."""

    reference: SifMember
    members: tuple[SifMember, ...]


def sif_groups(
    names: Sequence[str],
    sizes: Sequence[int],
    lefts: ArrayLike,
    rights: ArrayLike,
    containment_left: ArrayLike,
    containment_right: ArrayLike,
    *,
    threshold: float = 0.0,
) -> list[SifGroup]:
    """List the groups of similar files, the most similar first.

    Pair i is of the files lefts[i] and rights[i], by number; containment_left[i] is the share of the
    left one's fingerprints that the right one has. A file is similar to R when its share of R
    reaches `threshold` (0 to 1). Of equal sets the one whose R has the highest shares is kept.
    """
    reference, other, share = _directed(lefts, rights, containment_left, containment_right, threshold)
    if not len(reference):
        return []
    starts = np.flatnonzero(np.diff(reference, prepend=-1))
    ends = np.append(starts[1:], len(reference))
    totals = np.add.reduceat(share, starts)
    kept: dict[bytes, int] = {}  # the set of files → the number of its group
    for group, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        files = np.sort(np.append(other[start:end], reference[start]))
        # A digest of the set, not the set: n files alike have n sets of n.
        key = blake2b(files.tobytes(), digest_size=16).digest()
        if totals[group] > totals[kept.setdefault(key, group)]:
            kept[key] = group
    highest = np.maximum.reduceat(share, starts)
    order = sorted(kept.values(), key=lambda group: (-highest[group], starts[group] - ends[group], group))
    out = []
    for group in order:
        run = slice(starts[group], ends[group])
        out.append(_group(names, sizes, int(reference[run.start]), other[run], share[run]))
    return out


def _directed(
    lefts: ArrayLike, rights: ArrayLike, share_left: ArrayLike, share_right: ArrayLike, threshold: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Turn pairs into (R, other, share of R), each pair both ways, sorted by R and other."""
    left, right = np.asarray(lefts, dtype=np.int64), np.asarray(rights, dtype=np.int64)
    reference = np.concatenate([left, right])
    other = np.concatenate([right, left])
    share = np.concatenate([np.asarray(share_left, np.float64), np.asarray(share_right, np.float64)])
    enough = share >= threshold
    reference, other, share = reference[enough], other[enough], share[enough]
    order = np.lexsort((other, reference))
    return reference[order], other[order], share[order]


def _group(
    names: Sequence[str],
    sizes: Sequence[int],
    reference: int,
    others: NDArray[np.int64],
    shares: NDArray[np.float64],
) -> SifGroup:
    order = np.argsort(-shares, kind="stable")
    members = zip(others[order].tolist(), shares[order].tolist(), strict=True)
    return SifGroup(
        SifMember(names[reference], 100.0, sizes[reference]),
        tuple(SifMember(names[number], 100.0 * share, sizes[number]) for number, share in members),
    )
