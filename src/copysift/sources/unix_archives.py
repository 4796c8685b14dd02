"""Archives of ar, which Debian packages and static libraries are, and of cpio; their headers are text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from copysift.model.document import Document
from copysift.sources.container_limits import Budget, DamagedError, Item
from copysift.sources.containers import give_members
from copysift.sources.source import MEMBERS, WHOLE, Given, Part, Reading, SourceTraits, WholeSource

_CHUNK = 1 << 16
_SHORT = "is cut short or damaged: what came before was kept"
AR_MAGIC = b"!<arch>\n"
CPIO_MAGIC = (b"070701", b"070702", b"070707")
_LONGEST = 1 << 16  # bytes of a name
_TABLE = 1 << 24  # bytes of the names of an ar archive
_KIND, _REGULAR, _FOLDER, _LINK = 0o170000, 0o100000, 0o040000, 0o120000


class ArSource(WholeSource):
    """Members of ar archives."""

    traits = SourceTraits("ar", "Debian packages and other ar archives", MEMBERS, (AR_MAGIC,))

    def open(self, outer: Document, reading: Reading, part: Part = WHOLE) -> Given:
        """Give the members in their order; tables of symbols are no files."""
        return give_members(outer, reading, "member of an ar archive", ar_items)


class CpioSource(WholeSource):
    """Members of cpio archives."""

    traits = SourceTraits("cpio", "cpio archives", MEMBERS, CPIO_MAGIC)

    def open(self, outer: Document, reading: Reading, part: Part = WHOLE) -> Given:
        """Give the members in their order."""
        return give_members(outer, reading, "member of a cpio archive", cpio_items)


def ar_items(file: BinaryIO, budget: Budget) -> Iterator[Item]:
    """Give the members of an ar archive, with the long names of GNU and BSD."""
    if file.read(len(AR_MAGIC)) != AR_MAGIC:
        raise DamagedError("is not an ar archive")
    names = b""
    while header := file.read(60):
        if len(header) < 60 or header[58:] != b"`\n":
            raise DamagedError(_SHORT)
        size, name = _number(header[48:58], 10), header[:16].rstrip()
        end = file.tell() + size + size % 2
        if name == b"//":
            names = file.read(min(size, _TABLE))
        elif name.startswith(b"#1/"):
            length = min(_number(name[3:], 10), size, _LONGEST)
            name, size = file.read(length).rstrip(b"\0"), size - length
        elif name[:1] == b"/" and name[1:].isdigit():
            at = int(name[1:])
            name = names[at : at + _LONGEST].partition(b"/\n")[0]
        if name not in (b"/", b"//", b"/SYM64/", b"__.SYMDEF", b"__.SYMDEF SORTED"):
            shown = name.removesuffix(b"/").decode("utf-8", "replace")
            yield Item(shown, _time(header[16:28], 10), "", _chunks(file, file.tell(), size, budget))
        _go_to(file, end)


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
            yield Item(name, mtime * 10**9, reason, _chunks(file, start, size, budget))
        _go_to(file, start + size + (-size % pad))


def _cpio_header(file: BinaryIO) -> tuple[int, int, int, str, int]:
    """Give mode, time, size, name, and to what a member is padded."""
    magic = file.read(6)
    if magic in (b"070701", b"070702"):
        rest = file.read(104)
        fields = [_number(rest[at : at + 8], 16) for at in range(0, 104, 8)] if len(rest) == 104 else []
        if not fields or fields[11] > _LONGEST:
            raise DamagedError(_SHORT)
        name = file.read(fields[11])
        file.read(-(110 + fields[11]) % 4)
        return fields[1], fields[5], fields[6], _name(name), 4
    rest = file.read(70) if magic == b"070707" else b""
    if len(rest) < 70:
        raise DamagedError(_SHORT)
    length = _number(rest[53:59], 8)
    if length > _LONGEST:
        raise DamagedError(_SHORT)
    name = file.read(length)
    return _number(rest[12:18], 8), _number(rest[42:53], 8), _number(rest[59:70], 8), _name(name), 1


def _name(raw: bytes) -> str:
    return raw.rstrip(b"\0").decode("utf-8", "replace")


def _number(digits: bytes, base: int) -> int:
    try:
        value = int(digits, base)
    except ValueError:
        raise DamagedError(_SHORT) from None
    if value < 0:
        raise DamagedError(_SHORT)
    return value


def _time(digits: bytes, base: int) -> int:
    return int(digits, base) * 10**9 if digits.strip().isdigit() else 0


def _go_to(file: BinaryIO, end: int) -> None:
    """Go to the next header; a size that the file does not have is damage."""
    size = file.seek(0, 2)
    if end > size + 1:  # the last padding may be missing
        raise DamagedError(_SHORT)
    file.seek(min(end, size))


def _chunks(file: BinaryIO, start: int, size: int, budget: Budget) -> Callable[[], Iterator[bytes]]:
    def chunks() -> Iterator[bytes]:
        file.seek(start)
        left = size
        while left:
            chunk = file.read(min(left, _CHUNK))
            if not chunk:
                raise EOFError
            left -= len(chunk)
            budget.unpack(len(chunk))
            yield chunk

    return chunks


AR, CPIO = ArSource(), CpioSource()
