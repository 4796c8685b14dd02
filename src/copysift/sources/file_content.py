"""The bytes of a regular file as a content: read when they are needed, and refused if they changed.

Nothing is mapped into memory: a mapped file that is truncated kills the process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from copysift.errors import InputError
from copysift.sources.opening import open_regular, why
from copysift.sources.places import is_uri, open_uri

CHUNK = 1 << 20
CHANGED = "changed while it was read"


class FileContent(NamedTuple):  # not a dataclass: a tree has a million of them
    """A regular file as it was listed; `follow`: it may be behind a symbolic link."""

    path: str
    size: int
    mtime_ns: int
    device: int = 0
    inode: int = 0
    follow: bool = False

    @property
    def data(self) -> None:
        """Nothing: a file is read when it is needed."""
        return

    def chunks(self) -> Iterator[bytes]:
        """Give the bytes in chunks; raise InputError if the file is not the one that was listed."""
        try:
            descriptor, status = open_regular(self.path, follow=self.follow)
        except OSError as error:
            raise InputError(f"{self.path}: {why(error)}") from error
        try:
            if (status.st_size, status.st_mtime_ns) != (self.size, self.mtime_ns):
                raise changed(self.path)
            yield from read_chunks(descriptor, status, self.path)
        finally:
            os.close(descriptor)

    def open(self) -> BinaryIO:
        """Open the file."""
        return open(open_regular(self.path, follow=self.follow)[0], "rb")


class RemoteFile(FileContent):
    """A file at a URI as it was listed; `mtime_ns` may be a number made of its ETag, 0: it is not known."""

    __slots__ = ()

    def chunks(self) -> Iterator[bytes]:
        """Give the bytes in chunks; raise InputError if they cannot be had or are not those listed."""
        size = 0
        try:
            with self.open() as file:
                while chunk := file.read(CHUNK):
                    size += len(chunk)
                    yield chunk
        except OSError as error:
            raise InputError(f"{self.path}: {why(error)}") from error
        if self.mtime_ns and size != self.size:
            raise changed(self.path)

    def open(self) -> BinaryIO:
        """Open the file."""
        return open_uri(self.path)


def read_chunks(descriptor: int, status: os.stat_result, path: str) -> Iterator[bytes]:
    """Give a file in chunks and raise InputError unless it is the same file at the end."""
    left = status.st_size
    while left and (chunk := os.read(descriptor, min(CHUNK, left))):
        left -= len(chunk)
        yield chunk
    now = os.fstat(descriptor)
    if left or (now.st_size, now.st_mtime_ns) != (status.st_size, status.st_mtime_ns):
        raise changed(path)


def changed(path: str) -> InputError:
    """Make the error of a file that changed."""
    return InputError(f"{path}: {CHANGED}", hint="Run again when nothing writes to it.")


def file_at(path: str, size: int = 0, mtime_ns: int = 0) -> FileContent:
    """Give the content of a file that is known by its path."""
    made = RemoteFile if is_uri(path) else FileContent
    return made(path, size, mtime_ns, follow=True)
