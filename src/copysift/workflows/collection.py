"""What a scan has read so far: documents by number, and which of them are equal byte for byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from copysift.kinds import Lexemes
from copysift.model.values import Group, Skipped
from copysift.sources.walk import Entry

if TYPE_CHECKING:
    from copysift.model.values import UInt64s


@dataclass(frozen=True, slots=True)
class Scanned:
    """A file as it was read; `hashes` is None when a file of the same bytes and kind has them.

    Those of a large file come in pieces, which are made when they are asked for.
    """

    entry: Entry
    kind: str
    size: int
    checksum: bytes
    hashes: Iterable[UInt64s] | None
    lexemes: Lexemes | None = None  # of a program: its statements and strings


@dataclass(slots=True)
class Filed:
    """A document; one that is equal to an earlier one stands for nothing in the join."""

    entry: Entry
    kind: str
    size: int
    fingerprints: int = 0
    sketch: UInt64s | None = None

    @property
    def plain_kind(self) -> str:
        """The kind as it is reported: `code`, whatever the language."""
        return self.kind.partition(":")[0]


class Collection:
    """Numbers documents in the order of input; the first of equal ones stands for all."""

    def __init__(self, sketches: bool = False) -> None:
        self._keep = sketches  # the hashes stay at hand: estimators need them
        self.filed: list[Filed] = []
        self.skipped: list[Skipped] = []
        self._first: dict[tuple[int, bytes], int] = {}
        self._sets: dict[int, list[int]] = {}
        self._names: dict[str, int] = {}

    def skip(self, note: Skipped) -> None:
        """Note an input that was left out."""
        self.skipped.append(note)

    def add(self, scanned: Scanned) -> int | None:
        """File a document; give the number that its hashes belong to, or None if they are not needed.

        Threads race, so the hashes of equal files may come with any of them: they go to the first.
        """
        number = len(self.filed)
        filed = Filed(scanned.entry, scanned.kind, scanned.size)
        self.filed.append(filed)
        self._names[scanned.entry.path] = number
        first = self._first.setdefault((scanned.size, scanned.checksum), number)
        if first != number:
            self._sets.setdefault(first, [first]).append(number)
        if scanned.hashes is None or scanned.kind != self.filed[first].kind:
            return None
        return first

    def count(self, number: int, hashes: UInt64s) -> None:
        """Count hashes of a document."""
        filed = self.filed[number]
        filed.fingerprints += len(hashes)
        if self._keep:
            filed.sketch = np.unique(hashes)

    def first_of(self, size: int, checksum: bytes) -> int:
        """Give the first document of these bytes."""
        return self._first[size, checksum]

    def equal(self) -> Iterator[tuple[int, ...]]:
        """Give the sets of equal documents, by number, empty files left out."""
        for first, members in sorted(self._sets.items()):
            if self.filed[first].size:
                yield tuple(members)

    def groups(self) -> Iterator[Group]:
        """Give the documents as they are reported."""
        counted = {number: first for first, members in self._sets.items() for number in members}
        for number, filed in enumerate(self.filed):
            count = self.filed[counted.get(number, number)].fingerprints
            name, read_as = filed.entry.name, filed.entry.read_as
            yield Group(name, name, filed.plain_kind, filed.size, count, read_as)

    def by_name(self, name: str) -> Filed:
        """Give a document by its name."""
        return self.filed[self._names[name]]

    def number(self, name: str) -> int:
        """Give the number of a document."""
        return self._names[name]

    def holders(self, number: int) -> Sequence[Filed]:
        """Give the files behind a number that the join knows."""
        return (self.filed[number],)

    def rename(self, name: str, number: int) -> None:
        """Let a document be found by another name, too."""
        self._names.setdefault(name, number)
