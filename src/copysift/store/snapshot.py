"""A snapshot of an index: what was committed when it was opened, whatever writers do meanwhile."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.errors import StoreError
from copysift.store.catalog import PIECES, VERSION, Catalog
from copysift.store.catalog_rows import ContentRow, DocumentRow, ViewRow
from copysift.store.presence import has_catalog
from copysift.store.segment import RANGES, Columns, Damage, Found, Segment, keys_of
from copysift.store.units import UnitRow, has_units, members, unit_of, units

if TYPE_CHECKING:
    from copysift.model.values import UInt64s

ATTEMPTS = 20  # a segment that a writer removes between catalog and opening means: look again
BATCH = 1 << 20  # postings read at once when all are wanted
TEXT_PIECE = 1 << 20  # bytes of a piece of kept text


def exists(folder: Path) -> bool:
    """Say whether an index is there; a writer that was stopped while it made one leaves none."""
    if not has_catalog(folder):
        return False
    catalog = Catalog(folder, write=False)
    try:
        return catalog.has_tables()
    finally:
        catalog.close()


def settings_of(folder: Path) -> dict[str, Any] | None:
    """Give the settings of the index that is there, None if there is none; segments stay closed."""
    if not has_catalog(folder):
        return None
    catalog = Catalog(folder, write=False)
    try:
        catalog.begin()
        if not catalog.has_tables():
            return None
        check_version(catalog)
        found: dict[str, Any] = catalog.about("settings")
        return found
    finally:
        catalog.close()


class Snapshot:
    """The contents, documents and postings of one commit; threads may share it.

    What was found damaged when it was opened, and in what was read since, is in `damages`.
    """

    _borrowed = False  # the catalog is a writer's, who closes it
    _settings: dict[str, Any] | None = None

    def __init__(self, folder: Path) -> None:
        if not exists(folder):
            raise StoreError(f"{folder} is not an index", hint="create one with copysift index add")
        self.folder = folder
        self.damages: list[Damage] = []
        self._lock = threading.Lock()
        for attempt in range(ATTEMPTS):
            self.catalog = Catalog(folder, write=False)
            try:
                self._open(last=attempt == ATTEMPTS - 1)
                return
            except FileNotFoundError:
                self.catalog.close()
            except BaseException:
                self.catalog.close()
                raise

    @classmethod
    def uncommitted(cls, catalog: Catalog) -> Snapshot:
        """Give what a writer sees of its own work; `close` is the writer's."""
        made = cls.__new__(cls)
        made.folder, made.catalog, made._lock = catalog.folder, catalog, threading.Lock()
        made._borrowed = True
        made._open_segments(last=True)
        return made

    def _open(self, last: bool) -> None:
        self.catalog.begin()
        check_version(self.catalog)
        self._open_segments(last)

    def _open_segments(self, last: bool) -> None:
        self.segments: list[Segment] = []
        self.damages = []
        rows = self.catalog.segments()
        _allow_files(2 * len(rows))  # a mapping holds its file open, too
        for row in rows:
            path = self.catalog.segment_path(row.number)
            try:
                segment = Segment(path, row.low, row.high)
                if segment.entries != row.postings:
                    raise StoreError(f"{segment.name} is not the file that the catalog names")
                self.segments.append(segment)
            except FileNotFoundError:
                if not last:
                    raise
                self.damages.append(Damage(f"{path.parent.name}/{path.name}", "is missing"))
            except StoreError as error:
                if "format" in error.message and error.hint:
                    raise
                name = f"{path.parent.name}/{path.name}"
                self.damages.append(Damage(name, error.message.replace(name, "").strip()))

    def close(self) -> None:
        """Close the snapshot."""
        self.segments = []
        self.catalog.close()

    def __del__(self) -> None:
        if hasattr(self, "catalog") and not self._borrowed:
            self.catalog.close()

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that the index was made with."""
        if self._settings is None or self._borrowed:  # a writer may change them
            with self._lock:
                self._settings = self.catalog.about("settings")
        return dict(self._settings or {})

    def find(self, hashes: UInt64s) -> Found:
        """Look up distinct hashes: `which` is the place of a hash among them. Dead contents are found too."""
        keys = keys_of(hashes)
        order = np.argsort(keys)
        wanted = keys[order]
        parts = []
        for segment in self.segments:
            found, bad = segment.find(wanted)
            self._note(bad)
            if len(found.which):
                parts.append(found)
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)] if parts else []
        if not columns:
            return Found(*(np.empty(0, np.uint32) for _ in range(4)))
        return Found(order[columns[0]].astype(np.uint32), *columns[1:])

    def postings(self) -> Iterator[Columns]:
        """Give all postings, in pieces of ascending keys; those of equal keys are in one piece."""
        total = sum(segment.entries for segment in self.segments)
        pieces = max(1, total // BATCH)
        bounds = [RANGES * piece // pieces for piece in range(pieces + 1)]
        for low, high in pairwise(bounds):
            parts = []
            for segment in self.segments:
                columns, bad = segment.between(low, high)
                parts.append(columns)
                self._note(bad)
            if parts:
                yield Columns(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def _note(self, damages: list[Damage]) -> None:
        if damages:
            with self._lock:
                self.damages = list(dict.fromkeys([*self.damages, *damages]))

    def contents(self, numbers: list[int]) -> dict[int, ContentRow]:
        """Give the live ones of some contents."""
        with self._lock:
            return self.catalog.contents(numbers)

    def contents_of(self, checksum: bytes, size: int) -> list[ContentRow]:
        """Find the contents of these bytes."""
        with self._lock:
            return self.catalog.contents_of(checksum, size)

    def views(self, numbers: list[int], column: str = "number", channel: str = "") -> dict[int, ViewRow]:
        """Give the further views with these numbers, by number; or, of these contents, by content.

        Of one channel, or of all.
        """
        with self._lock:
            found = list(self.catalog.views(numbers, column))
        return {getattr(row, column): row for row in found if channel in ("", row.channel)}

    def numbers(self) -> dict[str, Any]:
        """Count what there is, and the bytes that it takes on the disk."""
        one = self.catalog.one
        fingerprints, size = next(
            self.catalog.rows(
                "SELECT coalesce(sum(c.fingerprints), 0), coalesce(sum(c.bytes), 0) FROM documents d "
                "JOIN contents c ON c.number = d.content"
            )
        )
        segments = self.catalog.segments()
        stored = sum(row.bytes for row in segments)
        texts = one("SELECT coalesce(sum(length(data)), 0) FROM texts")
        pages, page = one("PRAGMA page_count"), one("PRAGMA page_size")
        viewed = sum(row.fingerprints for row in self.catalog.views())
        return {
            "version": self.catalog.about("version"),
            "documents": one("SELECT count(*) FROM documents"),
            "contents": one("SELECT count(*) FROM contents"),
            "units": one("SELECT count(*) FROM units") if has_units(self.catalog) else 0,
            "fingerprints": fingerprints,
            "postings": one("SELECT coalesce(sum(fingerprints), 0) FROM contents") + viewed,
            "removed": one("SELECT coalesce(sum(postings), 0) FROM removed"),
            "segments": len(segments),
            "text_bytes": size,
            "contents_bytes": one("SELECT coalesce(sum(bytes), 0) FROM contents"),
            "postings_bytes": stored,
            "catalog_bytes": pages * page - texts,
            "kept_text_bytes": texts,
        }

    def documents_of(self, content: int) -> list[DocumentRow]:
        """Give the documents of a content, in the order of adding."""
        with self._lock:
            return list(self.catalog.documents(content))

    def document(self, name: str) -> tuple[DocumentRow, ContentRow] | None:
        """Give a document by name, with its content."""
        with self._lock:
            row = self.catalog.document(name)
            content = None if row is None else self.catalog.contents([row.content]).get(row.content)
        return None if row is None or content is None else (row, content)

    def documents(self) -> Iterator[DocumentRow]:
        """Give every document in the order of adding."""
        return self.catalog.documents()

    def listed(self) -> Iterator[tuple[DocumentRow, ContentRow]]:
        """Give every document with its content, in the order of adding."""
        return self.catalog.listed()

    def units(self) -> dict[int, UnitRow]:
        """Give the submissions by number; none in an index of single documents."""
        with self._lock:
            return units(self.catalog)

    def members(self) -> dict[int, int]:
        """Give the unit of each document that belongs to one, by numbers."""
        with self._lock:
            return members(self.catalog)

    def unit_of(self, document: int) -> str:
        """Give the name of the unit of a document, empty for none."""
        with self._lock:
            return unit_of(self.catalog, document)

    def text(self, content: int, start: int = 0, end: int | None = None) -> bytes | None:
        """Give the kept readable source of a content, or a piece of it; None if it was not kept."""
        first = start // TEXT_PIECE
        last = PIECES if end is None else (end + TEXT_PIECE - 1) // TEXT_PIECE
        with self._lock:
            base = content * PIECES
            if self.catalog.one("SELECT 1 FROM texts WHERE piece = ?", (base,)) is None:
                return None
            rows = self.catalog.rows(
                "SELECT data FROM texts WHERE piece >= ? AND piece < ? ORDER BY piece",
                (base + first, base + last),
            )
            pieces = [row[0] for row in rows]
        try:
            data = b"".join(map(zlib.decompress, pieces))
        except zlib.error as error:
            raise StoreError(f"a kept text of {self.folder} is damaged: {error}") from error
        skipped = first * TEXT_PIECE
        return data[start - skipped : None if end is None else end - skipped]


def check_version(catalog: Catalog) -> None:
    """Refuse a catalog that this version cannot read."""
    try:
        version = catalog.about("version")
    except StoreError as error:
        raise StoreError(f"{catalog.folder} is not an index: {error.message}") from error
    if version not in range(1, VERSION + 1):
        raise StoreError(
            f"{catalog.folder} has format {version}, and this copysift reads formats up to {VERSION}",
            hint="use the copysift that wrote it, or a newer one",
        )


def _allow_files(count: int) -> None:
    """Let the process open that many files more, where the system lets it; most start with 1,024."""
    try:
        import resource
    except ImportError:  # Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + 256
    if soft != resource.RLIM_INFINITY and soft < wanted:
        most = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
