"""sif's interesting sets (Manber 1994, end of section 4), in bounded work.

A set is interesting if all its members together share at least this many fingerprints, and no larger set that
contains it does. The problem is NP-complete. Fingerprints with the same holders are one row with a weight;
sets grow depth first, what all rows have in common is taken at once, and a branch that cannot lead out of a
set that is known already is cut. After this many steps the search stops: then each set still shares enough,
but larger ones may be missing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from copysift.runtime.arrays import distinct

MOST_STEPS = 30_000_000  # holders that are looked at
SHOWN = 3  # fingerprints that show what a set shares

Numbers = NDArray[np.int64]


class SharedSet(NamedTuple):
    """Members ascending, how many fingerprints all of them share, and some of those, by number."""

    members: tuple[int, ...]
    shared: int
    fingerprints: tuple[int, ...]


class SetSearch:
    """A search over the holders of fingerprints: holders[offsets[h]:offsets[h + 1]] hold fingerprint h."""

    def __init__(self, offsets: Numbers, holders: Numbers, least: int, steps: int = MOST_STEPS) -> None:
        self.stopped = False  # the bound was hit
        self._least, self._steps = least, steps
        self._found: list[frozenset[int]] = []
        self._having: dict[int, set[int]] = {}  # member → numbers of the sets found
        self._rows, self._weights, self._firsts = _rows(offsets, holders.astype(np.int64))
        flat = np.concatenate(self._rows) if self._rows else np.empty(0, np.int64)
        order = np.argsort(flat, kind="stable")
        lengths = [len(row) for row in self._rows]
        self._members = flat[order]  # ascending, each with its row
        self._row_of = np.repeat(np.arange(len(self._rows)), lengths)[order]

    def run(self) -> list[SharedSet]:
        """Give the sets of two or more, those that share most first."""
        for head in distinct(self._members).tolist():
            if self.stopped:
                break
            self._grow(head)
        whole = [each for at, each in enumerate(self._found) if not self._inside(each, at)]
        made = [self._shared(each) for each in whole]
        return sorted(made, key=lambda each: (-each.shared * len(each.members), each.members))

    def _of(self, document: int) -> Numbers:
        start, end = np.searchsorted(self._members, [document, document + 1])
        return self._row_of[start:end]

    def _grow(self, head: int) -> None:
        """Extend a document by later ones that enough of its rows have."""
        stack = [(frozenset([head]), self._of(head), head)]
        while stack and not self.stopped:
            held, rows, after = stack.pop()
            total = int(self._weights[rows].sum())
            if total < self._least:
                continue
            parts = [self._rows[row] for row in rows.tolist()]
            flat = np.concatenate(parts)
            documents, at = np.unique(flat, return_inverse=True)
            counts = np.bincount(at, np.repeat(self._weights[rows], [len(part) for part in parts]))
            whole = held | set(documents[counts == total].tolist())
            more = [each for each in documents[counts >= self._least].tolist() if each not in whole]
            self._steps -= len(flat) + len(rows) * len(more)
            self.stopped = self._steps < 0
            if not more or self.stopped:
                self._keep(whole)
            elif not self._known(whole | set(more)):
                for each in reversed(more):  # the stack gives the first one first
                    if each > after:
                        stack.append((whole | {each}, rows[np.isin(rows, self._of(each))], each))

    def _keep(self, members: frozenset[int]) -> None:
        if len(members) > 1 and not self._known(members):
            for each in members:
                self._having.setdefault(each, set()).add(len(self._found))
            self._found.append(members)

    def _known(self, members: frozenset[int]) -> bool:
        """Say whether a set that was found contains all of these."""
        having = [self._having.get(each) for each in members]
        if not all(having):
            return False
        return bool(set.intersection(*(each for each in having if each)))

    def _inside(self, members: frozenset[int], own: int) -> bool:
        having = [self._having[each] for each in members]
        return bool(set.intersection(*having) - {own})

    def _shared(self, members: frozenset[int]) -> SharedSet:
        rows = self._of(min(members))
        for each in members:
            rows = rows[np.isin(rows, self._of(each))]
        some = [number for row in rows.tolist() for number in self._firsts[row]]
        return SharedSet(tuple(sorted(members)), int(self._weights[rows].sum()), tuple(some[:SHOWN]))


def _rows(offsets: Numbers, holders: Numbers) -> tuple[list[Numbers], Numbers, list[list[int]]]:
    """Make one row of fingerprints with the same holders: the holders, how many, and the first few."""
    keys: dict[bytes, int] = {}
    rows: list[Numbers] = []
    weights: list[int] = []
    firsts: list[list[int]] = []
    for number in np.flatnonzero(np.diff(offsets) > 1).tolist():
        row = holders[offsets[number] : offsets[number + 1]]
        at = keys.setdefault(row.tobytes(), len(rows))
        if at == len(rows):
            rows.append(row)
            weights.append(0)
            firsts.append([])
        weights[at] += 1
        if len(firsts[at]) < SHOWN:
            firsts[at].append(number)
    return rows, np.array(weights, np.int64), firsts
