"""Put files and documents into an index: only what changed is read, in threads, and filed in order."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from copysift.model.document import INSIDE, Document
from copysift.model.values import CUT, DAMAGED, LIMIT, Skipped
from copysift.runtime.lazy_dataclass import dataclass
from copysift.runtime.progress import NullProgress, Progress
from copysift.runtime.threads import Failed, ordered_batches, ordered_map
from copysift.settings.comparison import Settings
from copysift.sources.file_content import FileContent
from copysift.sources.inputs import File, Inputs
from copysift.sources.metadata import Metadata, read_metadata
from copysift.sources.places import is_uri, status_of
from copysift.sources.source import ITSELF, Reading, Stamp
from copysift.sources.spool import Spool
from copysift.sources.submission_files import authors_in, leave_out, submission_roster
from copysift.sources.submission_intake import Intake, Taken
from copysift.store import writer as store
from copysift.store.losses import distrust
from copysift.store.units import UnitRow, has_units, unit_below
from copysift.workflows.batches import IN_FLIGHT, skipped
from copysift.workflows.document_reader import (
    DocumentReader,
    KnownFile,
    ReadDocument,
    WantedDocument,
    settled,
)
from copysift.workflows.index_lexers import contents_in, note, outdated, remember
from copysift.workflows.indexed_documents import IndexedDocument, wanted_documents
from copysift.workflows.outer_files import Outers
from copysift.workflows.reading import Reader
from copysift.workflows.stored_settings import Places, outer_file
from copysift.workflows.submissions import base_code, reading_of

UNREAD = (CUT, DAMAGED, LIMIT)  # notes on a container that was not read to its end


@dataclass(slots=True)
class Addition:
    """What an add or update did, in documents."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    moved: list[tuple[str, str]] = field(default_factory=list)  # old and new names; neither added nor removed
    skipped: list[Skipped] = field(default_factory=list)
    notes: tuple[str, ...] = ()  # what could have been read in another way

    @property
    def found(self) -> int:
        """Documents that are in the index now because of it."""
        return self.added + self.changed + self.unchanged + len(self.moved)


class Adder:
    """Reads documents and gives them to the writer."""

    def __init__(
        self, writer: store.Writer, reader: Reader, places: Places, settings: Settings, keep_text: bool,
        progress: Progress | None = None,
    ) -> None:  # fmt: skip
        self._writer, self._reader, self._places, self._settings = writer, reader, places, settings
        self._jobs = settings.jobs or os.cpu_count() or 1
        self._documents = DocumentReader(reader, keep_text)
        self._shown = progress or NullProgress()
        self._spool = Spool(Path(settings.tmp_dir) if settings.tmp_dir else None)
        self._outers = Outers(writer)
        self._units: dict[str, UnitRow] = {}  # of documents, by name: the submissions that they belong to
        self._unit_numbers: dict[str, int] = {}
        self._unit_of_outer: dict[str, int] = {}  # 0: none
        self._old = contents_in(writer.catalog, outdated(writer.catalog, reader.languages))
        self.done = Addition()

    def read_again(self, contents: Mapping[str, int]) -> None:
        """Let the files be read again that another lexer read, where they still are; contents by name."""
        for name, content in contents.items() if self._old else ():
            outer = self.outer_of(name)
            if content in self._old and os.path.lexists(self._places.located(outer or name)):
                distrust(self._writer, content)
                if outer:
                    self._outers.drop(outer)

    def note_lexers(self) -> None:
        """Note in the index by which lexers its programs were read."""
        if remember(self._writer.catalog, self._reader.languages, self._old):
            self._writer.changed = True
        self.done.notes += note(self._writer.catalog, self._reader.languages)

    def base_code(self) -> None:
        """File the base code of the settings: the index ignores it from now on."""
        if self._settings.base:
            base, unread = base_code(self._settings, self._spool, self._reader, self._jobs)
            self.done.skipped += unread
            self._writer.add_base((base.hashes, *base.lexemes))

    def files(self, paths: Iterable[str | os.PathLike[str]]) -> set[str]:
        """Add the documents at or below the paths; give the names of all that were met."""
        met: set[str] = set()
        self._shown.phase("listing", None)
        reading = self._reading()
        files, indexes = self._places.parted(paths, reading)
        indexed = list(self._indexed(indexes, reading, met))
        if self._settings.by == "dir":
            wanted = [*self._submitted(files, met, indexed), *(each for each, _ in indexed)]
        else:
            inputs = Inputs(reading, self._spool, qualified=True)
            wanted = [*self._wanted(inputs, files, met), *(each for each, _ in indexed)]
            self.done.notes = inputs.notes
        self._shown.phase("reading", len(wanted))
        done = ordered_batches(
            self._documents.files,
            wanted,
            jobs=self._jobs,
            weigh=lambda item: item.document.size,
            budget=IN_FLIGHT,
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
        known = self._outers.of(name)
        outer = "" if known else outer_file(self._places.located(name))  # one too young to be noted
        return self._places.stored(outer) if outer else known

    def documents(self, documents: Sequence[Document]) -> None:
        """Add documents that do not come from files of their own."""
        self._shown.phase("reading", None)
        self._units |= {each.name: UnitRow(each.unit) for each in documents if each.unit}
        for made in ordered_map(
            self._documents.document,
            documents,
            jobs=self._jobs,
            weigh=lambda each: each.size,
            budget=IN_FLIGHT,
        ):
            self._shown.advance()
            if isinstance(made, Failed):
                self.done.skipped.append(skipped(made.item.name, made.error))
            else:
                self._put(made)

    def _reading(self) -> Reading:
        """Give how files are read; an index is none of them, its documents have names of their own."""
        reading = reading_of(self._settings)
        return replace(reading, walking=replace(reading.walking, indexes=False))

    def _indexed(
        self, indexes: Iterable[str], reading: Reading, met: set[str]
    ) -> Iterator[tuple[WantedDocument, IndexedDocument]]:
        """Give the documents of other indexes: a file under its own name, a kept text as a document."""
        for found in (each for index in indexes for each in wanted_documents(index, reading)):
            if isinstance(found, Skipped):
                self.done.skipped.append(found)
                continue
            name = self._places.stored(found.place) if found.place else found.row.name
            if found.kept and self._writer.has_file(name):
                reason = "the index has this file, and the other one keeps another text of it"
                self.done.skipped.append(Skipped(found.document.name, reason))
            elif name not in met:
                met.add(name)
                known = self._known(name)
                yield WantedDocument(found.document, name, known, found.row.mtime, not found.kept), found

    def _submitted(
        self,
        paths: list[str],
        met: set[str],
        indexed: Sequence[tuple[WantedDocument, IndexedDocument]],
    ) -> Iterator[WantedDocument]:
        """Give the documents of submissions that must be read, and note which submissions these are."""
        intake = Intake(self._reading(), self._spool, True, qualified=True)
        metadata = read_metadata(self._settings.metadata) if self._settings.metadata else Metadata()
        taken = intake.take(paths)
        listed = authors_in([entry for entry, _ in taken.files] + [found.document for _, found in indexed])
        left_out = "" if self._settings.include else leave_out(taken)
        files = list(taken.files)
        for _, found in indexed:
            taken.files.append((found.document, found.document.unit))
            taken.groups.setdefault(found.document.unit)
        known = submission_roster(taken, Taken(), metadata, self._settings.metadata, listed)
        self.done.skipped += [*metadata.skipped, *taken.skipped, *known.unknown]
        self.done.notes = (*intake.notes, *filter(None, [left_out]))
        rows = {
            each.name: UnitRow(
                self._places.stored(each.name), each.label, each.author, each.team, each.when, each.attempt,
                author, team,
            )
            for each, author, team in zip(known.submissions, known.authors, known.teams, strict=True)
        }  # fmt: skip
        for wanted, found in indexed:  # the other index knows what nothing says here
            ours = rows[found.document.unit]
            self._units[wanted.name] = UnitRow(
                *(mine or old for mine, old in zip(ours, found.unit, strict=True))
            )
        counts: dict[str, int] = {}  # documents in containers
        for document, group in files:
            name = self._places.stored(document.name)
            if name in met or os.path.abspath(document.name).startswith(self._places.index):
                continue
            met.add(name)
            self._units[name] = rows[group]
            outer = outer_file(document.name)
            if not outer:
                yield from self._changed(document, name, met)
                continue
            counts[outer] = counts.get(outer, 0) + 1
            stamp = _stamp(outer)
            if self._outers.unchanged(self._places.stored(outer), stamp):
                self._keep(name)
            else:
                yield WantedDocument(document, name, self._known(name), settled(stamp.mtime_ns))
        for outer, count in counts.items():
            whole = not any(each.code in UNREAD and each.name.startswith(outer) for each in taken.skipped)
            self._close(self._places.stored(outer), _stamp(outer), count, whole, met)

    def _changed(self, document: Document, name: str, met: set[str]) -> Iterator[WantedDocument]:
        """Give a file, unless it is as it was."""
        self._forget(name, met)
        known, content = self._known(name), document.content
        at = (content.size, content.mtime_ns) if isinstance(content, FileContent) else None
        if known and known.mtime and (known.size, known.mtime) == at:
            self._keep(name)
        else:
            yield WantedDocument(document, name, known)

    def _keep(self, name: str) -> None:
        """Count a document that is as it was; it may have come into a submission."""
        self.done.unchanged += 1
        if name in self._units:
            self._writer.assign(name, self._unit(name))

    def _unit(self, name: str) -> int:
        """Give the number of the submission that a document belongs to."""
        row = self._units[name]
        if row.name not in self._unit_numbers:
            self._unit_numbers[row.name] = self._writer.put_unit(row)
        return self._unit_numbers[row.name]

    def _wanted(
        self, inputs: Inputs, paths: Iterable[str | os.PathLike[str]], met: set[str]
    ) -> Iterator[WantedDocument]:
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
            if found.source is not None:
                yield from self._inside(inputs, found, name, met)
                continue
            yield from self._changed(found.document, name, met)

    def _inside(self, inputs: Inputs, file: File, outer: str, met: set[str]) -> Iterator[WantedDocument]:
        """Give the documents in a container or file of records, unless it is as it was."""
        assert file.source is not None
        stamp = file.source.stamp(file.document)
        itself = file.source.traits.gives == ITSELF  # it is a document, and may have others attached
        here = not itself or self._known(outer) is not None
        if here and stamp is not None and self._outers.unchanged(outer, stamp):
            names = self._outers.members(outer) | ({outer} if itself else set())
            met |= names
            self.done.unchanged += len(names)
            return
        lost, count = False, 0
        mtime_ns = settled(0 if stamp is None else stamp.mtime_ns)
        top = len(file.document.name)
        for each in inputs.members(file):
            if isinstance(each, Skipped):
                self.done.skipped.append(each)
                lost = lost or each.code in UNREAD
                continue
            name = outer + each.name[top:]
            count += name not in met
            met.add(name)
            yield WantedDocument(each, name, self._known(name), mtime_ns)
        self._close(outer, stamp, count, not lost, met, itself)

    def _close(
        self, outer: str, stamp: Stamp | None, count: int, whole: bool, met: set[str], itself: bool = False
    ) -> None:
        """Note a container or file of records that was listed; `whole`: to its end."""
        if whole:  # else what is not there may be in the part that cannot be read
            self._forget(outer, met)
        if not itself:
            self.done.removed += self._writer.remove(outer)  # it was one document before
        if stamp is not None and settled(stamp.mtime_ns) and whole:
            self._outers.note(outer, stamp, count)

    def _forget(self, outer: str, met: set[str]) -> None:
        """Remove the documents that are no longer in a container or file of records."""
        for name in self._outers.members(outer) - met:
            self.done.removed += self._writer.remove(name)
        self._outers.drop(outer)

    def _known(self, name: str) -> KnownFile | None:
        old = self._writer.find(name)
        return None if old is None else KnownFile(old[0], old[1], old[2], old[4])

    def _put(self, made: ReadDocument) -> None:
        found, entry = made.again if made.found is None else made.found, made.entry
        if entry.name in self._units:
            entry = replace(entry, unit=self._unit(entry.name))
        done = self._writer.put(entry, found, made.text)
        if done == "added" and entry.unit is None:
            self._join_siblings(entry.name)
        setattr(self.done, done, getattr(self.done, done) + 1)

    def _join_siblings(self, name: str) -> None:
        """Put a new member of an archive into the submission that the others of it are in."""
        outer = self.outer_of(name) if has_units(self._writer.catalog) else ""
        if outer and outer not in self._unit_of_outer:
            self._unit_of_outer[outer] = unit_below(self._writer.catalog, outer + INSIDE)
        if outer and self._unit_of_outer[outer]:
            self._writer.assign(name, self._unit_of_outer[outer])


def _stamp(path: str) -> Stamp:
    found = status_of(path) if is_uri(path) else os.stat(path)
    return Stamp(found.st_size, found.st_mtime_ns)
