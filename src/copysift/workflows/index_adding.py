"""Put files and documents into an index: only what changed is read, in threads, and filed in order."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from copysift.errors import InputError
from copysift.model.values import MAX_BYTES, Document, Fingerprints, Skipped
from copysift.runtime.encoding import to_utf8
from copysift.runtime.progress import Progress, Silent
from copysift.runtime.threads import Failed, ordered_map
from copysift.settings.comparison import Settings
from copysift.sources.files import DIGEST
from copysift.sources.metadata import Metadata, read_metadata
from copysift.sources.walk import Entry, Linked, walk
from copysift.store import writer as store
from copysift.store.units import UnitRow
from copysift.workflows.programs import MAYBE
from copysift.workflows.reading import Reader
from copysift.workflows.scan import IN_FLIGHT, skipped
from copysift.workflows.stored_settings import Places, entry_of, undecided
from copysift.workflows.stored_texts import Stored
from copysift.workflows.submission_intake import Intake, Taken
from copysift.workflows.submissions import submission_roster, walk_settings

RACY = 2_000_000_000  # nanoseconds: a file this young may change again without a change of its time


@dataclass(slots=True)
class Added:
    """What an add or update did, in documents."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    programs: str = ""  # how they were read, where one may ask: code or text

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
class _Read:
    """A document as it was read; `found` is None where another document of the same bytes brings it."""

    entry: store.Entry
    found: Fingerprints | None
    text: Callable[[], Iterable[bytes]] | None
    again: Callable[[], Fingerprints]


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
        self._stored = Stored(Path(settings.tmp_dir) if settings.tmp_dir else None)
        self._units: dict[str, int] = {}  # of files, by name: the submissions that they belong to
        self.done = Added()

    def files(self, paths: Iterable[str | os.PathLike[str]]) -> set[str]:
        """Add the files at or below the paths; give the names of all that were met."""
        met: set[str] = set()
        self._shown.phase("listing", None)
        if self._settings.by == "dir":
            wanted = list(self._submitted(list(paths), met))
        else:
            wanted = list(self._wanted(walk(paths, walk_settings(self._settings)), met))
        self._decide([entry for entry, _ in wanted])
        self._shown.phase("reading", len(wanted))
        done = ordered_map(
            self._read_file, wanted, jobs=self._jobs, weigh=lambda item: item[0].size, budget=IN_FLIGHT
        )
        for made in done:
            self._shown.advance()
            if isinstance(made, Failed):
                self.done.skipped.append(skipped(made.item[0].path, made.error))
            elif isinstance(made, Skipped):
                self.done.skipped.append(made)
            else:
                self._put(made)
        return met

    def _decide(self, entries: list[Entry]) -> None:
        """Let the first files say how programs are read, by the rule of `scan`; others only get a remark."""
        stored = self._writer.catalog.about("settings")
        if not entries or not (undecided(stored) or stored.get("programs") is False):
            return
        if undecided(stored):
            self._reader.programs = self._reader.class_like(entries)
            self._writer.decide({**stored, "programs": self._reader.programs})
        if self._reader.class_like(entries, MAYBE):
            self.done.programs = "code" if self._reader.programs else "text"

    def documents(self, documents: Sequence[Document]) -> None:
        """Add documents that do not come from files of their own."""
        self._decide([entry_of(each.name, each.bytes) for each in documents])
        self._shown.phase("reading", None)
        for made in ordered_map(
            self._read_document, documents, jobs=self._jobs, weigh=lambda each: each.bytes, budget=IN_FLIGHT
        ):
            self._shown.advance()
            if isinstance(made, Failed):
                self.done.skipped.append(skipped(made.item.name, made.error))
            else:
                self._put(made)

    def _submitted(
        self, paths: list[str | os.PathLike[str]], met: set[str]
    ) -> Iterator[tuple[Entry, _Known | None]]:
        """Give the files of submissions that must be read, and file what is known of the submissions."""
        intake = Intake(walk_settings(self._settings), self._stored, True, self._settings.kind != "bytes")
        metadata = read_metadata(self._settings.metadata) if self._settings.metadata else Metadata()
        taken = intake.take(paths)
        self.done.skipped += [*metadata.skipped, *taken.skipped]
        known = submission_roster(taken, Taken(), metadata, self._settings.metadata)
        self.done.skipped += known.unknown
        numbers = {}
        for each, author, team in zip(known.submissions, known.authors, known.teams, strict=True):
            row = UnitRow(
                self._places.stored(each.name), each.label, each.author, each.team, each.when, each.attempt,
                author, team,
            )  # fmt: skip
            numbers[each.name] = self._writer.put_unit(row)
        for entry, group in taken.files:
            self._units[self._places.stored(entry.path)] = numbers[group]
        yield from self._wanted((entry for entry, _ in taken.files), met)

    def _wanted(
        self, every: Iterable[Entry | Linked | Skipped], met: set[str]
    ) -> Iterator[tuple[Entry, _Known | None]]:
        """Give the files that must be read: those that are new, or whose size or time has changed."""
        for found in every:
            if isinstance(found, Skipped):
                self.done.skipped.append(found)
            if not isinstance(found, Entry):
                continue
            if os.path.abspath(found.path).startswith(self._places.index):  # the index itself
                continue
            name = self._places.stored(found.path)
            if name in met:
                continue
            met.add(name)
            old = self._writer.find(name)
            known = None if old is None else _Known(old[0], old[1], old[2], old[4])
            if known and known.mtime and (known.size, known.mtime) == (found.size, found.mtime_ns):
                self.done.unchanged += 1
                if name in self._units:
                    self._writer.assign(name, self._units[name])
            else:
                yield found, known

    def _read_file(self, item: tuple[Entry, _Known | None]) -> _Read | Skipped:
        entry, known = item
        loaded = self._stored.load(entry)
        if isinstance(loaded, Skipped):
            return loaded
        kind, chunks = self._reader.opened(loaded)
        settled = loaded.mtime_ns < time.time_ns() - RACY
        name = self._places.stored(entry.path)
        file = os.path.lexists(entry.path)  # or a member of an archive
        filed = store.Entry(
            name, loaded.checksum, kind, loaded.size, file, loaded.mtime_ns if settled and file else 0,
            self._units.get(name, 0),
        )  # fmt: skip
        same = known is not None and (known.size, known.checksum, known.kind) == (
            loaded.size,
            loaded.checksum,
            kind,
        )
        found = None
        if not same and self._claim(filed):
            found = self._reader.fingerprints(kind, chunks)
        again = lambda: self._reader.fingerprints(kind, self._reader.chunks(loaded, kind))  # noqa: E731
        text = (lambda: self._reader.chunks(loaded, kind)) if self._keep_text else None
        return _Read(filed, found, text, again)

    def _read_document(self, document: Document) -> _Read:
        data = b"".join(document.open())
        if len(data) > MAX_BYTES:
            raise InputError(f"{document.name}: is too large")
        kind = document.kind
        source = data if kind == "bytes" else to_utf8(data)[0]
        if not kind or kind == "auto":
            kind = self._reader.kind_of(source, document.name)
        checksum = hashlib.blake2b(data, digest_size=DIGEST).digest()
        filed = store.Entry(document.name, checksum, kind, len(data))
        found = self._reader.fingerprints(kind, [source]) if self._claim(filed) else None
        again = lambda: self._reader.fingerprints(kind, [source])  # noqa: E731
        return _Read(filed, found, (lambda: [source]) if self._keep_text else None, again)

    def _claim(self, entry: store.Entry) -> bool:
        """Be the one who fingerprints a content; of equal documents, only one thread does."""
        key = (entry.bytes, entry.checksum, entry.kind)
        return self._claimed.setdefault(key, entry.name) is entry.name

    def _put(self, made: _Read) -> None:
        found = made.again if made.found is None else made.found
        done = self._writer.put(made.entry, found, made.text)
        setattr(self.done, done, getattr(self.done, done) + 1)
