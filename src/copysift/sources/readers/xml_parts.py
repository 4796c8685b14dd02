"""Zip files of XML parts, which office documents are, read within limits.

expat of the standard library reads the XML: it is kept by the Python developers, never loads anything from
elsewhere, and streams, so that no tree is built. A declaration of entities, with which a small file can
unfold to gigabytes, is refused; office formats have none.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator
from xml.parsers import expat

from copysift.runtime.plurals import plural as plural
from copysift.sources.container_limits import Budget, LimitReachedError
from copysift.sources.readers.reader import TextLimits, UnreadableError
from copysift.sources.zip_members import check_directory

CHUNK = 1 << 16
_ENCRYPTED = 0x1

Start = Callable[[str, dict[str, str]], None]
End = Callable[[str], None]


class Parts:
    """The parts of an office document."""

    def __init__(self, data: bytes, limits: TextLimits, budget: Budget) -> None:
        self._limits, self._budget = limits, budget
        file = io.BytesIO(data)
        check_directory(file, budget)
        file.seek(0)
        self._archive = zipfile.ZipFile(file)
        self.names = self._archive.namelist()

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def chunks(self, name: str) -> Iterator[bytes]:
        """Give a part in chunks; all that is unpacked counts."""
        try:
            info = self._archive.getinfo(name)
        except KeyError:
            raise UnreadableError(f"is damaged: it has no {name}") from None
        if info.flag_bits & _ENCRYPTED:
            raise UnreadableError("is protected by a password")
        left = self._limits.text_bytes
        with self._archive.open(info) as part:
            while chunk := part.read(CHUNK):
                self._budget.unpack(len(chunk))
                left -= len(chunk)
                if left < 0:
                    raise LimitReachedError(f"has more than {self._limits.text_bytes:,} bytes in {name}")
                yield chunk

    def read(self, name: str) -> bytes:
        """Give a part whole."""
        return b"".join(self.chunks(name))

    def numbered(self, prefix: str, suffix: str = ".xml") -> list[str]:
        """Give the parts prefix1.xml, prefix2.xml … in the order of their numbers."""
        found = []
        for name in self.names:
            number = name.removeprefix(prefix).removesuffix(suffix)
            if name.startswith(prefix) and name.endswith(suffix) and number.isdecimal():
                found.append((int(number), name))
        return [name for _, name in sorted(found)]


class Output:
    """Text that grows up to a limit."""

    def __init__(self, limits: TextLimits) -> None:
        self._parts: list[str] = []
        self._left = self._most = limits.text_bytes

    def add(self, text: str) -> None:
        """Add some text."""
        self._left -= len(text)
        if self._left < 0:
            raise LimitReachedError(f"has more than {self._most:,} bytes of text")
        self._parts.append(text)

    def text(self) -> bytes:
        """Give what was added, in UTF-8."""
        return "".join(self._parts).encode("utf-8", "replace")


def parse(chunks: Iterable[bytes], start: Start, end: End, text: Callable[[str], None]) -> None:
    """Call the functions with local names of elements and attributes, and with text."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True

    def begin(tag: str, attributes: dict[str, str]) -> None:
        start(_local(tag), {_local(name): value for name, value in attributes.items()})

    def declared(name: str, system: str | None, public: str | None, inside: bool) -> None:
        if inside:
            raise UnreadableError("declares entities in its XML, which may be an attack")

    parser.StartElementHandler = begin
    parser.EndElementHandler = lambda tag: end(_local(tag))
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = declared
    try:
        for chunk in chunks:
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise UnreadableError(f"is damaged: {error}") from None


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


class Runs:
    """Takes the text of some elements, with a line for each paragraph."""

    def __init__(
        self, output: Output, inside: Collection[str], hidden: Collection[str], signs: dict[str, str],
        paragraphs: Collection[str],
    ) -> None:  # fmt: skip
        self._output, self._inside, self._hidden = output, inside, hidden
        self._signs, self._paragraphs = signs, paragraphs
        self._depth = self._hiding = 0
        self.count = 0  # of paragraphs

    def take(self, chunks: Iterable[bytes]) -> None:
        """Take the text of a part."""
        self._depth = self._hiding = 0
        parse(chunks, self._start, self._end, self._text)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in self._hidden:
            self._hiding += 1
        elif self._hiding:
            return
        elif tag in self._inside:
            self._depth += 1
        if not self._hiding and (sign := self._signs.get(tag)):
            self._output.add(sign)

    def _end(self, tag: str) -> None:
        if tag in self._hidden:
            self._hiding -= 1
        elif self._hiding:
            return
        elif tag in self._inside:
            self._depth -= 1
        if not self._hiding and tag in self._paragraphs:
            self._output.add("\n")
            self.count += 1

    def _text(self, text: str) -> None:
        if self._depth and not self._hiding:
            self._output.add(text)
