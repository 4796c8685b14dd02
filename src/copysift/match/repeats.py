"""How many fingerprints a long match leaves at least, and the occurrences after the first that it needs.

A run of L symbols has L − k − w + 2 windows, and a place is chosen for at most w of them: so both documents
chose at least (L − k − w + 2) / w places in it. Windows whose smallest hash is the same choose it in both, as
often as their number by w: counted by occurrences, no fewer are shared. Where the run repeats itself the
distinct ones are fewer. So every occurrence of a hash after the first is a fingerprint of its own, in a list
beside the others: what two documents share of both lists together is what they share by occurrences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from copysift.join.memory import Budget, Join
from copysift.join.rows import Candidates, Rows
from copysift.match.base_code import Base
from copysift.match.measures import Weigh
from copysift.model.traits import scheme_traits
from copysift.settings.comparison import SHARES, Settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt64s

_MIX = np.uint64(0xFF51AFD7ED558CCD)


def chosen_by(settings: Settings) -> int:
    """Give the length of the matches that choose the pairs, besides the measure; 0: they do not."""
    windowed = settings.measure in SHARES and scheme_traits(settings.scheme).windows is not None
    return settings.min_match or 0 if windowed else 0


def match_shares(
    length: int, kinds: Iterable[str], limits: Callable[[str], tuple[int, int]], least: int
) -> int:
    """Give the least number of fingerprints, with repeats, that two documents with a common run share."""
    bounds = []
    for kind in kinds:
        noise, guarantee = limits(kind)
        window = guarantee - noise + 1
        bounds.append((length - noise - window + 2) // window)
    return max(least, min(bounds, default=least))


def again(hashes: UInt64s, most: int) -> UInt64s:
    """Give a hash for every occurrence after the first, up to `most` of each."""
    ordered = np.sort(hashes)
    heads = np.concatenate([[True], ordered[1:] != ordered[:-1]]) if len(ordered) else np.zeros(0, np.bool_)
    places = np.arange(len(ordered))
    number = places - np.maximum.accumulate(np.where(heads, places, 0))
    chosen = (number > 0) & (number < most)
    mixed: UInt64s = (ordered[chosen] + number[chosen].astype(np.uint64)) * _MIX
    return mixed ^ mixed >> np.uint64(32)


class Repeats:
    """The occurrences after the first of all groups, as a list beside their fingerprints."""

    def __init__(self, most: int, memory: int | Budget, tmp_dir: Path | None, jobs: int, base: Base) -> None:
        self._most, self._base = most, base
        self._join = Join(memory, tmp_dir, None, jobs)

    def close(self) -> None:
        """Drop the entries."""
        self._join.close()

    def add(self, group: int, hashes: UInt64s, last: UInt64s) -> UInt64s:
        """Take fingerprints of a file, as often as they were chosen; those of the base never count.

        A large file comes in pieces: what this gives is the `last` of the next, as many as a match can have,
        so that one across two pieces is seen whole.
        """
        if not self._most:
            return last
        found = np.concatenate([last, hashes])
        if len(self._base.hashes):
            found = found[~np.isin(found, self._base.hashes)]
        self._join.add(group, again(found, self._most))
        return found[-self._most :]

    def rows(self, groups: int, max_shared: int, weigh: Weigh) -> Rows:
        """Give who shares the occurrences after the first; none is added after it."""
        self._join.add(groups - 1, np.empty(0, np.uint64))
        return Rows(self._join.finish(max_shared, weigh))


def by_occurrences(found: Candidates, more: Candidates, few: int) -> Candidates:
    """Give the pairs that share `few` by occurrences, with some of `more`, those after the first."""
    if not len(more):
        return more
    keys, extra = _keys(more), more.shared.astype(np.int64)
    at = np.minimum(np.searchsorted(keys, _keys(found)), len(keys) - 1)
    again_too = np.where(keys[at] == _keys(found), extra[at], 0)
    return found.take((again_too > 0) & (found.shared + again_too >= few))


def _keys(pairs: Candidates) -> NDArray[np.uint64]:
    keys: NDArray[np.uint64] = pairs.left.astype(np.uint64) << np.uint64(32) | pairs.right.astype(np.uint64)
    return keys
