"""What the answers about earlier times are made from: a snapshot's timeline with measures and dates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from copysift.errors import InputError, StoreError
from copysift.match.base_code import Base
from copysift.model.sweeps import Stay
from copysift.model.values import Fingerprints
from copysift.runtime.arrays import distinct
from copysift.settings.sweeps import spelled
from copysift.store.boilerplate import bare_contents, boilerplate_among
from copysift.store.relations import is_evidence
from copysift.store.snapshot import Snapshot
from copysift.store.timeline import SweepRow, Timeline, VersionRow, is_swept
from copysift.workflows.index_base import IndexBase


class UnseenAddressError(InputError):
    """Raised for an address that no sweep met."""


class Measure(NamedTuple):
    """What two contents share: resemblance, and the share of each that is in the other."""

    resemblance: float
    of_one: float
    of_other: float


def measured(shared: int, one: int, other: int) -> Measure:
    """Give the measures from counts of distinct hashes."""
    union = one + other - shared
    return Measure(
        shared / union if union else 0.0, shared / one if one else 0.0, shared / other if other else 0.0
    )


class Trace:
    """Asks one snapshot of a swept index."""

    def __init__(self, snapshot: Snapshot) -> None:
        if not is_swept(snapshot.catalog):
            raise StoreError(
                f"{snapshot.folder} has no sweeps",
                hint="use copysift sweep to add one, or copysift query",
            )
        self.snapshot = snapshot
        self.timeline = Timeline(snapshot.catalog)
        self.sweeps: list[SweepRow] = self.timeline.sweeps()
        self.times = [row.at for row in self.sweeps]
        self._sizes: dict[int, int] = {}
        self._templated: dict[int, tuple[int, bool]] = {}

    @property
    def latest(self) -> int:
        """The time of the newest sweep."""
        return self.times[-1]

    def learn(self, contents: list[int]) -> None:
        """Look up the sizes of many contents at once, and how much of them is boilerplate."""
        unknown = [each for each in contents if each not in self._sizes]
        self._sizes |= dict.fromkeys(unknown, 0) | self.timeline.sizes(unknown)
        self._templated |= self.timeline.templated(unknown)

    def size(self, content: int) -> int:
        """Give the distinct hashes of a content that count: without boilerplate."""
        self.learn([content])
        return self._sizes[content] - self._templated.get(content, (0, False))[0]

    def ignored(self, content: int) -> float:
        """Give the share of a content that is boilerplate and not compared."""
        self.learn([content])
        return self._templated.get(content, (0, False))[0] / max(self._sizes[content], 1)

    def measures(self, found: Fingerprints, ignored: Base | None = None) -> dict[int, Measure]:
        """Give what contents of any time share with a document from outside, by its fingerprints.

        What is in `ignored` counts for neither side.
        """
        without = IndexBase(self.snapshot, ignored) if ignored else None
        if without is not None:
            found = without.without(found)
        hashes, first = np.unique(found.hashes, return_index=True)
        common, base = boilerplate_among(self.snapshot.catalog, hashes)
        zeros, every = np.zeros(len(found.hashes), np.int64), np.isin(found.hashes, hashes[common])
        starts, ends = found.starts.astype(np.int64), found.ends.astype(np.int64)
        bare = bool(len(bare_contents(zeros, starts, ends - starts, every)))
        postings = self.snapshot.find(hashes)
        ours = distinct(postings.documents.astype(np.int64) << 32 | postings.which)
        contents, which = ours >> 32, ours & (2**32 - 1)
        self.learn(distinct(contents).tolist())
        also = np.array([self._templated.get(each, (0, False))[1] for each in contents.tolist()], np.bool_)
        holders = np.bincount(which, minlength=len(hashes))
        others = 2 * np.bincount(which[also], minlength=len(hashes)) >= np.maximum(holders, 1)
        family = common & ~base & others
        counts = ~common[which] | (bare & also & family[which])
        size = len(first) - int(np.count_nonzero(common & ~(family & bare)))
        numbers, shared = np.unique(contents[counts], return_counts=True)
        based = {} if without is None else without.given_counts()
        return {
            number: measured(count, size, max(self.size(number) - based.get(number, 0), count))
            for number, count in zip(numbers.tolist(), shared.tolist(), strict=True)
            if self._sizes[number] and is_evidence(count, min(len(hashes), self._sizes[number]))
        }

    def partners(self, content: int) -> dict[int, Measure]:
        """Give the contents that share enough with one, with what they share."""
        found = self.timeline.alike(content)
        self.learn([content, *found])
        return {
            other: measured(shared, self.size(content), self.size(other)) for other, shared in found.items()
        }

    def between(self, one: int, other: int) -> Measure | None:
        """Give what two contents share; None if it was too little to be kept."""
        if one == other:
            return Measure(1.0, 1.0, 1.0)
        shared = self.timeline.shared(one, other)
        return None if shared is None else measured(shared, self.size(one), self.size(other))

    def number_of(self, uri: str) -> int:
        """Give the number of an address; raises InputError if no sweep met it."""
        number = self.timeline.number_of(uri)
        if number is None:
            raise UnseenAddressError(
                f"{uri}: address never seen", hint="copysift index list shows current ones"
            )
        return number

    def last_of(self, row: VersionRow) -> int:
        """Give the last sweep that has a version."""
        return self.latest if row.last is None else row.last

    def after(self, time: int) -> int | None:
        """Give the sweep after another one."""
        return next((each for each in self.times if each > time), None)

    def stays(self, rows: list[VersionRow]) -> tuple[Stay, ...]:
        """Spell versions as stays, runs of one address that follow each other as one."""
        joined: list[VersionRow] = []
        for row in sorted(set(rows), key=lambda row: (row.uri, row.first)):
            if joined and joined[-1].uri == row.uri and self.after(self.last_of(joined[-1])) == row.first:
                joined[-1] = joined[-1]._replace(last=row.last)
            else:
                joined.append(row)
        names = self.timeline.uris({row.uri for row in joined})
        ordered = sorted(joined, key=lambda row: (row.first, names[row.uri]))
        return tuple(
            Stay(names[row.uri], spelled(row.first), spelled(self.last_of(row)), row.last is None)
            for row in ordered
        )
