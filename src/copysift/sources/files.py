"""Read a file once: its bytes if it is small, and its checksum.

Large files are read in chunks, and again in chunks whenever `Loaded.open` is called, so that memory
does not grow with them.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from copysift import kernels
from copysift.errors import InputError
from copysift.model.document import Document
from copysift.model.values import Skipped
from copysift.sources.file_content import CHANGED, FileContent, read_chunks
from copysift.sources.opening import open_regular, why

try:
    import resource
except ImportError:  # Windows, where small files are read one by one
    resource = None  # type: ignore[assignment]

SMALL = 8 << 20  # bytes; up to this a file stays in memory
MOST_OPEN = 64  # files that one thread has open at once
DIGEST = 16  # bytes of a checksum: two different files meet by chance once in 2**64 files


@dataclass(frozen=True, slots=True)
class Loaded:
    """A document with its checksum; `data` is None when it is too large to stay in memory."""

    entry: Document
    data: bytes | None
    size: int
    checksum: bytes
    mtime_ns: int

    def open(self) -> Iterator[bytes]:
        """Give the bytes in chunks, as often as asked; raise InputError if the file has changed."""
        if self.data is not None:
            if self.data:
                yield self.data
            return
        content = self.entry.content
        if isinstance(content, FileContent):  # as it was when it was read, not when it was listed
            content = content._replace(size=self.size, mtime_ns=self.mtime_ns)
        yield from content.chunks()


def load_many(entries: Sequence[Document], lonely: Container[int] = ()) -> list[Loaded | Skipped]:
    """Read documents together, as `load` does one by one.

    A file of a `lonely` size is equal to no other and has an empty checksum, unless its size has changed.
    What is not a small regular file that can be read at once is left to `load`, which knows why.
    """
    contents = [entry.content for entry in entries]
    files = [content for content in contents if isinstance(content, FileContent)]
    if len(files) < len(contents):  # members and records are not read from files
        loaded = iter(load_many([entry for entry in entries if is_file(entry)], lonely))
        return [next(loaded) if is_file(entry) else load(entry) for entry in entries]
    paths = [os.fsencode(content.path) for content in files]
    follow = [content.follow for content in files]
    many = _open_at_once()
    read = []
    for start in range(0, len(paths), many):
        read += kernels.files.read_files(paths[start : start + many], follow[start : start + many], SMALL)
    wanted = [
        found[0]
        for entry, found in zip(entries, read, strict=True)
        if found is not None and _summed(entry, found[0], lonely)
    ]
    checksums = iter(kernels.checksum.checksums(wanted, DIGEST))
    out: list[Loaded | Skipped] = []
    for entry, found in zip(entries, read, strict=True):
        if found is None:
            out.append(load(entry))
            continue
        data, mtime_ns = found
        checksum = next(checksums) if _summed(entry, data, lonely) else b""
        out.append(Loaded(entry, data, len(data), checksum, mtime_ns))
    return out


def _open_at_once() -> int:
    """Give how many files one thread may have open: all threads together leave most descriptors free."""
    if resource is None:
        return 1
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if allowed == resource.RLIM_INFINITY:
        return MOST_OPEN
    return min(MOST_OPEN, max(1, allowed // (4 * max(16, threading.active_count()))))


def is_file(document: Document) -> bool:
    """Say whether a document is a file, not a member or a record."""
    return isinstance(document.content, FileContent)


def _summed(entry: Document, data: bytes, lonely: Container[int]) -> bool:
    return entry.size not in lonely or len(data) != entry.size


def load(entry: Document) -> Loaded | Skipped:
    """Read a document, or say why it cannot be read."""
    content = entry.content
    if not isinstance(content, FileContent):
        data = content.data or b""
        return Loaded(entry, data, len(data), entry.original or checksum_of(data), 0)
    path = content.path
    try:
        descriptor, status = open_regular(path, follow=content.follow)
    except OSError as error:
        return Skipped(entry.name, why(error))
    try:
        size = status.st_size
        if size <= SMALL:
            data = _read(descriptor, size)
            if len(data) < size:
                return Skipped(entry.name, CHANGED)
            checksum = checksum_of(data)
            return Loaded(entry, data, size, checksum, status.st_mtime_ns)
        digest = hashlib.blake2b(digest_size=DIGEST)
        for chunk in read_chunks(descriptor, status, path):
            digest.update(chunk)
        return Loaded(entry, None, size, digest.digest(), status.st_mtime_ns)
    except InputError:
        return Skipped(entry.name, CHANGED)
    except OSError as error:
        return Skipped(entry.name, why(error))
    finally:
        os.close(descriptor)


def _read(descriptor: int, size: int) -> bytes:
    """Read the first `size` bytes, fewer only at the end: a log that grows is taken as it was."""
    data = os.read(descriptor, size)
    while len(data) < size:
        more = os.read(descriptor, size - len(data))
        if not more:
            break
        data += more
    return data


def checksum_of(data: bytes) -> bytes:
    """Give the checksum of some bytes."""
    return hashlib.blake2b(data, digest_size=DIGEST).digest()
