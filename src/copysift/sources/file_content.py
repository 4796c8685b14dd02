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
SHORT = "ends before the size that the system gives for it"
HIDDEN = "has content, although the system says that it is empty; copy it to read it"
HOLES = 1 << 30  # bytes from which on a file is asked for its holes
SHARE = 1 << 10  # what it has on disk is at least this part of it, or it is not read


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
    if left or is_changed(descriptor, status):
        raise changed(path) if is_changed(descriptor, status) else InputError(f"{path}: {SHORT}")


def is_changed(descriptor: int, status: os.stat_result) -> bool:
    """Say whether a file is another than it was."""
    now = os.fstat(descriptor)
    return (now.st_size, now.st_mtime_ns) != (status.st_size, status.st_mtime_ns)


def false_size(content: FileContent) -> str:
    """Say what is wrong with the size of a file, if it is as below /proc, or of a file of holes: it hides
    what is there, or would take hours to read though there is nothing.
    """
    if isinstance(content, RemoteFile) or 0 < content.size < HOLES:
        return ""
    try:
        descriptor, status = open_regular(content.path, follow=content.follow)
        try:
            if not status.st_size:
                return HIDDEN if os.read(descriptor, 1) and not os.fstat(descriptor).st_size else ""
        finally:
            os.close(descriptor)
    except OSError:
        return ""  # whoever reads it will say why
    held = getattr(status, "st_blocks", status.st_size) * 512
    if held >= status.st_size // SHARE:
        return ""
    return (
        f"is a file of holes: {status.st_size:,} bytes, of which {held:,} are on disk "
        "(--max-bytes-per-file SIZE reads it)"
    )


def changed(path: str) -> InputError:
    """Make the error of a file that changed."""
    return InputError(f"{path}: {CHANGED}", hint="Run again when nothing writes to it.")


def file_at(path: str, size: int = 0, mtime_ns: int = 0) -> FileContent:
    """Give the content of a file that is known by its path."""
    made = RemoteFile if is_uri(path) else FileContent
    return made(path, size, mtime_ns, follow=True)
