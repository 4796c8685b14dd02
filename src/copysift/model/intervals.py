"""Between which values measures are that were estimated from a sample."""

from __future__ import annotations

from typing import NamedTuple


class Interval(NamedTuple):
    """Between which values a measure is that was estimated from a sample, in 95 of 100 cases.

    >>> copysift.compare("essays/bees.txt", "essays/bees-rearranged.txt").intervals.resemblance.low > 0.7
    True
    """

    low: float
    high: float


class Intervals(NamedTuple):
    """The intervals of the measures of a pair.

    >>> pair = copysift.compare("essays/bees.txt", "essays/bees-rearranged.txt")
    >>> pair.intervals.containment_left.low < pair.containment_left < pair.intervals.containment_left.high
    True
    """

    resemblance: Interval
    containment_left: Interval
    containment_right: Interval
