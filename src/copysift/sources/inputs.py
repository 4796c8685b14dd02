"""Everything at or below some paths, as documents: the one way in which every command reads.

Files are walked, and each is looked at: containers are opened, to a depth that is limited, and files of
records give their records. What cannot be had is a `Skipped`; the rest is read.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import field, replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from copysift import kernels
from copysift.errors import InputError
from copysift.model.document import Document, Hint, Memory
from copysift.model.values import DAMAGED, LIMIT, Skipped
from copysift.runtime.lazy_dataclass import dataclass
from copysift.sources.container_limits import ArchiveLimits, LimitReachedError
from copysift.sources.containers import PACKED, included, member_filter
from copysift.sources.detection import HEAD, Detector
from copysift.sources.file_content import FileContent, false_size
from copysift.sources.files import load
from copysift.sources.formats import may_hold_others
from copysift.sources.readers.known import RAW
from copysift.sources.source import DOCUMENTS, ITSELF, RECORDS, Reading, Source
from copysift.sources.spool import Spool
from copysift.sources.walk import Found, OnlyIfContainer, Unseen, Walker

if TYPE_CHECKING:
    from copysift.sources.documents import Documents

UNOPENED = "damaged container, compared as raw bytes"  # what a document of one was read as
TOGETHER = 256  # files of which the first bytes are read at once

Place = str | os.PathLike[str]


class File(NamedTuple):
    """A file that a walk found, and what opens it; None: it is a document itself."""

    document: Document
    source: Source | None
    named: bool  # by the user, not found in a folder


@dataclass(slots=True)
class ReadAs:
    """What was read in one of several ways, or not: files of records in folders, files in mails."""

    record_files: dict[str, int] = field(default_factory=dict)  # and how many records each has
    attached: int = 0  # files in mails that were not read, because mails were compared as files
    raw: dict[str, int] = field(default_factory=dict)  # files compared as raw bytes, by the reason
    left_out: list[str] = field(default_factory=list)  # what says which files were left out

    def add(self, other: ReadAs) -> None:
        """Take what was read elsewhere."""
        for name, records in other.record_files.items():
            self.record_files[name] = self.record_files.get(name, 0) + records
        self.attached += other.attached
        for reason, files in other.raw.items():
            self.raw[reason] = self.raw.get(reason, 0) + files
        self.left_out += [each for each in other.left_out if each not in self.left_out]

    @property
    def notes(self) -> tuple[str, ...]:
        """Say what could have been read in another way."""
        found = []
        if self.record_files:
            files, records = len(self.record_files), sum(self.record_files.values())
            one = files == 1
            found.append(
                f"read as {files:,} record file{'' if one else 's'} with {records:,} "
                f"record{'' if records == 1 else 's'}; --records no reads "
                f"{'it as 1 text' if one else f'them as {files:,} texts'}"
            )
        if self.attached:
            what = "1 attachment was" if self.attached == 1 else f"{self.attached:,} attachments were"
            found.append(f"{what} not compared: scan compares attachments")
        for reason, files in self.raw.items():
            what = "1 file was" if files == 1 else f"{files:,} files were"
            found.append(f"{what} compared as raw bytes: {reason}")
        return (*found, *self.left_out)


def _unmatched(folder: str, globs: tuple[str, ...]) -> str:
    """Say that --include takes no file of a folder, and how a glob would take files further down."""
    given = " ".join(f"--include {glob}" for glob in globs)
    anchored = next((glob for glob in globs if "/" in glob.strip("/") and not glob.startswith("**/")), "")
    hint = f"; a glob with a slash starts at that folder, **/{anchored.lstrip('/')} matches anywhere below it"
    return f"no file in {folder} matches {given}{hint if anchored else ''}"


class Inputs:
    """Reads paths; `notes` says afterwards what could have been read in another way.

    A record is named by its id where its file was named by the user, else, and if `qualified` always,
    as `outer!id`. Members and records are kept in the `spool`, without one they stay in memory.
    """

    def __init__(self, reading: Reading, spool: Spool | None = None, *, qualified: bool = False) -> None:
        self.reading = reading
        self._walking = replace(
            reading.walking, containers=reading.containers, shards=reading.records != "no"
        )
        self._detector = Detector(reading)
        self._walking = replace(self._walking, unseen=self._detector.needed)
        self._spool = spool
        self._qualified = qualified
        self._taken: dict[str, int] = {}
        self.read_as = ReadAs()
        self._unread: dict[bytes, str] = {}  # checksums of documents that no reader could read

    def files(self, paths: Iterable[Place]) -> Iterator[File | Document | Skipped]:
        """Give the files at or below the paths, unopened; further names of them as bare documents."""
        for path in paths:
            root = os.fspath(path)
            walker = Walker(self._walking)
            walked = walker.below([root])
            unmatched = bool(self._walking.include)
            while listed := list(islice(walked, TOGETHER)):
                some = list(_looked_at(walker, listed))
                unmatched = unmatched and all(isinstance(each, OnlyIfContainer) for each, _ in some)
                yield from self._detected(some, root)
            if unmatched:
                self.read_as.left_out.append(_unmatched(root, self._walking.include))

    def _detected(
        self, some: list[tuple[Found, bytes | None]], root: str
    ) -> Iterator[File | Document | Skipped]:
        """Say of files what opens them; their first bytes are given if they are known."""
        documents: list[Document] = []
        heads: list[bytes | None] = []
        for found, head in some:
            document = found.document if isinstance(found, OnlyIfContainer) else found
            if isinstance(document, Document) and not document.same_as:
                documents.append(document)
                heads.append(head)
        named = len(documents) == 1 and documents[0].name == root
        sources = iter(self._detector.sources(documents, heads, named=named))
        for found, _ in some:
            if isinstance(found, Document) and not found.same_as:
                file = File(found, next(sources), named)
                yield self._too_large(file) or self._false_size(file) or file
            elif isinstance(found, OnlyIfContainer):
                source = next(sources)
                if source is not None and source.traits.gives != ITSELF:
                    yield File(found.document, source, False)
            else:
                yield found

    def _too_large(self, file: File) -> Skipped | None:
        """Refuse a document that is too large; what holds others may have any size."""
        if file.source is None or file.source.traits.gives == ITSELF:
            return self.reading.refuse(file.document.name, file.document.size)
        return None

    def _false_size(self, file: File) -> Skipped | None:
        """Refuse a file whose size says nothing of what is in it; a limit that was given allows holes."""
        document = file.document
        if not isinstance(document.content, FileContent):
            return None
        reason = false_size(document.content)
        if not reason or (document.size and self.reading.max_bytes is not None):
            return None
        return Skipped(document.name, reason, LIMIT if document.size else "")

    def source_of(self, document: Document, *, named: bool = False) -> Source | None:
        """Give what opens a document; None: it is one itself."""
        return self._detector.source(document, named=named)

    def documents(self, paths: Iterable[Place]) -> Iterator[Document | Skipped]:
        """Give every document at or below the paths, once whatever names it has."""
        for found in self.files(paths):
            if isinstance(found, File):
                yield from self.members(found)
            elif isinstance(found, Skipped):
                yield found

    def as_files(self, paths: Iterable[Place]) -> Iterator[Document | Skipped]:
        """Give the files at or below the paths as they are; a compressed one unpacked, under its own name."""
        for found in self.files(paths):
            if not isinstance(found, File):
                yield found
            elif found.source is PACKED or (found.source and found.source.traits.gives == ITSELF):
                yield from self._as_file(found)
            else:
                yield self.reading.refuse(found.document.name, found.document.size) or found.document

    def _as_file(self, file: File) -> Iterator[Document | Skipped]:
        """Give the text of a file, or of the one file in a compressed one, under the name of the file."""
        name, given = file.document.name, False
        for member in self.opened(file):
            if isinstance(member, Skipped):
                yield Skipped(name, member.reason, member.code)
            elif isinstance(member, Document) and given:
                self.read_as.attached += 1
            elif isinstance(member, Document):
                given = True
                yield self._kept(replace(member, name=name))

    def members(self, file: File) -> Iterator[Document | Skipped]:
        """Give the documents in a file, or the file itself if it is one."""
        if file.source is None:
            yield file.document
            return
        for found in self.opened(file):
            if isinstance(found, Skipped):
                yield found
            elif isinstance(found, Document):
                yield self._kept(found)
            else:
                yield from self._rows(found)

    def opened(self, file: File) -> Iterator[Document | Documents | Skipped]:
        """Give the documents in a file, records as batches."""
        if file.source is None:
            yield file.document
        else:
            yield from self._opened(file.document, file.source, self.reading, 1, named=file.named)

    @property
    def notes(self) -> tuple[str, ...]:
        """Say what could have been read in another way."""
        return self.read_as.notes

    def _opened(
        self, outer: Document, source: Source, reading: Reading, depth: int, *, named: bool = False
    ) -> Iterator[Document | Documents | Skipped]:
        if source.traits.gives == ITSELF:
            yield from self._itself(outer, source, reading, depth)
        elif source.traits.gives == RECORDS:
            yield from self._records(outer, source, reading, named)
        elif source.traits.gives == DOCUMENTS:
            yield from self._texts(outer, source)
        elif depth > reading.limits.depth:
            yield Skipped(outer.name, f"is an archive inside {depth - 1} others, which is too deep", LIMIT)
        else:
            yield from self._inside(outer, source, reading.inside(outer), depth)

    def _texts(self, outer: Document, source: Source) -> Iterator[Document | Skipped]:
        """Give the documents of an index, which were opened when they were added."""
        wanted = member_filter(replace(self.reading.walking, hidden=True))
        for found in source.open(outer, self.reading):
            if isinstance(found, Skipped):
                yield found
            elif isinstance(found, Document) and wanted(found.file):
                yield self.reading.refuse(found.name, found.size) or found

    def _itself(
        self, outer: Document, source: Source, reading: Reading, depth: int
    ) -> Iterator[Document | Documents | Skipped]:
        """Give a document as its reader gives it; what is attached to it is read like members of archives."""
        reading = reading.inside(outer)
        try:
            for found in source.open(outer, reading):
                if isinstance(found, Skipped) and found.name == outer.name:
                    yield self._equal_noted(outer, found)
                elif not isinstance(found, Document):
                    yield found
                elif found.name == outer.name:
                    if found.read_as.startswith(RAW):
                        self.read_as.add(ReadAs(raw={found.read_as.removeprefix(f"{RAW}: "): 1}))
                    yield reading.refuse(found.name, found.size) or found
                elif depth > reading.limits.depth:
                    yield Skipped(found.name, f"is a file inside {depth} others, which is too deep", LIMIT)
                else:
                    yield from self._member(found, reading, depth)
        except LimitReachedError as error:
            if depth > 1:
                raise
            yield Skipped(outer.name, f"{error}; the rest of it was not read", LIMIT)

    def _member(
        self, found: Document, reading: Reading, depth: int
    ) -> Iterator[Document | Documents | Skipped]:
        inner = self._detector.source(found)
        if inner is not None:
            yield from self._opened(found, inner, reading, depth + 1)
        elif included(reading.walking, found.file[len(reading.top) + 1 :]):
            yield reading.refuse(found.name, found.size) or found

    def _equal_noted(self, document: Document, skipped: Skipped) -> Skipped:
        """Say of a document that cannot be read whether another one is the same file."""
        if document.size > self.reading.limits.member_bytes:
            return skipped
        loaded = load(document)
        if isinstance(loaded, Skipped) or not loaded.size:
            return skipped
        first = self._unread.setdefault(loaded.checksum, document.name)
        if first == document.name:
            return skipped
        return replace(skipped, reason=f"{skipped.reason}; it is equal to {first} byte for byte")

    def _inside(
        self, outer: Document, source: Source, reading: Reading, depth: int
    ) -> Iterator[Document | Documents | Skipped]:
        """Give what is in a container; one that gives nothing, by another name, is a document, too."""
        nothing = not may_hold_others(outer.file) and source.traits.raw
        lost = False
        try:
            for found in source.open(outer, reading):
                lost = lost or isinstance(found, Skipped)
                nothing = nothing and isinstance(found, Skipped)
                if isinstance(found, Document):
                    yield from self._member(found, reading, depth)
                else:
                    yield found
        except LimitReachedError as error:
            if depth > 1:
                raise
            yield Skipped(outer.name, f"{error}; the rest of it was not read", LIMIT)
            return
        if nothing and lost:
            yield replace(outer, read_as=UNOPENED)

    def _records(
        self, outer: Document, source: Source, reading: Reading, named: bool
    ) -> Iterator[Document | Documents | Skipped]:
        short = named and not self._qualified
        try:
            for found in source.open(outer, reading):
                if isinstance(found, Document | Skipped):
                    yield found
                    continue
                if not named:
                    self.read_as.add(ReadAs({outer.name: len(found)}))
                left_out, fitting = found.fitting(reading)
                yield from left_out
                yield replace(fitting, outer="") if short else fitting
        except InputError as error:
            if named:
                raise
            yield Skipped(outer.name, error.message.removeprefix(outer.name).lstrip(": "), DAMAGED)

    def _rows(self, batch: Documents) -> Iterator[Document]:
        for document in batch:
            name = batch.qualified(document.name) if batch.outer else document.name
            yield self._kept(replace(document, name=self._unique(name)))

    def _kept(self, document: Document) -> Document:
        if self._spool is None or not isinstance(document.content, Memory):
            return document
        return replace(document, content=self._spool.keep(document.content.data), fields=None)

    def _unique(self, name: str) -> str:
        number = self._taken[name] = self._taken.get(name, 0) + 1
        return name if number == 1 else self._unique(f"{name}~{number}")


def _looked_at(walker: Walker, some: list[Found | Unseen]) -> Iterator[tuple[Found, bytes | None]]:
    """Look at files that nobody has looked at, together; give their first bytes, too."""
    paths = [os.fsencode(each.path) for each in some if isinstance(each, Unseen)]
    looks = iter(kernels.files.look_at(paths, [False] * len(paths), HEAD))
    for each in some:
        if not isinstance(each, Unseen):
            yield each, None
            continue
        look = next(looks)
        found = walker.seen(each, look)
        if found is not None:
            yield found, None if look is None else look[4]


def documents_in(name: str, data: bytes, seconds: float | None = None) -> Iterator[Document | Skipped]:
    """Give the documents in bytes that were sent under a name: a text, a file of a format, a container.

    One that takes more than `seconds` to read is left out.
    """
    inputs = Inputs(Reading(records="no", max_seconds=seconds))
    document = Document(name, Memory(data), Hint(name))
    return inputs.members(File(document, inputs.source_of(document), True))


def members(
    source: str | bytes, limits: ArchiveLimits | None = None, *, name: str = ""
) -> Iterator[Document | Skipped]:
    """Give the documents in a container, a path or its bytes, in their order, and what was left out."""
    reading = Reading(limits=limits or ArchiveLimits(), records="no")
    inputs = Inputs(reading)
    if isinstance(source, str):
        yield from inputs.documents([source])
        return
    document = Document(name or "the archive", Memory(source), Hint(name or "archive.zip"))
    opener = inputs.source_of(document)
    if opener is None:
        yield Skipped(document.name, "is not a zip or tar archive", DAMAGED)
    else:
        yield from inputs.members(File(document, opener, True))
