"""Look into a zip archive; one whose end is lost is read from its beginning as far as it goes."""

from __future__ import annotations

import calendar
import contextlib
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from copysift.runtime.lazy_dataclass import dataclass
from copysift.sources.container_limits import BROKEN, Budget, DamagedError, Item, LimitReachedError

CHUNK = 1 << 16

_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR64 = struct.Struct("<4sLQL")
_LOCAL = struct.Struct("<4s5H3L2H")
_ENCRYPTED, _SIZES_FOLLOW, _UTF8 = 0x1, 0x8, 0x800
_PASSWORD = "is protected by a password"
_DIRECTORY_BYTES = 256  # of a member in the table of contents, on average, that are still believable


def zip_items(file: BinaryIO, budget: Budget) -> Iterator[Item]:
    """Give the members of a zip in the order of its table of contents."""
    check_directory(file, budget)
    try:
        archive = zipfile.ZipFile(file)
    except BROKEN:
        with contextlib.suppress(*BROKEN):
            yield from _from_the_beginning(file, budget)
        raise DamagedError("is truncated or damaged: what could be read was kept") from None
    with archive:
        for info in archive.infolist():
            if not info.filename.endswith(("/", "\\")):
                yield Item(
                    info.filename, _time(info.date_time), _reason(info), _Member(archive, info, budget)
                )


def check_directory(file: BinaryIO, budget: Budget) -> None:
    """Refuse a table of contents that would fill the memory: zipfile reads all of it at once."""
    size = file.seek(0, 2)
    start = file.seek(max(0, size - _END.size - 0xFFFF - _LOCATOR64.size))
    tail = file.read()
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) < at + _END.size:
        return
    directory = _END.unpack_from(tail, at)[5]
    if at >= _LOCATOR64.size and tail.startswith(b"PK\6\7", at - _LOCATOR64.size):
        file.seek(max(0, start + at - _LOCATOR64.size - _END64.size))
        end64 = file.read(_END64.size)
        if end64.startswith(b"PK\6\6"):
            directory = max(directory if directory != 0xFFFFFFFF else 0, _END64.unpack(end64)[8])
    if min(directory, size) > budget.limits.members * _DIRECTORY_BYTES:
        raise LimitReachedError(f"has more than {budget.limits.members:,} members")


def _reason(info: zipfile.ZipInfo) -> str:
    if info.flag_bits & _ENCRYPTED:
        return _PASSWORD
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        return "is a symbolic link inside an archive"
    return ""


def _time(when: tuple[int, int, int, int, int, int]) -> int:
    """Nanoseconds of a zip's wall-clock time, which names no zone; 0 when it makes no sense."""
    year, month, day, hour, minute, second = when
    if not (1 <= month <= 12 and 1 <= day <= 31 and hour < 24 and minute < 60):
        return 0
    return calendar.timegm((year, month, day, hour, minute, second)) * 10**9


@dataclass(frozen=True, slots=True)
class _Member:
    archive: zipfile.ZipFile
    info: zipfile.ZipInfo
    budget: Budget

    def __call__(self) -> Iterator[bytes]:
        with self.archive.open(self.info) as member:
            while chunk := member.read(CHUNK):
                self.budget.unpack(len(chunk))
                yield chunk


def _from_the_beginning(file: BinaryIO, budget: Budget) -> Iterator[Item]:
    """Follow the headers that are in front of the members until one is not there."""
    at = 0
    while True:
        file.seek(at)
        header = file.read(_LOCAL.size)
        if len(header) < _LOCAL.size or not header.startswith(b"PK\3\4"):
            return
        _, _, flags, method, clock, date, crc, packed, _, name_size, extra_size = _LOCAL.unpack(header)
        name = file.read(name_size).decode("utf-8" if flags & _UTF8 else "cp437", "replace")
        at = file.seek(at + _LOCAL.size + name_size + extra_size)
        member = _Salvage(file, at, None if flags & _SIZES_FOLLOW else (packed, crc), method, budget)
        reason = _PASSWORD if flags & _ENCRYPTED else ""
        if method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or (method == 0 and not member.sizes):
            reason = reason or "is packed in a way that cannot be read without the end of the archive"
        if not name.endswith("/"):
            yield Item(name, _time(_dos_time(date, clock)), reason, member)
        if not member.sizes and reason:
            return
        at = at + packed if member.sizes else member.end()


def _dos_time(date: int, clock: int) -> tuple[int, int, int, int, int, int]:
    return (
        1980 + (date >> 9), date >> 5 & 15, date & 31, clock >> 11, clock >> 5 & 63, 2 * (clock & 31)
    )  # fmt: skip


@dataclass(slots=True)
class _Salvage:
    """The bytes of a member whose header alone is known; `sizes` is (packed bytes, CRC-32) if known."""

    file: BinaryIO
    start: int
    sizes: tuple[int, int] | None
    method: int
    budget: Budget
    packed_end: int = 0  # known once the member was inflated to its end

    def __call__(self) -> Iterator[bytes]:
        check = 0
        for chunk in self._inflated() if self.method == zipfile.ZIP_DEFLATED else self._stored():
            check = zlib.crc32(chunk, check)
            yield chunk
        if self.sizes and check != self.sizes[1]:
            raise zipfile.BadZipFile("its checksum is wrong")

    def end(self) -> int:
        """Where the next header starts after a member whose size is behind it, not before."""
        if not self.packed_end:
            for _ in self._inflated():
                pass
        self.file.seek(self.packed_end)
        behind = self.file.read(28)
        # CRC and two sizes of 4 or 8 bytes, with or without a signature: whatever leads to a header.
        sizes = (size for size in (16, 12, 24, 20) if behind[size : size + 2] == b"PK")
        return self.packed_end + next(sizes, 16)

    def _stored(self) -> Iterator[bytes]:
        self.file.seek(self.start)
        left = self.sizes[0] if self.sizes else 0
        while left:
            chunk = self.file.read(min(left, CHUNK))
            if not chunk:
                raise EOFError
            left -= len(chunk)
            self.budget.unpack(len(chunk))
            yield chunk

    def _inflated(self) -> Iterator[bytes]:
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        at = self.start
        while not inflate.eof:
            packed = inflate.unconsumed_tail
            if not packed:
                self.file.seek(at)
                packed = self.file.read(CHUNK)
                at += len(packed)
                if not packed:
                    raise EOFError
            chunk = inflate.decompress(packed, CHUNK)
            self.budget.unpack(len(chunk))
            yield chunk
        self.packed_end = at - len(inflate.unused_data)
