"""All against all from an index, or new files against it and each other: a scan fed from postings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from copysift.errors import UsageError
from copysift.join.memory import Join
from copysift.kinds.kind import CODE, TEXT, channel_of
from copysift.match.counts import Counts
from copysift.model.values import Skipped
from copysift.runtime.progress import Progress
from copysift.settings.comparison import Settings
from copysift.sources.walk import Entry
from copysift.store.catalog import WHOLE, ViewRow
from copysift.store.segment import Damage, hashes_of
from copysift.store.snapshot import Snapshot
from copysift.workflows.channels import Channels
from copysift.workflows.collection import Scanned
from copysift.workflows.scan import Scan
from copysift.workflows.stored_settings import Places, StoredReader, entry_of, reconciled, require_seed

Groups = np.ndarray[tuple[int], np.dtype[np.int64]]


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

    def _read(self, entries: list[Entry], channels: Channels, shown: Progress) -> None:
        super()._read(entries, channels, shown)
        self._files = len(self._collection.filed)
        owners = self._file_documents({self._places.stored(entry.path) for entry in entries}, channels)
        shown.phase("reading", None)
        self.damages = list(self._snapshot.damages)
        for columns, damages in self._snapshot.postings():
            self.damages += damages
            for join, groups in owners:
                group = groups[np.minimum(columns.documents, len(groups) - 1)]
                held = group >= 0
                join.add_entries(hashes_of(columns.keys[held]), group[held].astype(np.uint32))
        for damage in dict.fromkeys(self.damages):
            self._collection.skip(Skipped(damage.where, damage.what))

    def _file_documents(self, scanned: set[str], channels: Channels) -> list[tuple[Join, Groups]]:
        """File the documents of the index; give, for each list, the group of a content or view; -1: none.

        A document that was also scanned is taken as it is now, and not as the index knows it.
        """
        catalog = self._snapshot.catalog
        contents = {row.number: row for row in catalog.all_contents()}
        views: dict[int, list[ViewRow]] = {}
        for view in catalog.views():
            views.setdefault(view.content, []).append(view)
        size = catalog.about("next")["content"] + 2
        lists = {
            name + suffix: (join, np.full(size, -1, np.int64))
            for name, channel in ((TEXT, channels.text), (CODE, channels.code))
            for suffix, join in (("", channel.join), (WHOLE, channel.whole))
        }
        for row in self._snapshot.documents():
            content = contents.get(row.content)
            if content is None or (row.file and row.name in scanned):
                continue
            name = self._places.shown(row)
            number = len(self._collection.filed)
            entry = entry_of(name, content.bytes, row.mtime)
            first, _ = self._collection.add(Scanned(entry, content.kind, content.bytes, content.checksum))
            self._reader.know(name, row, content)
            filed = self._collection.filed[first]
            main = self._reader.readings(content.kind)[0]
            brought = {channel_of(main): main}
            stored = [(content.number, channel_of(main), content.fingerprints)]
            for view in views.get(content.number, ()):
                stored.append((view.number, view.channel, view.fingerprints))
                if view.channel == CODE:
                    brought[CODE] = content.kind
            fresh = {name for name in brought if name not in filed.kinds}
            if fresh and first == number:
                filed.fingerprints = content.fingerprints
            for at, name, count in stored:
                channel = name.removesuffix(WHOLE)
                if channel in fresh:
                    lists[name][1][at] = first
                    known = channels.code if channel == CODE else channels.text
                    known.know(first, brought[channel], name != channel, count)
            filed.kinds.update({name: brought[name] for name in fresh})
        return list(lists.values())

    def _labels(self, groups: int) -> tuple[Any, ...]:
        if not self._apart:
            return ()
        side = np.zeros(groups, np.uint32)
        side[self._files :] = 1
        return (side,)

    def _count(self, channels: Channels, keep: bool) -> Counts:
        counts = super()._count(channels, keep)
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
