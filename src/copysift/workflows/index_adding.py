"""Put files and documents into an index: only what changed is read, in threads, and filed in order."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from copysift.errors import InputError
from copysift.model.document import Document
from copysift.model.values import CUT, DAMAGED, LIMIT, Skipped
from copysift.runtime.encoding import to_utf8
from copysift.runtime.progress import Progress, Silent
from copysift.runtime.threads import Failed, ordered_map
from copysift.settings.comparison import Settings
from copysift.sources.file_content import FileContent
from copysift.sources.files import DIGEST, load
from copysift.sources.inputs import File, Inputs
from copysift.sources.source import ITSELF
from copysift.sources.spool import Spool
from copysift.store import writer as store
from copysift.store.entries import LARGEST, TOO_LARGE
from copysift.workflows.outer_files import Outers
from copysift.workflows.reading import Reader
from copysift.workflows.scan import IN_FLIGHT, skipped
from copysift.workflows.stored_settings import Places
from copysift.workflows.submissions import reading_of

RACY = 2_000_000_000  # nanoseconds: a file this young may change again without a change of its time


@dataclass(slots=True)
class Added:
    """What an add or update did, in documents."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    notes: tuple[str, ...] = ()  # what could have been read in another way

    @property
    def found(self) -> int:
        """Documents that are in the index now because of it."""
        return self.added + self.changed + self.unchanged


@dataclass(frozen=True, slots=True)
class _Known:
    """What the index has of a file: to be compared with the file."""

    size: int
    mtime: int
    checksum: bytes
    kind: str


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A document that must be read: its name in the index, what that has of it, and the time of its file."""

    document: Document
    name: str
    known: _Known | None
    mtime_ns: int = 0  # of the container or file of records; 0: it is a file itself


@dataclass(frozen=True, slots=True)
class _Read:
    """A document as it was read; `found` is None where another document of the same bytes brings it."""

    entry: store.Entry
    found: store.Views | None
    text: Callable[[], Iterable[bytes]] | None
    again: Callable[[], store.Views]


class Adding:
    """Reads documents and gives them to the writer."""

    def __init__(
        self, writer: store.Writer, reader: Reader, places: Places, settings: Settings, keep_text: bool,
        progress: Progress | None = None,
    ) -> None:  # fmt: skip
        self._writer, self._reader, self._places, self._settings = writer, reader, places, settings
        self._keep_text = keep_text
        self._jobs = settings.jobs or os.cpu_count() or 1
        self._claimed: dict[tuple[int, bytes, str], str] = {}
        self._shown = progress or Silent()
        self._outers = Outers(writer)
        self.done = Added()

    def files(self, paths: Iterable[str | os.PathLike[str]]) -> set[str]:
        """Add the documents at or below the paths; give the names of all that were met."""
        met: set[str] = set()
        self._shown.phase("listing", None)
        inputs = Inputs(reading_of(self._settings), Spool(), qualified=True)
        wanted = list(self._wanted(inputs, paths, met))
        self.done.notes = inputs.notes
        self._shown.phase("reading", len(wanted))
        done = ordered_map(
            self._read_file, wanted, jobs=self._jobs, weigh=lambda item: item.document.size, budget=IN_FLIGHT
        )
        for made in done:
            self._shown.advance()
            if isinstance(made, Failed):
                self.done.skipped.append(skipped(made.item.document.name, made.error))
            elif isinstance(made, Skipped):
                self.done.skipped.append(made)
            else:
                self._put(made)
        self._outers.save()
        return met

    def outer_of(self, name: str) -> str:
        """Give the container or file of records that a document is in; "" for a file."""
        return self._outers.of(name)

    def documents(self, documents: Sequence[Document]) -> None:
        """Add documents that do not come from files of their own."""
        self._shown.phase("reading", None)
        for made in ordered_map(
            self._read_document, documents, jobs=self._jobs, weigh=lambda each: each.size, budget=IN_FLIGHT
        ):
            self._shown.advance()
            if isinstance(made, Failed):
                self.done.skipped.append(skipped(made.item.name, made.error))
            else:
                self._put(made)

    def _wanted(
        self, inputs: Inputs, paths: Iterable[str | os.PathLike[str]], met: set[str]
    ) -> Iterator[_Wanted]:
        """Give what must be read: files that are new or have changed, and what is in them."""
        for found in inputs.files(paths):
            if isinstance(found, Skipped):
                self.done.skipped.append(found)
            if not isinstance(found, File):
                continue
            path = found.document.name
            if os.path.abspath(path).startswith(self._places.index):  # the index itself
                continue
            name = self._places.stored(path)
            if name in met:
                continue
            met.add(name)
            if found.source is not None and found.source.traits.gives != ITSELF:
                yield from self._inside(inputs, found, name, met)
                continue
            self._forget(name, met)
            known, content = self._known(name), found.document.content
            assert isinstance(content, FileContent)  # that is what a walk finds
            if known and known.mtime and (known.size, known.mtime) == (content.size, content.mtime_ns):
                self.done.unchanged += 1
            else:
                yield _Wanted(found.document, name, known)

    def _inside(self, inputs: Inputs, file: File, outer: str, met: set[str]) -> Iterator[_Wanted]:
        """Give the documents in a container or file of records, unless it is as it was."""
        assert file.source is not None
        stamp = file.source.stamp(file.document)
        if stamp is not None and self._outers.unchanged(outer, stamp):
            names = self._outers.members(outer)
            met |= names
            self.done.unchanged += len(names)
            return
        lost, count = False, 0
        mtime_ns = _settled(0 if stamp is None else stamp.mtime_ns)
        top = len(file.document.name)
        for each in inputs.members(file):
            if isinstance(each, Skipped):
                self.done.skipped.append(each)
                lost = lost or each.code in (CUT, DAMAGED, LIMIT)
                continue
            name = outer + each.name[top:]
            count += name not in met
            met.add(name)
            yield _Wanted(each, name, self._known(name), mtime_ns)
        if not lost:  # else what is not there may be in the part that cannot be read
            self._forget(outer, met)
        self.done.removed += self._writer.remove(outer)  # it was one document before
        if stamp is not None and mtime_ns and not lost:
            self._outers.note(outer, stamp, count)

    def _forget(self, outer: str, met: set[str]) -> None:
        """Remove the documents that are no longer in a container or file of records."""
        for name in self._outers.members(outer) - met:
            self.done.removed += self._writer.remove(name)
        self._outers.drop(outer)

    def _known(self, name: str) -> _Known | None:
        old = self._writer.find(name)
        return None if old is None else _Known(old[0], old[1], old[2], old[4])

    def _read_file(self, item: _Wanted) -> _Read | Skipped:
        known = item.known
        if item.document.content.size > LARGEST:
            return Skipped(item.document.name, TOO_LARGE)
        loaded = load(item.document)
        if isinstance(loaded, Skipped):
            return loaded
        kind, _ = self._reader.opened(loaded)
        mtime_ns = item.mtime_ns or _settled(loaded.mtime_ns)
        filed = store.Entry(item.name, loaded.checksum, kind, loaded.size, True, mtime_ns)
        again = partial(self._reader.views, kind, partial(self._reader.chunks, loaded, kind))
        same = known is not None and (known.size, known.checksum, known.kind) == (
            loaded.size,
            loaded.checksum,
            kind,
        )
        found = None
        if not same and self._claim(filed):
            found = again()
        text = (lambda: self._reader.chunks(loaded, kind)) if self._keep_text else None
        return _Read(filed, found, text, again)

    def _read_document(self, document: Document) -> _Read:
        data = b"".join(document.content.chunks())
        if len(data) > LARGEST:
            raise InputError(f"{document.name}: {TOO_LARGE}")
        kind = document.hint.kind
        source = data if kind == "bytes" else to_utf8(data)[0]
        if not kind or kind == "auto":
            kind = self._reader.kind_of(source, document.file)
        checksum = hashlib.blake2b(data, digest_size=DIGEST).digest()
        filed = store.Entry(document.name, checksum, kind, len(data))
        again = partial(self._reader.views, kind, lambda: [source])
        found = again() if self._claim(filed) else None
        return _Read(filed, found, (lambda: [source]) if self._keep_text else None, again)

    def _claim(self, entry: store.Entry) -> bool:
        """Be the one who fingerprints a content; of equal documents, only one thread does."""
        key = (entry.bytes, entry.checksum, entry.kind)
        return self._claimed.setdefault(key, entry.name) is entry.name

    def _put(self, made: _Read) -> None:
        found = made.again if made.found is None else made.found
        done = self._writer.put(made.entry, found, made.text)
        setattr(self.done, done, getattr(self.done, done) + 1)


def _settled(mtime_ns: int) -> int:
    """Give the time of a file, or 0 for one so young that it may change again without a change of it."""
    return mtime_ns if mtime_ns < time.time_ns() - RACY else 0
