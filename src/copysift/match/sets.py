"""Measure pairs of documents exactly, over all their shingles (Broder et al., section 2)."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Self

import numpy as np

from copysift import kernels
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    Shares = NDArray[np.float64]
    UInt64s = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class MeasuredPairs:
    """Pairs of documents by number, left < right, with `shared` shingles and the measures."""

    left: Int64s
    right: Int64s
    shared: Int64s
    resemblance: Shares
    containment_left: Shares
    containment_right: Shares

    def __len__(self) -> int:
        return len(self.left)

    def take(self, which: NDArray[np.generic]) -> Self:
        """Give some of the pairs."""
        return type(self)(*(getattr(self, field.name)[which] for field in fields(self)))

    @classmethod
    def joined(cls, parts: list[MeasuredPairs]) -> MeasuredPairs:
        """Put parts after one another."""
        if not parts:
            return measures(*(np.zeros(0, np.int64) for _ in range(5)))
        made = type(parts[0])
        return made(
            *(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(made))
        )

    @property
    def containment(self) -> Shares:
        """The larger of the two containments."""
        return np.maximum(self.containment_left, self.containment_right)


@dataclass(frozen=True, slots=True)
class PairsWithValues(MeasuredPairs):
    """Pairs with a measure that is computed when it is wanted."""

    value: Shares

    @classmethod
    def of(cls, pairs: MeasuredPairs, value: Shares) -> PairsWithValues:
        """Put the measure beside pairs."""
        return cls(**{field.name: getattr(pairs, field.name) for field in fields(MeasuredPairs)}, value=value)


def measures(left: Int64s, right: Int64s, shared: Int64s, n: Int64s, m: Int64s) -> MeasuredPairs:
    """Give r = s / (n + m − s) and c = s / n, s / m of pairs that share s of their n and m shingles."""
    return MeasuredPairs(
        left, right, shared, _share(shared, n + m - shared), _share(shared, n), _share(shared, m)
    )


def sizes_of(pairs: MeasuredPairs) -> tuple[Int64s, Int64s]:
    """Give the n and m shingles by which pairs were measured; 0 where none is shared, which measures 0."""
    left, right = (
        np.rint(_share(pairs.shared, containment)).astype(np.int64)
        for containment in (pairs.containment_left, pairs.containment_right)
    )
    return left, right


def shared_by(values: UInt64s, bounds: Int64s, lefts: Int64s, rights: Int64s) -> Int64s:
    """Count what pairs of the sets values[bounds[i]:bounds[i + 1]] share."""
    return kernels.shingle.shared(values, bounds, lefts, rights)


def at_least(pairs: MeasuredPairs, floor: float) -> NDArray[np.bool_]:
    """Say which pairs reach the floor by their resemblance or a containment."""
    return np.asarray(pairs.containment >= floor - 1e-12)


def _share(part: Int64s, whole: Int64s | Shares) -> Shares:
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
