"""What may raise the similarity of programs: their statements word for word, and their strings.

Two more sorted lists beside the fingerprints. `similarity` is the largest of three shares, each weighed by
rarity within its own list: fingerprints of token classes; those together with strings; statements. The
other measures do not see them. Many small programs are the same but for their names: a fiftieth of the
similarity is left to what is the same word for word, so that those come first among them.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.canonicalise import Lexemes
from copysift.engine.base import Base
from copysift.engine.counts import PairColumns
from copysift.index.join import Join
from copysift.index.postings import Postings, candidates, shared_by
from copysift.match.measures import shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.engine.local import Weigh
    from copysift.values import UInt32s, UInt64s


VERBATIM = 0.02  # of the similarity depends on how much is the same word for word


class Evidence:
    """Collects the lexemes of groups; gives nothing where no group has any."""

    def __init__(self, memory: int, tmp_dir: Path | None, jobs: int, seed: int, base: Base) -> None:
        self._jobs, self._seed = jobs, np.uint64(seed)
        handed_out = np.concatenate([base.hashes, self._keyed(base.lexemes.strings)])
        self._pooled = Join(memory, tmp_dir, handed_out, jobs)
        self._statements = Join(memory, tmp_dir, self._keyed(base.lexemes.statements), jobs)
        self.groups: set[int] = set()

    def __enter__(self) -> Evidence:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pooled.close()
        self._statements.close()

    def add(self, group: int, hashes: UInt64s, lexemes: Lexemes) -> None:
        """Add what a file of a group tells, beside its fingerprints; what was handed out does not count."""
        self.groups.add(group)
        self._pooled.add(group, hashes)
        self._pooled.add(group, self._keyed(lexemes.strings))
        self._statements.add(group, self._keyed(lexemes.statements))

    def raised(
        self,
        columns: PairColumns,
        postings: Postings,
        weigh: Weigh,
        max_shared: int,
        threshold: float | None,
        min_shared: int,
        side: UInt32s | None = None,
        kin: UInt32s | None = None,
    ) -> PairColumns:
        """Give the pairs with their similarity raised, and those that only so reach the threshold.

        Without a threshold no pairs are added: they are chosen by another measure.
        """
        if not self.groups:
            return columns
        pooled, statements = (join.finish(max_shared, weigh) for join in (self._pooled, self._statements))
        if threshold is not None:
            found = [
                candidates(each, "similarity", threshold, 1, self._jobs, _cut(side, each), _cut(kin, each))
                for each in (pooled, statements)
            ]
            keys = np.concatenate([_keys(pairs.left, pairs.right) for pairs in found])
            fresh = np.setdiff1d(keys, _keys(columns.left, columns.right))
            columns = joined(columns, _counted(fresh, postings, min_shared))
        return _raised(columns, pooled, statements)

    def _keyed(self, hashes: UInt64s) -> UInt64s:
        """Make hashes depend on the secret seed."""
        if not self._seed:
            return hashes
        mixed: UInt64s = (hashes ^ self._seed) * np.uint64(0x9E3779B97F4A7C15)
        return mixed ^ mixed >> np.uint64(31)


def _cut(labels: UInt32s | None, postings: Postings) -> UInt32s | None:
    """Give as many labels as a list has groups: the last groups may have no lexemes."""
    return None if labels is None else labels[: len(postings.sizes)]


def _keys(left: NDArray[Any], right: NDArray[Any]) -> UInt64s:
    return left.astype(np.uint64) << np.uint64(32) | right.astype(np.uint64)


def _raised(columns: PairColumns, pooled: Postings, statements: Postings) -> PairColumns:
    """Take the largest of the shares; of pairs alike in all else, those alike word for word come first."""
    both = np.maximum(columns.left, columns.right) < min(len(pooled.sizes), len(statements.sizes))
    left, right = columns.left[both], columns.right[both]
    similarity = columns.similarity.copy()
    best = similarity[both]
    for each in (pooled, statements):
        _, weight = shared_by(each, left, right)
        one, other = each.totals[left], each.totals[right]
        best = np.maximum(best, shares(weight, np.minimum(one, other)))
    union = one + other - weight
    verbatim = np.where(union > 0, shares(weight, union), 1.0)
    similarity[both] = best * (1 - VERBATIM + VERBATIM * verbatim)
    return dataclasses.replace(columns, similarity=similarity)


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
