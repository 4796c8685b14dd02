"""What may raise the similarity of programs: their statements word for word, and their strings.

Two more sorted lists beside the fingerprints. `similarity` is the largest of three shares, each weighed by
rarity within its own list: fingerprints of token classes; those together with strings; statements. It
never falls by them, and the other measures do not see them.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np

from copysift.canonicalise import Lexemes
from copysift.engine.counts import PairColumns
from copysift.index.join import Join
from copysift.index.postings import Postings, candidates, shared_by
from copysift.match.measures import shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.engine.local import Weigh
    from copysift.values import UInt32s, UInt64s


class Evidence:
    """Collects the lexemes of groups; gives nothing where no group has any."""

    def __init__(self, memory: int, tmp_dir: Path | None, jobs: int, seed: int = 0, base: Lexemes | None = None) -> None:
        self._jobs, self._seed = jobs, np.uint64(seed)
        left_out = base or Lexemes.none()
        self._pooled = Join(memory, tmp_dir, base=self._keyed(left_out.strings), jobs=jobs)
        self._statements = Join(memory, tmp_dir, base=self._keyed(left_out.statements), jobs=jobs)
        self.groups: set[int] = set()

    def __enter__(self) -> Evidence:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pooled.close()
        self._statements.close()

    def add(self, group: int, hashes: UInt64s, lexemes: Lexemes) -> None:
        """Add what a file of a group tells; `hashes` are its fingerprints, without those of the base."""
        self.groups.add(group)
        self._pooled.add(group, hashes)
        self._pooled.add(group, self._keyed(lexemes.strings))
        self._statements.add(group, self._keyed(lexemes.statements))

    def raised(
        self,
        columns: PairColumns,
        postings: Postings,
        threshold: float,
        min_shared: int,
        max_shared: int,
        weigh: Weigh,
        side: UInt32s | None = None,
        kin: UInt32s | None = None,
    ) -> PairColumns:
        """Give the pairs with their similarity raised, and those that only so reach the threshold."""
        if not self.groups:
            return columns
        found = []
        for join in (self._pooled, self._statements):
            made = join.finish(max_shared, weigh)
            sides = (_cut(side, made), _cut(kin, made))
            pairs = candidates(made, "similarity", threshold, 1, self._jobs, *sides)
            least = np.minimum(made.totals[pairs.left], made.totals[pairs.right])
            keys = pairs.left.astype(np.uint64) << np.uint64(32) | pairs.right
            found.append((keys, shares(pairs.weight, least)))
        known = columns.left.astype(np.uint64) << np.uint64(32) | columns.right.astype(np.uint64)
        fresh = np.setdiff1d(np.concatenate([keys for keys, _ in found]), known)
        every = joined(columns, _counted(fresh, postings, min_shared))
        keys = every.left.astype(np.uint64) << np.uint64(32) | every.right.astype(np.uint64)
        order = np.argsort(keys)
        every, keys = every.take(order), keys[order]
        similarity = every.similarity.copy()
        for some, values in found:
            at = np.searchsorted(keys, some)
            at[at == len(keys)] = 0
            there = keys[at] == some if len(keys) else np.zeros(len(some), np.bool_)
            similarity[at[there]] = np.maximum(similarity[at[there]], values[there])
        return dataclasses.replace(every, similarity=similarity)

    def _keyed(self, hashes: UInt64s) -> UInt64s:
        """Make hashes depend on the secret seed."""
        if not self._seed:
            return hashes
        mixed: UInt64s = (hashes ^ self._seed) * np.uint64(0x9E3779B97F4A7C15)
        return mixed ^ mixed >> np.uint64(31)


def _cut(labels: UInt32s | None, postings: Postings) -> UInt32s | None:
    """Give as many labels as a list has groups: the last groups may have no lexemes."""
    return None if labels is None else labels[: len(postings.sizes)]


def _counted(keys: UInt64s, postings: Postings, min_shared: int) -> PairColumns:
    """Give the pairs behind some keys, counted; those that share too few fingerprints are left out."""
    left, right = (keys >> np.uint64(32)).astype(np.int64), (keys & np.uint64(2**32 - 1)).astype(np.int64)
    held = (left < len(postings.sizes)) & (right < len(postings.sizes))
    left, right = left[held], right[held]
    shared, weight = shared_by(postings, left, right)
    enough = shared >= max(min_shared, 1)
    return PairColumns.counted(left[enough], right[enough], shared[enough], weight[enough], postings)


def joined(one: PairColumns, other: PairColumns) -> PairColumns:
    """Put two lists of pairs together."""
    names = [field.name for field in dataclasses.fields(PairColumns)]
    columns: list[NDArray[np.generic]] = [
        np.concatenate([getattr(one, name), getattr(other, name)]) for name in names
    ]
    return PairColumns(*columns)  # type: ignore[arg-type]  # the columns are those of the two
