"""Checksums of the pages of a catalog: SQLite believes every bit that it reads, and so damage became answers.

`catalog.sums` has a CRC-32 for each page of `catalog.sqlite`, and the number of the commit that it belongs
to. At any moment a page of the file is as its checksum says, or it is in the write-ahead log, whose frames
have checksums of their own, or its checksum is unknown. Pages that a checkpoint is going to change are
therefore marked as unknown first, durably, and get their new checksums after it: a machine may stop between
any two steps.
"""

from __future__ import annotations

import os
import struct
import threading
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from copysift.errors import StoreError
from copysift.runtime import durable
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAME = "catalog.sums"
MAGIC = b"SIFTSUM\0"
VERSION = 1
KNOWN = 1 << 32  # beside the CRC-32: the checksum counts
OVERFLOW = 1 << 33  # the page continues a long value, such as a kept text
TEXTS = (
    64 << 20
)  # bytes of such pages; where there are more, opening leaves them to `check`: zlib guards texts
PIECE = 1 << 20  # bytes read at once
_HEAD = struct.Struct("<8sIIQQ")  # magic, version, bytes of a page, commit, pages
_LOG_HEAD = struct.Struct(">IIIIIIII")
_FRAME = struct.Struct(">IIIIII")
_LOG_MAGIC = (0x377F0682, 0x377F0683)


@dataclass(frozen=True, slots=True)
class Sums:
    """The checksums of one commit: `pages` has CRC-32, KNOWN and OVERFLOW of each, 0 where it is unknown."""

    commit: int
    page: int
    pages: NDArray[np.uint64]


def read_sums(folder: Path) -> Sums | None:
    """Read the checksums of a catalog, None if it has none: indexes of older versions, and new ones."""
    path = folder / NAME
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    if len(data) < _HEAD.size + 4 or zlib.crc32(data[:-4]) != int.from_bytes(data[-4:], "little"):
        raise _damaged(path)
    magic, version, page, commit, pages = _HEAD.unpack_from(data)
    if magic == MAGIC and version != VERSION:
        raise StoreError(
            f"{path} has format {version}", hint="use the copysift that wrote it, or a newer one"
        )
    if magic != MAGIC or len(data) != _HEAD.size + 8 * pages + 4:
        raise _damaged(path)
    return Sums(commit, page, np.frombuffer(data, "<u8", pages, _HEAD.size))


def write_sums(folder: Path, sums: Sums) -> None:
    """Write checksums whole or not at all; where there is no space, there are none."""
    head = _HEAD.pack(MAGIC, VERSION, sums.page, sums.commit, len(sums.pages))
    data = head + sums.pages.astype("<u8").tobytes()
    try:
        durable.step("sums")
        durable.replace(folder / NAME, data + zlib.crc32(data).to_bytes(4, "little"))
    except OSError:
        forget_sums(folder)


def forget_sums(folder: Path) -> None:
    """Remove the checksums: none are better than those of another commit."""
    with suppress(OSError):
        (folder / NAME).unlink(missing_ok=True)
        durable.sync(folder)


def _damaged(path: Path) -> StoreError:
    return StoreError(f"{path} is damaged", hint="restore the index from a copy, or recreate it")


# ---- the write-ahead log


def logged_pages(log: Path) -> dict[int, set[int]]:
    """Give the pages in a log, from 0 on, with the CRC-32 of each of their frames.

    Frames that were torn or not committed are among them: which is the last that counts, SQLite decides.
    """
    found: dict[int, set[int]] = {}
    try:
        with log.open("rb") as file:
            head = file.read(_LOG_HEAD.size)
            if len(head) < _LOG_HEAD.size:
                return {}
            magic, _, page, _, *salts, _, _ = _LOG_HEAD.unpack(head)
            if magic not in _LOG_MAGIC:
                return {}
            while len(frame := file.read(_FRAME.size + page)) == _FRAME.size + page:
                number, _, *seen, _, _ = _FRAME.unpack_from(frame)
                if seen != salts:  # left from before the log began again
                    break
                if number:
                    found.setdefault(number - 1, set()).add(zlib.crc32(memoryview(frame)[_FRAME.size :]))
    except FileNotFoundError:
        return {}
    return found


def differing(sums: Sums, logged: dict[int, set[int]]) -> list[int]:
    """Give the pages of a log that a checkpoint may make unlike their checksums."""
    wanted = (page for page in logged if page < len(sums.pages))
    return [page for page in wanted if _is_other(int(sums.pages[page]), logged[page])]


def without(sums: Sums, pages: list[int]) -> Sums:
    """Mark pages as unknown."""
    made = sums.pages.copy()
    made[pages] = 0
    return Sums(sums.commit, sums.page, made)


def _is_other(known: int, crcs: set[int]) -> bool:
    return bool(known & KNOWN) and crcs != {known & 0xFFFFFFFF}


# ---- the file


class PageReader:
    """Reads the pages of a catalog beside SQLite.

    A process that closes a file loses all its locks on it, SQLite's included. So a descriptor is shared by
    all connections of the process to a catalog, and closed after the last of them.
    """

    # Descriptor and number of users, by device and inode.
    _shared: ClassVar[dict[tuple[int, int], list[int]]] = {}
    _lock = threading.Lock()

    def __init__(self, path: Path) -> None:
        with self._lock:
            status = path.stat()
            self.key = status.st_dev, status.st_ino
            if self.key not in self._shared:
                flags = os.O_RDONLY | getattr(os, "O_BINARY", 0)
                self._shared[self.key] = [os.open(path, flags), 0]
            self._shared[self.key][1] += 1
            self._descriptor = self._shared[self.key][0]

    def close(self) -> None:
        """Close the file, after the connection that it was opened for."""
        with self._lock:
            held = self._shared.get(self.key)
            if held is None or self._descriptor < 0:
                return
            self._descriptor = -1
            held[1] -= 1
            if not held[1]:
                os.close(held[0])
                del self._shared[self.key]

    def read(self, start: int, size: int) -> bytes:
        """Give bytes of the file; fewer at its end."""
        with self._lock:  # the place in the file is shared
            os.lseek(self._descriptor, start, os.SEEK_SET)
            return os.read(self._descriptor, size)

    @property
    def size(self) -> int:
        """The bytes of the file."""
        return os.fstat(self._descriptor).st_size

    def checksums(self, page: int, wanted: NDArray[np.intp]) -> Iterator[tuple[int, int]]:
        """Give the checksum of each wanted page, ascending, with KNOWN and OVERFLOW; 0 beyond the end."""
        held, start = b"", 0
        for number in wanted.tolist():
            at = number * page - start
            if at + page > len(held):
                start, at = number * page, 0
                held = self.read(start, max(page, PIECE // page * page))
            piece = memoryview(held)[at : at + page]
            long = number and len(piece) and not piece[0]  # pages of trees begin with their kind
            yield number, zlib.crc32(piece) | KNOWN | (OVERFLOW if long else 0) if len(piece) == page else 0


def damaged_pages(reader: PageReader, sums: Sums, logged: dict[int, set[int]], wholly: bool) -> list[int]:
    """Give the pages of a catalog that are not as they were written; `wholly`: kept texts are read too."""
    checked = (sums.pages & np.uint64(KNOWN)) > 0
    long = (sums.pages & np.uint64(OVERFLOW)) > 0
    if not wholly and int(long.sum()) * sums.page > TEXTS:
        checked &= ~long
    checked[[page for page in logged if page < len(checked)]] = False
    found = reader.checksums(sums.page, np.flatnonzero(checked))
    return [page for page, crc in found if crc != int(sums.pages[page])]


def completed(reader: PageReader, sums: Sums | None, commit: int) -> Sums:
    """Give the checksums of a catalog whose log is empty: those that are known, and the others made now."""
    page = sums.page if sums is not None else _page_size(reader)
    made = np.zeros(reader.size // page, np.uint64)
    if sums is not None:
        kept = min(len(made), len(sums.pages))
        made[:kept] = sums.pages[:kept]
    for number, crc in reader.checksums(page, np.flatnonzero(made == 0)):
        made[number] = crc
    return Sums(commit, page, made)


def _page_size(reader: PageReader) -> int:
    size = int.from_bytes(reader.read(16, 2), "big")
    return 65536 if size == 1 else max(size, 512)
