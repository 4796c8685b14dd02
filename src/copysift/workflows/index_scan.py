"""All against all from an index, or new files against it and each other: a scan fed from postings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from copysift.errors import UsageError
from copysift.join.memory import Join
from copysift.join.rows import Postings
from copysift.match.counts import Counts
from copysift.match.evidence import Evidence
from copysift.model.values import Skipped
from copysift.runtime.progress import Progress
from copysift.settings.comparison import Settings
from copysift.sources.walk import Entry
from copysift.store.segment import Damage, hashes_of
from copysift.store.snapshot import Snapshot
from copysift.workflows.collection import Scanned
from copysift.workflows.scan import Scan
from copysift.workflows.stored_settings import Places, StoredReader, entry_of, reconciled, require_seed


class IndexScan(Scan):
    """A scan of the documents of an index, and of files; `apart`: the index is not compared with itself."""

    def __init__(self, settings: Settings, snapshot: Snapshot, places: Places, *, apart: bool) -> None:
        if settings.by == "dir" or settings.base or settings.earlier or settings.metadata:
            raise UsageError(
                "an index has single files; --by dir, --base, --earlier and --metadata make groups of them",
                hint="leave them out, or give the earlier files themselves by --earlier",
            )
        super().__init__(settings)
        self._archives = False
        self._reader: StoredReader = StoredReader(settings, snapshot, places)
        self._snapshot, self._places, self._apart = snapshot, places, apart
        self._files = 0
        self.damages: list[Damage] = []

    def _read(self, entries: list[Entry], join: Join, evidence: Evidence, shown: Progress) -> None:
        super()._read(entries, join, evidence, shown)
        self._files = len(self._collection.filed)
        groups = self._file_documents({self._places.stored(entry.path) for entry in entries})
        shown.phase("reading", None)
        self.damages = list(self._snapshot.damages)
        for columns, damages in self._snapshot.postings():
            self.damages += damages
            owners = groups[np.minimum(columns.documents, len(groups) - 1)]
            held = owners >= 0
            join.add_entries(hashes_of(columns.keys[held]), owners[held].astype(np.uint32))
        for damage in dict.fromkeys(self.damages):
            self._collection.skip(Skipped(damage.where, damage.what))

    def _file_documents(self, scanned: set[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """File the documents of the index and give the group of each content; -1: its postings do not count.

        A document that was also scanned stands as it is now, and not as the index knows it.
        """
        contents = {row.number: row for row in self._snapshot.catalog.all_contents()}
        groups = np.full(max(contents, default=0) + 2, -1, np.int64)
        for row in self._snapshot.documents():
            content = contents.get(row.content)
            if content is None or (row.file and row.name in scanned):
                continue
            name = self._places.shown(row)
            number = len(self._collection.filed)
            entry = entry_of(name, content.bytes, row.mtime)
            self._collection.add(Scanned(entry, content.kind, content.bytes, content.checksum, None))
            self._reader.know(name, row, content)
            if self._collection.first_of(content.bytes, content.checksum) == number:
                filed = self._collection.filed[number]
                filed.fingerprints = content.fingerprints
                groups[content.number] = number
        return groups

    def _labels(self, groups: int) -> tuple[Any, ...]:
        if not self._apart:
            return ()
        side = np.zeros(groups, np.uint32)
        side[self._files :] = 1
        return (side,)

    def _count(self, postings: Postings, evidence: Evidence, keep: bool) -> Counts:
        counts = super()._count(postings, evidence, keep)
        if not self._apart:
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
