"""The one type that carries a document, in every command: a name, its bytes, and what is known about it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, Protocol

from copysift.runtime.lazy_dataclass import dataclass

INSIDE = "!"  # between a container and its member in a name: outer!inner


class Hint(NamedTuple):
    """What helps to choose the kind of a document; empty where nothing is known.

    `file` is a path to judge by: that of a member as if its container were a folder, or the file name in a
    field of a record. `language` is a field of a record, `kind` a kind that was wanted.
    """

    file: str = ""
    language: str = ""
    kind: str = ""


NO_HINT = Hint()


class Content(Protocol):
    """Bytes that can be read again."""

    @property
    def size(self) -> int:
        """Number of bytes."""

    @property
    def data(self) -> bytes | None:
        """The bytes, or None for what is not in memory."""

    def chunks(self) -> Iterator[bytes]:
        """Give the bytes in chunks, as often as needed; raise InputError if they changed."""

    def open(self) -> BinaryIO:
        """Open the bytes as a stream that can seek; the caller closes it."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Content that is in memory; `mtime_ns` is the time that a container has for it."""

    data: bytes
    mtime_ns: int = 0

    @property
    def size(self) -> int:
        """Number of bytes."""
        return len(self.data)

    def chunks(self) -> Iterator[bytes]:
        """Give the bytes."""
        if self.data:
            yield self.data

    def open(self) -> BinaryIO:
        """Open the bytes as a stream."""
        return io.BytesIO(self.data)


@dataclass(frozen=True, slots=True)
class Document:
    """One document: what every command reads.

    `name` is unique in a job; that of a member of a container is `outer!inner`, and one that is not UTF-8
    has surrogate escapes. `unit` names the unit that it belongs to ("": itself), `fields` has the other
    fields of a record as JSON, `read_as` says how it was read where it is not simply a file. Where the
    content is a text that was read from a file of another format, `original` is the checksum of that file:
    documents with the same text are equal only if their files are; `file_size` is its size. A further name of
    a file that was listed before, a hard link or a link that was followed, is `same_as` the first one. One
    that was read has its `checksum`, and its bytes in memory if they are few.

    >>> document = copysift.Document.of("notes", "some text")
    >>> document.name, document.size
    ('notes', 9)
    """

    name: str
    content: Content
    hint: Hint = NO_HINT
    unit: str = ""
    date: str = ""
    uri: str = ""
    fields: str | None = None
    read_as: str = ""
    original: bytes = b""
    file_size: int | None = None
    same_as: str = ""
    checksum: bytes = b""

    @classmethod
    def of(cls, name: str, content: str | bytes, *, kind: str = "", language: str = "") -> Document:
        """Make a document of a text or of bytes in memory.

        >>> copysift.Document.of("a.py", "print(1)", language="python").hint.language
        'python'
        """
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else bytes(content)
        return cls(name, Memory(data), Hint(kind=kind, language=language))

    def as_read(self, content: Content, checksum: bytes) -> Document:
        """Give the document with its content as it was read.

        >>> note = copysift.Document.of("a.txt", "some text")
        >>> note.as_read(note.content, b"its checksum").checksum
        b'its checksum'
        """
        return Document(  # not dataclasses.replace, which takes longer than reading a small file
            self.name, content, self.hint, self.unit, self.date, self.uri, self.fields, self.read_as,
            self.original, self.file_size, self.same_as, checksum,
        )  # fmt: skip

    @property
    def path(self) -> str:
        """The name: for files, their path.

        >>> copysift.Document.of("a.txt", "some text").path
        'a.txt'
        """
        return self.name

    @property
    def size(self) -> int:
        """Number of bytes, as they were listed.

        >>> copysift.Document.of("a.txt", "čtyři").size
        7
        """
        return self.content.size

    @property
    def file(self) -> str:
        """The path by which the kind is judged.

        >>> copysift.Document.of("a.txt", "some text").file
        'a.txt'
        """
        return self.hint.file or self.name
