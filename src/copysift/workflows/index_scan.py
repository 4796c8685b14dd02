"""All against all from an index, or new files against it and each other: a scan fed from postings.

An index of single documents is compared document by document, and equal ones collapse. With submissions
in the index or among the new files, with base code or metadata, units are compared: those of the index
are its submissions, and its documents that belong to none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.errors import UsageError
from copysift.join.memory import Join
from copysift.join.rows import Postings
from copysift.match.counts import Counts
from copysift.match.evidence import Evidence
from copysift.model.values import Skipped, Submission
from copysift.runtime.progress import Progress
from copysift.settings.comparison import Settings
from copysift.sources.walk import Entry
from copysift.store.segment import Damage, hashes_of
from copysift.store.snapshot import Snapshot, exists
from copysift.store.units import UnitRow
from copysift.workflows.collection import Scanned
from copysift.workflows.scan import Scan
from copysift.workflows.stored_settings import Places, StoredReader, entry_of, reconciled, require_seed
from copysift.workflows.submissions import check_paths

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.store.catalog import ContentRow, DocumentRow

    Int64s = NDArray[np.int64]


class IndexScan(Scan):
    """A scan of the documents of an index, and of files; `apart`: the index is not compared with itself."""

    def __init__(self, settings: Settings, snapshot: Snapshot, places: Places, *, apart: bool) -> None:
        if settings.by == "dir" and not apart and not snapshot.units():
            raise UsageError(
                f"{snapshot.folder} has single files and no submissions",
                hint="leave --by dir out, or make the index with copysift index add --by dir",
            )
        if settings.metadata and not apart:
            raise UsageError(
                "--metadata tells of the files that are read, and an index alone has none",
                hint="give it when the submissions are added: copysift index add --by dir --metadata FILE",
            )
        super().__init__(settings)
        self._reader: StoredReader = StoredReader(settings, snapshot, places, self._stored)
        self._snapshot, self._places, self._apart = snapshot, places, apart
        self._archives = settings.by == "dir"
        self._grouped = bool(snapshot.units())
        self._files = 0
        self.damages: list[Damage] = []

    def _read(self, entries: list[Entry], join: Join, evidence: Evidence, shown: Progress) -> None:
        scanned = {self._places.stored(entry.path) for entry in entries}
        documents = list(self._documents(scanned))
        if self._gathered is not None:
            self._enrol(documents)
        super()._read(entries, join, evidence, shown)
        self._files = len(self._collection.filed)
        holders = self._file_documents(documents)
        shown.phase("reading", None)
        self.damages = list(self._snapshot.damages)
        self._join_postings(holders, join)
        for damage in dict.fromkeys(self.damages):
            self._collection.skip(Skipped(damage.where, damage.what))

    def _documents(self, scanned: set[str]) -> Iterable[tuple[str, DocumentRow, ContentRow]]:
        """Give the documents of the index by the names to show; one that was also scanned is left out."""
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
            group = self._places.shown_unit(unit.name) or name
            rows.setdefault(group, unit)
            group_of[name] = group
        made = [
            Submission(name, row.label, row.author, row.team, row.time, row.attempt, self._apart)
            for name, row in rows.items()
        ]
        keys = [row.author_key for row in rows.values()], [row.team_key for row in rows.values()]
        self._gathered.enrol(made, *keys, group_of)

    def _file_documents(self, documents: list[tuple[str, DocumentRow, ContentRow]]) -> list[tuple[int, int]]:
        """File the documents of the index and give who has each content: pairs of content and number."""
        holders = []
        for name, row, content in documents:
            number = len(self._collection.filed)
            entry = entry_of(name, content.bytes, row.mtime)
            group = self._collection.add(Scanned(entry, content.kind, content.bytes, content.checksum, None))
            self._reader.know(name, row, content)
            filed = self._collection.filed[number]
            if self._gathered is not None:
                assert group is not None  # submissions do not collapse
                filed.fingerprints = content.fingerprints
                holders.append((content.number, group))
            elif self._collection.first_of(content.bytes, content.checksum) == number:
                filed.fingerprints = content.fingerprints
                holders.append((content.number, number))
        return holders

    def _join_postings(self, holders: list[tuple[int, int]], join: Join) -> None:
        """Give every hash of the index to those who have its content, and count what is base code."""
        pairs = np.unique(np.array(holders, np.int64).reshape(-1, 2), axis=0)
        last = int(pairs[:, 0].max(initial=0))
        sizes = np.bincount(pairs[:, 0], minlength=last + 2)  # the last one is for contents that nobody has
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        based = np.zeros(last + 2, np.int64)
        for columns, damages in self._snapshot.postings():
            self.damages += damages
            hashes = hashes_of(columns.keys)
            contents = np.minimum(columns.documents.astype(np.int64), last + 1)
            if self._gathered is not None and self._gathered.base:
                based += np.bincount(contents[self._gathered.base.holds(hashes)], minlength=last + 2)
            times = sizes[contents]
            at = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times - offsets[contents], times)
            join.add_entries(np.repeat(hashes, times), pairs[at, 1].astype(np.uint32))
        if self._gathered is not None:
            self._gathered.ignore(
                (self._collection.filed[self._files + place], group, int(based[content]))
                for place, (content, group) in enumerate(holders)
            )

    def _labels(self, groups: int) -> tuple[Any, ...]:
        if self._gathered is not None:
            return super()._labels(groups)
        if not self._apart:
            return ()
        side = np.zeros(groups, np.uint32)
        side[self._files :] = 1
        return (side,)

    def _count(self, postings: Postings, evidence: Evidence, keep: bool) -> Counts:
        counts = super()._count(postings, evidence, keep)
        if not self._apart or self._gathered is not None:
            return counts
        return dataclasses.replace(
            counts, equal=tuple(each for each in counts.equal if each[0] < self._files)
        )


def index_scan(path: Path, given: Mapping[str, object], *, apart: bool) -> IndexScan:
    """Make a scan of an index, with the settings that it was made with and others that are given."""
    snapshot = Snapshot(path)
    stored = snapshot.settings
    settings = reconciled(path, stored, given)
    require_seed(path, stored, settings)
    return IndexScan(settings, snapshot, Places(path), apart=apart)


def scan_of(
    places: Sequence[str],
    settings: Settings,
    given: Mapping[str, object],
    against: str = "",
    opens: bool = True,
) -> tuple[Scan, list[str]]:
    """Make the scan that is asked for, and give the files that it reads; none if it scans an index alone.

    `given` are the settings that were given: an index has the others. An index among the earlier years is
    compared with the new files, and not with itself.
    """
    check_paths(places)
    indexes = [place for place in places if exists(Path(place))]
    past = [path for path in settings.earlier if exists(Path(path))]
    beside = [*past, *([against] if against else [])]
    if not indexes and not beside:
        return Scan(settings, opens=opens), list(places)
    if indexes and (beside or len(places) > 1):
        raise UsageError(
            f"{indexes[0]} is an index", hint="scan it alone, or name it by --against or --earlier"
        )
    if len(beside) > 1:
        raise UsageError(
            f"{beside[0]} and {beside[1]} are indexes, and new files can be compared with one only",
            hint="put all earlier years into one index: copysift index add INDEX PATH… --by dir",
        )
    if not beside:
        return index_scan(Path(indexes[0]), given, apart=False), []
    given = {**given, "earlier": tuple(path for path in settings.earlier if path not in past)}
    return index_scan(Path(beside[0]), given, apart=True), list(places)
