"""What an index gives: the hits of a query, and its documents."""

from __future__ import annotations

from dataclasses import field

from copysift.model.intervals import Intervals
from copysift.model.values import Group, Region, Skipped
from copysift.runtime.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Hit:
    """A document of an index that answers a query: `left` is the query, `right` the document.

    `containment_left` is the share of the query that is in the document. `sif` counts
    occurrences, as sif does, and may pass 1. With a coarser or quick query the measures are
    estimates. `regions` is None where they were not wanted or cannot be had. `unit` is the submission
    that the document belongs to, empty for none. `intervals` are as in a pair. `similarity` is None unless
    it is the measure.

    >>> with copysift.Index("essays.sift") as index:
    ...     done = index.add("essays")
    ...     [(hit.right, hit.equal) for hit in index.query("essays/bees.txt")]
    [('essays/bees.txt', True), ('essays/bees-rearranged.txt', False)]
    """

    left: str
    right: str
    equal: bool
    resemblance: float
    containment_left: float
    containment_right: float
    sif: float
    shared: int
    bytes: int
    longest: int | None = None
    lines: int | None = None
    regions: tuple[Region, ...] | None = None
    channel: str = ""  # as in a pair
    unit: str = ""
    intervals: Intervals | None = field(default=None, compare=False, repr=False)
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What an index answers to some queries, the hits of each query best first."""

    settings: dict[str, object]
    queries: tuple[Group, ...]
    hits: tuple[Hit, ...]
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()  # what was ignored although nothing was skipped


@dataclass(frozen=True, slots=True)
class Indexed:
    """A document of an index: `fingerprints` with repeats; `kept` if its text is kept.

    `unit` is the submission that it belongs to, empty for none.

    >>> with copysift.Index("essays.sift") as index:
    ...     done = index.add("essays/bees.txt")
    ...     [(document.name, document.bytes) for document in index.documents()]
    [('essays/bees.txt', 898)]
    """

    name: str
    kind: str
    bytes: int
    fingerprints: int
    checksum: str
    kept: bool
    unit: str = ""
