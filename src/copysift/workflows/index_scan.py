"""All against all from an index, or new files against it and each other: a scan fed from postings.

An index of single documents is compared document by document, and equal ones collapse. With submissions
in the index or among the new files, with base code or metadata, units are compared: those of the index
are its submissions, and its documents that belong to none.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from copysift.errors import InputError, UsageError
from copysift.join.memory import Join
from copysift.kinds import webpage
from copysift.kinds.kind import CODE, channel_of
from copysift.kinds.lexemes import together
from copysift.match.base_code import Base
from copysift.match.counts import Counts
from copysift.model.document import Document
from copysift.model.values import Skipped, Submission
from copysift.runtime.progress import Progress
from copysift.settings.comparison import Settings
from copysift.sources.file_types import written_type
from copysift.store.catalog_rows import ViewRow
from copysift.store.entries import WHOLE
from copysift.store.segment import hashes_of
from copysift.store.snapshot import Snapshot
from copysift.store.units import UnitRow
from copysift.workflows.channel import StoredView
from copysift.workflows.channels import Channels
from copysift.workflows.collection import FiledDocument, ScannedFile
from copysift.workflows.index_base import stored_base
from copysift.workflows.index_lexers import note as read_otherwise
from copysift.workflows.scan import Scan
from copysift.workflows.stored_settings import Places, StoredReader, entry_of, reconciled, require_seed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.model.values import UInt64s
    from copysift.store.catalog_rows import ContentRow, DocumentRow

    Int64s = NDArray[np.int64]


class _Member(NamedTuple):
    """A file of a submission: its group, and the numbers of its postings, those of its content first."""

    filed: FiledDocument
    group: int
    stored: list[int]


class _Owners:
    """Who has the postings of one list: numbers of contents or views, and their groups."""

    def __init__(self, join: Join, owners: list[tuple[int, int]], size: int) -> None:
        pairs = np.unique(np.array(owners, np.int64).reshape(-1, 2), axis=0)
        self._join, self._groups = join, pairs[:, 1].astype(np.uint32)
        self._counts = np.bincount(pairs[:, 0], minlength=size)
        self._offsets = np.cumsum(self._counts) - self._counts

    def add(self, hashes: UInt64s, numbers: Int64s) -> None:
        """Give hashes of contents or views to all groups that have these."""
        times = self._counts[numbers]
        begins = np.cumsum(times) - times - self._offsets[numbers]
        at = np.arange(int(times.sum())) - np.repeat(begins, times)
        self._join.add_entries(np.repeat(hashes, times), self._groups[at])


class IndexScan(Scan):
    """A scan of the documents of an index, and of files; `apart`: the index is not compared with itself."""

    def __init__(self, settings: Settings, snapshot: Snapshot, places: Places, *, apart: bool) -> None:
        if settings.measure == "sif":
            raise UsageError(
                "--measure sif counts occurrences, and an index is joined by distinct fingerprints",
                hint="use query --measure sif, or scan the files",
            )
        by = (snapshot.catalog.about("reading") or {}).get("by")
        if settings.by == "dir" and not apart and not snapshot.units() and by != "dir":
            raise UsageError(
                f"{snapshot.folder} has single files and no submissions",
                hint="leave --by dir out, or make the index with copysift index add --by dir",
            )
        if settings.metadata and not apart:
            raise UsageError(
                "--metadata is about the files that are read, and an index alone has none",
                hint="use it when you add the submissions: copysift index add --by dir --metadata FILE",
            )
        super().__init__(settings)
        self._reader: StoredReader = StoredReader(settings, snapshot, places)
        self._snapshot, self._places, self._apart = snapshot, places, apart
        self._base = stored_base(snapshot)
        self._grouped = bool(apart or snapshot.units() or self._base)  # as with earlier files
        self._files = 0
        self._unread = 0  # programs that are gone or have changed

    def _gather(
        self, paths: Iterable[str | os.PathLike[str]], shown: Progress, documents: Iterable[Document]
    ) -> list[Document]:
        """Ignore the base code that the index knows, too."""
        entries = super()._gather(paths, shown, documents)
        if self._gathered is not None and self._base:
            given, known = self._gathered.base, self._base
            self._gathered.base = Base([given.hashes, known.hashes], together([given.lexemes, known.lexemes]))
        return entries

    def _compared(self, entries: list[Document]) -> list[Document]:
        return entries + [entry_of(row.name) for row in self._snapshot.documents()]

    def _read(self, entries: list[Document], channels: Channels, shown: Progress) -> None:
        documents = list(self._documents({self._places.stored(entry.path) for entry in entries}))
        if self._gathered is not None:
            self._enrol(documents)
        super()._read(entries, channels, shown)
        self._files = len(self._collection.filed)
        lists, members = self._file_documents(documents, channels)
        shown.phase("reading", None)
        self._join_postings(lists, members)
        for damage in self._snapshot.damages:
            self._collection.skip(Skipped(damage.where, damage.what))

    def _documents(self, scanned: set[str]) -> Iterable[tuple[str, DocumentRow, ContentRow]]:
        """Give the documents of the index by the names to show.

        A document that was also scanned is taken as it is now, and not as the index knows it.
        """
        contents = {row.number: row for row in self._snapshot.catalog.all_contents()}
        for row in self._snapshot.documents():
            content = contents.get(row.content)
            if content is not None and not (row.file and row.name in scanned):
                yield self._places.shown(row), row, content

    def _enrol(self, documents: list[tuple[str, DocumentRow, ContentRow]]) -> None:
        """Put the submissions of the index, and its documents that belong to none, among the new ones."""
        assert self._gathered is not None
        units, members = self._snapshot.units(), self._snapshot.members()
        rows: dict[str, UnitRow] = {}
        group_of = {}
        for name, row, _ in documents:
            unit = units.get(members.get(row.number, 0), UnitRow(""))
            group = self._places.shown_unit(unit.name, row) or name
            rows.setdefault(group, unit)
            group_of[name] = group
        made = [
            Submission(name, row.label, row.author, row.team, row.time, row.attempt, self._apart)
            for name, row in rows.items()
        ]
        keys = [row.author_key for row in rows.values()], [row.team_key for row in rows.values()]
        self._gathered.enrol(made, *keys, group_of)

    def _file_documents(
        self, documents: list[tuple[str, DocumentRow, ContentRow]], channels: Channels
    ) -> tuple[list[_Owners], list[_Member]]:
        """File the documents of the index; give, for each join, the groups of its postings.

        Gives the files of submissions, too.
        """
        views: dict[int, list[ViewRow]] = {}
        for view in self._snapshot.catalog.views():
            views.setdefault(view.content, []).append(view)
        owners: dict[Join, list[tuple[int, int]]] = {}
        members = []
        for shown, row, content in documents:
            number = len(self._collection.filed)
            entry = entry_of(shown, content.bytes, row.mtime)
            group, _ = self._collection.add(ScannedFile(entry, content.kind, content.bytes, content.checksum))
            self._reader.know(shown, row, content)
            filed = self._collection.filed[group if self._gathered is None else number]
            main = self._reader.readings(content.kind)[0]
            brought = {channel_of(main): main}
            stored = [StoredView(content.number, channel_of(main), False, content.fingerprints)]
            for view in views.get(content.number, ()):
                channel, whole = view.channel.removesuffix(WHOLE), view.channel.endswith(WHOLE)
                stored.append(StoredView(view.number, channel, whole, view.fingerprints))
                if view.channel == CODE:
                    brought[CODE] = webpage.KIND if content.kind == "html" else content.kind
            fresh = {name: kind for name, kind in brought.items() if name not in filed.kinds}
            if fresh and filed is self._collection.filed[number]:
                every = stored[0]
                if self._gathered is None:  # a short file counts all its k-grams, as in a scan of files
                    every = next(
                        (view for view in stored[1:] if view.whole and view.channel == every.channel), every
                    )
                filed.fingerprints = every.fingerprints
            new = [each for each in stored if each.channel in fresh]
            for join, at, one in channels.known(group, new, fresh, written_type(entry)):
                owners.setdefault(join, []).append((at, one))
            filed.kinds.update(fresh)
            if CODE in fresh and channels.channel_of(brought[CODE]) is channels.code:
                self._add_lexemes(channels, group, entry, brought[CODE], content.kind)
            if self._gathered is not None:
                members.append(_Member(filed, group, [each.number for each in stored]))
        size = self._snapshot.catalog.about("next")["content"] + 2
        return [_Owners(join, owned, size) for join, owned in owners.items()], members

    def _add_lexemes(self, channels: Channels, group: int, entry: Document, kind: str, source: str) -> None:
        """Read a program again for its statements and strings, which an index does not keep."""
        try:
            channels.evidence.add(group, self._reader.lexemes_of(entry, kind, source))
        except (InputError, OSError):
            self._unread += 1

    def _join_postings(self, lists: list[_Owners], members: list[_Member]) -> None:
        """Give every hash of the index to the groups that have it, and count what is base code."""
        base = Base() if self._gathered is None else self._gathered.base
        based = np.zeros(self._snapshot.catalog.about("next")["content"] + 2, np.int64)
        for columns in self._snapshot.postings():
            hashes = hashes_of(columns.keys)
            numbers = np.minimum(columns.documents.astype(np.int64), len(based) - 1)
            if base:
                based += np.bincount(numbers[base.holds(hashes)], minlength=len(based))
            for each in lists:
                each.add(hashes, numbers)
        for member in members if base else ():
            if self._gathered is not None and based[member.stored].any():
                self._gathered.ignore(member.filed, member.group, int(based[member.stored[0]]))

    def _labels(self, groups: int) -> tuple[Any, ...]:
        return () if self._gathered is None else super()._labels(groups)

    def _count(self, channels: Channels, keep: bool) -> Counts:
        counts = super()._count(channels, keep)
        otherwise = read_otherwise(self._snapshot.catalog, self._reader.languages)
        counts = dataclasses.replace(counts, notes=(*counts.notes, *otherwise))
        if self._unread:
            note = (
                f"{self._unread:,} programs of the index are gone or have changed and are compared by "
                "fingerprints, without statements and strings"
            )
            counts = dataclasses.replace(counts, notes=(*counts.notes, note))
        return counts


def index_scan(path: Path, given: Mapping[str, object], *, apart: bool) -> IndexScan:
    """Make a scan of an index, with the settings that it was made with and others that are given."""
    snapshot = Snapshot(path)
    stored = snapshot.settings
    settings = reconciled(path, stored, given)
    require_seed(path, stored, settings)
    return IndexScan(settings, snapshot, Places(path), apart=apart)
