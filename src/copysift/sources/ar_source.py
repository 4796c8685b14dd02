"""Archives of ar, which Debian packages and static libraries are; their headers are text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from copysift.model.document import Document
from copysift.sources.container_limits import Budget, DamagedError, Item
from copysift.sources.containers import give_members
from copysift.sources.source import MEMBERS, WHOLE, Given, Part, Reading, SourceTraits, WholeSource

_CHUNK = 1 << 16
SHORT = "is cut short or damaged: what came before was kept"
LONGEST = 1 << 16  # bytes of a name
_TABLE = 1 << 24  # bytes of the names of an ar archive


class ArSource(WholeSource):
    """Members of ar archives."""

    traits = SourceTraits("ar", "Debian packages and other ar archives", MEMBERS, magic=(b"!<arch>\n",))

    def open(self, outer: Document, reading: Reading, part: Part = WHOLE) -> Given:
        """Give the members in their order; tables of symbols are no files."""
        return give_members(outer, reading, "member of an ar archive", ar_items)


def ar_items(file: BinaryIO, budget: Budget) -> Iterator[Item]:
    """Give the members of an ar archive, with the long names of GNU and BSD."""
    if file.read(8) != b"!<arch>\n":
        raise DamagedError("is not an ar archive")
    names = b""
    while header := file.read(60):
        if len(header) < 60 or header[58:] != b"`\n":
            raise DamagedError(SHORT)
        size, name = number_of(header[48:58], 10), header[:16].rstrip()
        end = file.tell() + size + size % 2
        if name == b"//":
            names = file.read(min(size, _TABLE))
        elif name.startswith(b"#1/"):
            length = min(number_of(name[3:], 10), size, LONGEST)
            name, size = file.read(length).rstrip(b"\0"), size - length
        elif name[:1] == b"/" and name[1:].isdigit():
            at = int(name[1:])
            name = names[at : at + LONGEST].partition(b"/\n")[0]
        if name not in (b"/", b"//", b"/SYM64/", b"__.SYMDEF", b"__.SYMDEF SORTED"):
            shown = name.removesuffix(b"/").decode("utf-8", "replace")
            yield Item(shown, _time(header[16:28], 10), "", chunks_at(file, file.tell(), size, budget))
        go_to(file, end)


def number_of(digits: bytes, base: int) -> int:
    """Read a number of a header, which may be damaged."""
    try:
        value = int(digits, base)
    except ValueError:
        raise DamagedError(SHORT) from None
    if value < 0:
        raise DamagedError(SHORT)
    return value


def _time(digits: bytes, base: int) -> int:
    return int(digits, base) * 10**9 if digits.strip().isdigit() else 0


def go_to(file: BinaryIO, end: int) -> None:
    """Go to the next header; a size that the file does not have is damage."""
    size = file.seek(0, 2)
    if end > size + 1:  # the last padding may be missing
        raise DamagedError(SHORT)
    file.seek(min(end, size))


def chunks_at(file: BinaryIO, start: int, size: int, budget: Budget) -> Callable[[], Iterator[bytes]]:
    """Give what reads the bytes of a member."""

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


SOURCE = ArSource()
