"""The writer of an index: adds, replaces and removes documents, and commits.

A commit writes the new postings as segments, syncs them and their names, and then switches the
catalog in one transaction: a crash at any instant leaves the last commit. Files that a crash, a
full disk or a merge left behind are removed at the next opening for writing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copysift.errors import StoreError
from copysift.runtime import durable as disk
from copysift.store.base_code import add_base_code
from copysift.store.catalog import FOLDER, PIECES, Catalog, short
from copysift.store.catalog_rows import DocumentRow
from copysift.store.entries import Entry as Entry
from copysift.store.entries import Views as Views
from copysift.store.entries import distinct as distinct
from copysift.store.entries import packed_pieces, refuse_wide
from copysift.store.lock import WriterLock
from copysift.store.merge import Policy
from copysift.store.place import make_folders, unmake
from copysift.store.segment import columns_of, sorted_columns
from copysift.store.segment_writer import SegmentWriter
from copysift.store.slices import remove_leftovers
from copysift.store.snapshot import TEXT_PIECE, check_version, exists
from copysift.store.timeline import renumber
from copysift.store.units import UnitRow, assign, put_unit

if TYPE_CHECKING:
    from types import TracebackType

    from copysift.model.values import Fingerprints, UInt64s

BUFFERED = 1 << 22  # postings that are held before they are committed
KEPT = 64 << 20  # bytes of kept text before they are committed
REMEMBERED = 1 << 20  # names and checksums by which a writer knows what is not in an index that was empty


class Writer(SegmentWriter):
    """The one writer; use it as a context manager. Leaving it with an error drops what was not committed."""

    def __init__(
        self, folder: Path, settings: dict[str, Any] | None = None, policy: Policy | None = None,
        *, at_once: bool = True,
    ) -> None:  # fmt: skip
        """Open an index, or make one: `at_once`, or with the first commit, without which there is none."""
        self.folder, self._at_once = folder, at_once
        self._unmade: dict[str, Any] | None = None  # settings of an index that is not there yet
        self.policy = policy or Policy()
        if settings is None and not exists(folder):
            raise StoreError(f"{folder} is not an index", hint="create one with copysift index add")
        make_folders(folder)
        self._lock = WriterLock(folder)
        try:
            self.catalog = Catalog(folder, write=True)
            try:
                self._open(settings)
            except BaseException:
                self.catalog.close()
                raise
        except BaseException:
            self._lock.release()
            raise

    def _open(self, settings: dict[str, Any] | None) -> None:
        self.catalog.begin_write()
        if not self.catalog.has_tables():
            if settings is None:
                raise StoreError(f"{self.folder} is not an index", hint="create one with copysift index add")
            self.catalog.create(settings)
            if self._at_once:
                self.catalog.commit()
                disk.sync_folder(self.folder)
                self.catalog.begin_write()
            else:
                self._unmade = settings
        check_version(self.catalog)
        empty = all(self.catalog.one(f"SELECT 1 FROM {table}") is None for table in ("documents", "contents"))
        self._known: set[int] | None = set() if empty else None  # names and checksums of all that there is
        self._begin()
        remove_leftovers(self.catalog)

    def _begin(self) -> None:
        self._next = self.catalog.about("next")
        self._buffer: list[tuple[int, Fingerprints]] = []  # contents whose postings no segment has yet
        self._buffered = self._kept = self._spilled = 0
        self._written = []
        self._dropped = []
        self.changed = False

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Drop what was not committed and let the next writer in."""
        self.rollback(again=False)
        self.catalog.close()
        if self._unmade is not None:
            unmake(self.folder)
        self._lock.release()

    def find(self, name: str) -> tuple[int, int, bytes, int, str] | None:
        """Give size, time, checksum, content and kind of a document, as the index knows it."""
        row = self._document(name)
        if row is None:
            return None
        content = self.catalog.contents([row.content]).get(row.content)
        if content is None:
            return None
        return content.bytes, row.mtime, content.checksum, content.number, content.kind

    def has_file(self, name: str) -> bool:
        """Say whether a document of this name is a file."""
        row = self._document(name)
        return row is not None and row.file

    def put(
        self,
        entry: Entry,
        found: Views | Callable[[], Views],
        text: Callable[[], Iterable[bytes]] | None = None,
    ) -> str:
        """Add a document, or replace the one of its name; say whether it was added, changed or unchanged.

        Fingerprints and text are only made if no other document has the same content.
        """
        self.changed = True
        old, known = self._document(entry.name), None
        if self._may_have(entry.checksum):
            known = self.catalog.content_of(entry.checksum, entry.bytes, entry.kind)
        if known is None:
            made = found() if callable(found) else found
            number = self._put_content(entry, made, text and text())
        else:
            number = known.number
        if old is None:
            raw = os.fsencode(entry.name)
            document, key = self.number("document"), self._noted(raw)
            self.catalog.run(
                "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?)",
                (document, key, raw, number, entry.file, entry.mtime),
            )
        else:
            document = old.number
            self.catalog.run(
                "UPDATE documents SET content = ?, file = ?, mtime = ? WHERE number = ?",
                (number, entry.file, entry.mtime, old.number),
            )
            if old.content != number:
                self._release(old.content)
        if entry.unit is not None:
            assign(self.catalog, document, entry.unit)
        if self._buffered >= BUFFERED or self._kept >= KEPT:
            self.commit()
        return "added" if old is None else "changed" if old.content != number else "unchanged"

    def _document(self, name: str) -> DocumentRow | None:
        """Find a document by its name."""
        return self.catalog.document(name) if self._may_have(os.fsencode(name)) else None

    def _may_have(self, key: bytes) -> bool:
        """Say whether a name or a checksum may be in the catalog; what cannot be is not looked up there."""
        return self._known is None or (bool(self._known) and short(key) in self._known)

    def _noted(self, key: bytes) -> int:
        """Give what a name or a checksum is found by, and remember that the catalog has it."""
        found = short(key)
        if self._known is not None:
            self._known.add(found)
            if len(self._known) > REMEMBERED:
                self._known = None
        return found

    def remove(self, name: str) -> bool:
        """Remove a document; say whether it was there."""
        row = self._document(name)
        if row is None:
            return False
        self.changed = True
        self.catalog.run("DELETE FROM documents WHERE number = ?", (row.number,))
        assign(self.catalog, row.number, 0)
        self._release(row.content)
        return True

    def put_unit(self, row: UnitRow) -> int:
        """Add a unit, or replace what is known of it; give its number."""
        self.changed = True
        return put_unit(self.catalog, row)

    def put_member(self, document: int, row: UnitRow) -> None:
        """Put a document, by its number, into a unit with what is known of it."""
        assign(self.catalog, document, self.put_unit(row))

    def add_base(self, parts: Sequence[UInt64s]) -> None:
        """Add base code: k-grams, statements and strings that are ignored from now on."""
        self.changed |= add_base_code(self.catalog, parts)

    def assign(self, name: str, unit: int) -> None:
        """Put a document that is there into a unit, 0 for none."""
        row = self.catalog.document(name)
        if row is not None and assign(self.catalog, row.number, unit):
            self.changed = True

    def _put_content(self, entry: Entry, views: Views, text: Iterable[bytes] | None) -> int:
        number, found = self.number("content"), views.main
        self.catalog.run(
            "INSERT INTO contents VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (number, self._noted(entry.checksum), entry.checksum, entry.kind, entry.bytes, len(found.hashes),
             distinct(found.hashes), found.grams),
        )  # fmt: skip
        if text is not None:
            self._keep_text(number, text)
        self.add_postings(number, found)
        self.put_views(number, views.further)
        return number

    def put_views(self, content: int, further: Mapping[str, Fingerprints]) -> None:
        """File the further views of a content, by channel; an index of an old format has none."""
        if not self.catalog.has_views:
            return
        for channel, found in further.items():
            number = self.number("content")
            self.catalog.run(
                "INSERT INTO views VALUES (?, ?, ?, ?, ?, ?)",
                (number, content, channel, len(found.hashes), distinct(found.hashes), found.grams),
            )
            self.add_postings(number, found)

    def drop_views(self, content: int) -> None:
        """Take the further views of a content out; their postings go when they are merged."""
        for view in list(self.catalog.views([content], "content")):
            self.catalog.run("DELETE FROM views WHERE number = ?", (view.number,))
            if view.fingerprints:
                values = (view.number, view.fingerprints)
                self.catalog.run("INSERT OR REPLACE INTO removed VALUES (?, ?)", values)

    def put_content(self, entry: Entry, found: Views, text: Iterable[bytes] | None) -> int:
        """File a content that no document has yet and give its number; nothing is committed on the way."""
        self.changed = True
        number = self._put_content(entry, found, text)
        if self._buffered >= BUFFERED:
            self.spill()
        return number

    def file_postings(self, content: int, found: Fingerprints) -> None:
        """File the postings of a content that has none; however many, nothing is committed."""
        self.add_postings(content, found)
        if self._buffered >= BUFFERED:
            self.spill()

    def spill(self) -> None:
        """Write the postings that are held to segments that the next commit will name."""
        self._spilled += self._flush()

    def drop(self, content: int) -> None:
        """Drop a content; its postings go when they are merged."""
        self.changed = True
        postings = self.catalog.one("SELECT fingerprints FROM contents WHERE number = ?", (content,))
        self.drop_content(content)
        if postings:
            self.catalog.run("INSERT OR REPLACE INTO removed VALUES (?, ?)", (content, postings))

    @property
    def next_content(self) -> int:
        """The number that the next new content will have."""
        return self._next["content"]

    def add_postings(self, content: int, found: Fingerprints) -> None:
        """Add the postings of a content; all of them, at once."""
        refuse_wide(found)
        if len(found.hashes):
            self._buffer.append((content, found))
            self._buffered += len(found.hashes)
            self.changed = True

    def _keep_text(self, content: int, chunks: Iterable[bytes]) -> None:
        for piece, packed in enumerate(packed_pieces(chunks, TEXT_PIECE)):
            self.catalog.run("INSERT INTO texts VALUES (?, ?)", (content * PIECES + piece, packed))
            self._kept += len(packed)

    def _release(self, content: int) -> None:
        """Drop a content that no document has; its postings go when they are merged."""
        if self.catalog.one("SELECT 1 FROM documents WHERE content = ?", (content,)) is not None:
            return
        self.drop(content)

    def replace_content(
        self, content: int, left: int, entry: Entry, found: Views, text: Iterable[bytes] | None
    ) -> int:
        """Put a content under a new number and give it; what is `left` of its postings is dead."""
        self.drop_content(content)
        if left:
            self.catalog.run("INSERT OR REPLACE INTO removed VALUES (?, ?)", (content, left))
        number = self._put_content(entry, found, text)
        renumber(self.catalog, content, number)
        self.changed = True
        return number

    def drop_content(self, content: int) -> None:
        """Take a content, its further views and its kept text out of the catalog."""
        self.drop_views(content)
        self.catalog.run("DELETE FROM contents WHERE number = ?", (content,))
        self.catalog.run(
            "DELETE FROM texts WHERE piece >= ? AND piece < ?", (content * PIECES, (content + 1) * PIECES)
        )

    def commit(self, merge: bool = True) -> None:
        """Write what was added, merge what is due, and make all of it visible at once."""
        if not self.changed:
            return
        added = self._flush() + self._spilled
        if merge:
            self.merge(max(self.policy.slice, self.policy.fanout * added))
        self._switch()

    def rollback(self, again: bool = True) -> None:
        """Forget what was not committed, and the files that were written for it."""
        self.catalog.rollback()
        for path in self._written:
            disk.remove(path)
        self._written = []
        if again:
            self.catalog.begin_write()
            if self._unmade is not None:
                self.catalog.create(self._unmade)
            self._begin()

    def _switch(self) -> None:
        if self._written:
            disk.sync_folder(self.folder / FOLDER)
        self.catalog.set_about("next", self._next)
        disk.step("commit")
        self.catalog.commit()
        if self._unmade is not None:
            disk.sync_folder(self.folder)
            self._unmade = None
        disk.step("committed")
        for path in self._dropped:
            disk.remove(path)
        self.catalog.begin_write()
        self._begin()

    def _flush(self) -> int:
        if not self._buffer:
            return 0
        columns = columns_of(*zip(*self._buffer, strict=True))
        self._buffer, self._buffered = [], 0
        self.write_run(sorted_columns(columns), self.number("run"))
        return len(columns.keys)

    def compact(self) -> None:
        """Merge all segments into one run, and drop what was removed; every slice is a commit."""
        self.commit()
        rows = self.catalog.segments()
        dead = self.catalog.one("SELECT 1 FROM removed")
        if not rows or (len({row.run for row in rows}) == 1 and not dead):
            return
        run = self.number("run")
        self.catalog.run("DELETE FROM merges")
        self.catalog.run("UPDATE segments SET target = ?", (run,))
        self.catalog.run("INSERT INTO merges VALUES (?, 0)", (run,))
        while self.catalog.one("SELECT 1 FROM merges WHERE run = ?", (run,)):
            self.merge_slice(run, max(self.policy.slice, self.policy.slice_of(sum(row.live for row in rows))))
            self._switch()
        self.catalog.run("DELETE FROM removed")
        self.changed = True
        self._switch()
