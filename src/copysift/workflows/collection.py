"""What a scan has read so far: documents by number, and which of them are equal byte for byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np

from copysift.kinds import Lexemes, notebook
from copysift.kinds.kind import CODE, TEXT, channel_of
from copysift.model.document import Document
from copysift.model.values import Group, Skipped
from copysift.runtime.arrays import distinct
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from copysift.model.values import UInt64s


@dataclass(frozen=True, slots=True)
class View:
    """The fingerprints of a file read as one kind; a program has two views, as text and by its tokens.

    Those of a large file come in pieces, which are made when they are wanted. `whole` has every k-gram of
    a file with few fingerprints.
    """

    kind: str
    hashes: Iterable[UInt64s]
    whole: UInt64s | None = None
    lexemes: Lexemes | None = None  # of a program: its statements and strings

    @property
    def channel(self) -> str:
        """The list of fingerprints that they belong to."""
        return channel_of(self.kind)


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """A file as it was read; it has no views when a file of the same bytes and kind has them."""

    entry: Document
    kind: str
    size: int
    checksum: bytes
    views: tuple[View, ...] = ()


@dataclass(slots=True)
class FiledDocument:
    """A document; one that is equal to an earlier one represents nothing in the join."""

    entry: Document
    kind: str
    size: int
    fingerprints: int = 0
    sketches: dict[str, UInt64s] = field(default_factory=dict)  # by channel
    kinds: dict[str, str] = field(default_factory=dict)  # the kind that it was read as, by channel

    def kind_in(self, channel: str) -> str:
        """Give the kind that it is matched as in a channel: its own where it is not in the channel."""
        return self.kinds.get(channel) or self.kinds.get(TEXT) or self.kind

    def source_kind(self, kind: str) -> str:
        """Give the kind whose readable source it is matched on as another: cells of a notebook as text."""
        return kind if kind == "bytes" or channel_of(kind) == CODE else self.kind

    @property
    def plain_kind(self) -> str:
        """The kind as it is reported: `code`, whatever the language."""
        return self.kind.partition(":")[0]

    @property
    def read_as(self) -> str:
        """How it was read, if it is not a file as it is."""
        return self.entry.read_as or ("cells of a notebook" if self.kind == notebook.KIND else "")


class Collection:
    """Numbers documents in the order of input; the first of equal ones represents all."""

    def __init__(self, sketches: bool = False) -> None:
        self._keep = sketches  # the hashes stay at hand: estimators need them
        self.filed: list[FiledDocument] = []
        self.skipped: list[Skipped] = []
        self._first: dict[tuple[int, bytes], int] = {}
        self._sets: dict[int, list[int]] = {}
        self._names: dict[str, int] = {}
        self._firsts: dict[int, int] = {}  # of equal documents, made when it is asked for

    def skip(self, note: Skipped) -> None:
        """Note an input that was left out."""
        self.skipped.append(note)

    def add(self, scanned: ScannedFile) -> tuple[int, tuple[View, ...]]:
        """File a document; give the number that its fingerprints belong to, and the views that are needed.

        Threads race, so those of equal files may come with any of them: they go to the first. Equal files of
        other kinds (a.py, a.txt) bring only what the first does not have.
        """
        number, entry = len(self.filed), scanned.entry
        self._names[entry.name] = number
        first = self._first.setdefault((scanned.size, scanned.checksum), number)
        kinds: dict[str, str] = {}
        if first != number:
            kinds = self.filed[first].kinds
            self._sets.setdefault(first, [first]).append(number)
        self.filed.append(FiledDocument(entry, scanned.kind, scanned.size, 0, {}, kinds))
        if not scanned.views:
            return first, ()
        needed = tuple(view for view in scanned.views if view.channel not in kinds)
        for view in needed:
            kinds[view.channel] = view.kind
        return first, needed

    def count(self, number: int, view: View, hashes: UInt64s) -> None:
        """Count hashes of a document: those of its first view."""
        filed = self.filed[number]
        if view.channel == next(iter(filed.kinds)):
            filed.fingerprints += len(hashes) if view.whole is None else len(view.whole)
        if self._keep:
            filed.sketches[view.channel] = distinct(hashes)

    def sketch(self, channel: str, number: int) -> UInt64s:
        """Give the sketch of a document in a channel."""
        return self.filed[number].sketches.get(channel, np.empty(0, np.uint64))

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
            name, size = filed.entry.name, filed.entry.file_size
            yield Group(name, name, filed.plain_kind, filed.size, count, filed.read_as, size)

    def by_name(self, name: str) -> FiledDocument:
        """Give a document by its name."""
        return self.filed[self._names[name]]

    def number(self, name: str) -> int:
        """Give the number of a document."""
        return self._names[name]

    def group_of(self, name: str) -> int:
        """Give the number by which the join knows a document: that of the first of equal ones."""
        number = self._names[name]
        if not self._firsts and self._sets:
            self._firsts = {each: first for first, members in self._sets.items() for each in members}
        return self._firsts.get(number, number)

    def holders(self, number: int) -> Sequence[FiledDocument]:
        """Give the files behind a number that the join knows."""
        return (self.filed[number],)

    def rename(self, name: str, number: int) -> None:
        """Let a document be found by another name, too."""
        self._names.setdefault(name, number)
