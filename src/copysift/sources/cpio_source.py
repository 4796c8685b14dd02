"""Archives of cpio, whose headers are text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from copysift.model.document import Document
from copysift.sources.ar_source import LONGEST, SHORT, chunks_at, go_to, number_of
from copysift.sources.container_limits import Budget, DamagedError, Item
from copysift.sources.containers import give_members
from copysift.sources.source import MEMBERS, WHOLE, Given, Part, Reading, SourceTraits, WholeSource

_KIND, _REGULAR, _FOLDER, _LINK = 0o170000, 0o100000, 0o040000, 0o120000


class CpioSource(WholeSource):
    """Members of cpio archives."""

    traits = SourceTraits("cpio", "cpio archives", MEMBERS, magic=(b"070701", b"070702", b"070707"))

    def open(self, outer: Document, reading: Reading, part: Part = WHOLE) -> Given:
        """Give the members in their order."""
        return give_members(outer, reading, "member of a cpio archive", cpio_items)


def cpio_items(file: BinaryIO, budget: Budget) -> Iterator[Item]:
    """Give the members of a cpio archive in the new or the old portable format."""
    while True:
        found = _cpio_header(file)
        mode, mtime, size, name, pad = found
        if name == "TRAILER!!!":
            return
        start = file.tell()
        if mode & _KIND != _FOLDER:
            reason = "" if mode & _KIND == _REGULAR else "is a link inside an archive"
            if mode & _KIND not in (_REGULAR, _LINK):
                reason = "is a device or a pipe inside an archive"
            yield Item(name, mtime * 10**9, reason, chunks_at(file, start, size, budget))
        go_to(file, start + size + (-size % pad))


def _cpio_header(file: BinaryIO) -> tuple[int, int, int, str, int]:
    """Give mode, time, size, name, and to what a member is padded."""
    magic = file.read(6)
    if magic in (b"070701", b"070702"):
        rest = file.read(104)
        fields = [number_of(rest[at : at + 8], 16) for at in range(0, 104, 8)] if len(rest) == 104 else []
        if not fields or fields[11] > LONGEST:
            raise DamagedError(SHORT)
        name = file.read(fields[11])
        file.read(-(110 + fields[11]) % 4)
        return fields[1], fields[5], fields[6], _name(name), 4
    rest = file.read(70) if magic == b"070707" else b""
    if len(rest) < 70:
        raise DamagedError(SHORT)
    length = number_of(rest[53:59], 8)
    if length > LONGEST:
        raise DamagedError(SHORT)
    name = file.read(length)
    return number_of(rest[12:18], 8), number_of(rest[42:53], 8), number_of(rest[59:70], 8), _name(name), 1


def _name(raw: bytes) -> str:
    return raw.rstrip(b"\0").decode("utf-8", "replace")


SOURCE = CpioSource()
