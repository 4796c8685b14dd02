"""One list of fingerprints of a scan, and the k-grams of its short documents beside it."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from copysift.clusters.builds import builds
from copysift.join.memory import Budget, Join
from copysift.join.rows import NO_FLOOR, Postings
from copysift.match.base_code import Base
from copysift.match.measures import Weigh, library_weights
from copysift.match.occurrences import Occurrences
from copysift.match.repeats import Repeats
from copysift.model.traits import kind_traits
from copysift.runtime.lazy_dataclass import dataclass
from copysift.workflows.collection import View
from copysift.workflows.reading import FEW

if TYPE_CHECKING:
    from copysift.model.values import UInt64s

NEGLIGIBLE = 0.25  # of a unit: what two units share in less than this is not what they share as a whole


class StoredView(NamedTuple):
    """Fingerprints of a file that an index has: the number of their postings, and how many there are.

    `whole`: they are all k-grams of a short file.
    """

    number: int
    channel: str
    whole: bool
    fingerprints: int


@dataclass(frozen=True, slots=True)
class Lists:
    """Who has which fingerprint of the texts: `chosen` of all documents, `whole` of the `short` ones."""

    chosen: Postings
    whole: Postings
    short: np.ndarray[tuple[int], np.dtype[np.bool_]]


class Channel:
    """One list of fingerprints, the k-grams of its short documents, and its repeats."""

    def __init__(
        self,
        name: str,
        budget: Budget,
        tmp_dir: Path | None,
        jobs: int,
        base: Base,
        length: int,
        occurring: bool = False,
    ) -> None:
        self.name = name
        self.floor = NO_FLOOR
        self.join = Join(budget, tmp_dir, base.hashes, jobs)
        self.whole = Join(budget, tmp_dir, base.hashes, jobs)
        self.repeats = Repeats(length, budget, tmp_dir, jobs, base)
        self.occurrences = Occurrences(base, wanted=occurring)
        self.occurrences_whole = Occurrences(base, wanted=occurring)
        self.kinds: set[str] = set()
        self.counted: Counter[int] = Counter()  # fingerprints of each group in this channel
        self.others: Counter[int] = Counter()  # and of its files that are not in it
        self.linked: Counter[int] = Counter()  # those that linkers may have put into a group
        self.short: set[int] = set()  # groups with few fingerprints

    def close(self) -> None:
        """Drop the entries."""
        for each in (self.join, self.whole, self.repeats):
            each.close()

    def add(self, group: int, view: View, count: Callable[[int, View, UInt64s], None]) -> int:
        """Take the fingerprints of a file of a group; `count` gets them. Give how many there are."""
        self.kinds.add(view.kind)
        total, last = 0, np.empty(0, np.uint64)
        for hashes in view.hashes:
            count(group, view, hashes)
            total += len(hashes)
            if isinstance(view.hashes, list) and len(hashes) < self.floor.founded:
                return total  # no pair of it can be above the floor
            self.join.add(group, hashes)
            last = self.repeats.add(group, hashes, last)
            self.occurrences.add(group, hashes)
        if view.whole is not None:
            self.whole.add(group, view.whole)
            self.occurrences_whole.add(group, view.whole)
            self.short.add(group)
        self.counted[group] = self.counted.get(group, 0) + total  # a Counter would ask a method
        if kind_traits(view.kind).linked:
            self.linked[group] += total
        return total

    def know(self, group: int, kind: str, whole: bool, count: int) -> None:
        """Note that a group of an index has this many fingerprints here, or all its k-grams."""
        self.kinds.add(kind)
        if whole:
            self.short.add(group)
        else:
            self.counted[group] += count
            if kind_traits(kind).linked:
                self.linked[group] += count

    def finish(self, groups: int, max_shared: int, weigh: Weigh) -> tuple[Postings, Postings]:
        """Collate the fingerprints, and the k-grams of short documents."""
        for join in (self.join, self.whole):
            join.add(groups - 1, np.empty(0, np.uint64))
        return self.join.finish(max_shared, weigh), self.whole.finish(max_shared, weigh)

    def without_libraries(self, made: tuple[Postings, Postings]) -> tuple[Postings, Postings]:
        """Weigh what linkers put into programs by the different programs that have it.

        Groups that have other works, too, are weighed like all others.
        """
        programs = np.zeros(len(made[0].sizes), np.bool_)
        programs[[group for group, count in self.linked.items() if count == self.counted[group]]] = True
        if np.count_nonzero(programs) <= 2:
            return made
        labels = builds(made[0], programs)
        first, whole = (each.independent(labels, library_weights, programs) for each in made)
        return first, whole

    def weighed(
        self, postings: Postings, worth: Counter[int] | None = None, enough: float = math.inf
    ) -> Postings:
        """Let what is a negligible part of a unit weigh as if it were not: no score rests on it alone.

        `worth` counts what the list has of each group, if not fingerprints; `enough` of it is not negligible.
        """
        held = self.counted if worth is None else worth
        totals = postings.totals.copy()
        for group, count in held.items():
            rest = self.others[group] + (self.counted[group] - count if worth is not None else 0)
            if rest > 0 and count < min(enough, NEGLIGIBLE * (count + rest)):
                totals[group] *= (NEGLIGIBLE * (count + rest) / max(count, 1)) ** 2
        return dataclasses.replace(postings, totals=totals)

    def is_short(self, groups: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Say which groups are compared with each other by all their k-grams."""
        found = np.zeros(groups, np.bool_)
        found[[group for group in self.short if self.counted[group] <= FEW]] = True
        return found
