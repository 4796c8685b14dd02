"""Read a file once: its bytes if it is small, and its checksum.

A document that was read has its checksum, and its bytes as a content in memory. Large files are read in
chunks, and again in chunks whenever their content is wanted, so that memory does not grow with them.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Container, Sequence

from copysift import kernels
from copysift.errors import InputError
from copysift.model.document import Document, Memory
from copysift.model.values import LIMIT, Skipped
from copysift.runtime.timing import TooSlowDocumentError, timed
from copysift.sources.file_content import CHANGED, SHORT, FileContent, RemoteFile, is_changed, read_chunks
from copysift.sources.opening import open_regular, why

try:
    import resource
except ImportError:  # Windows, where small files are read one by one
    resource = None  # type: ignore[assignment]

SMALL = 8 << 20  # bytes; up to this a file stays in memory
MOST_OPEN = 64  # files that one thread has open at once
DIGEST = 16  # bytes of a checksum: two different files meet by chance once in 2**64 files


def load_many(
    entries: Sequence[Document], lonely: Container[int] = (), seconds: float | None = None
) -> list[Document | Skipped]:
    """Read documents together, as `load` does one by one.

    A file of a `lonely` size is equal to no other and has an empty checksum, unless its size has changed.
    What is not a small regular file that can be read at once is left to `load`, which knows why.
    """
    contents = [entry.content for entry in entries]
    files = [content for content in contents if isinstance(content, FileContent)]
    if len(files) < len(contents):  # members and records are not read from files
        loaded = iter(load_many([entry for entry in entries if is_file(entry)], lonely, seconds))
        return [next(loaded) if is_file(entry) else load(entry) for entry in entries]
    paths = [os.fsencode(content.path) for content in files]
    follow = [content.follow for content in files]
    many = _open_at_once()
    read = []
    for start in range(0, len(paths), many):
        read += kernels.files.read_files(paths[start : start + many], follow[start : start + many], SMALL)
    summed = [
        found is not None and (len(found[0]) not in lonely or len(found[0]) != content.size)
        for content, found in zip(files, read, strict=True)
    ]
    wanted = [found[0] for found, needed in zip(read, summed, strict=True) if needed and found is not None]
    checksums = iter(kernels.checksum.checksums(wanted, DIGEST))
    out: list[Document | Skipped] = []
    for entry, found, needed in zip(entries, read, summed, strict=True):
        if found is None:
            out.append(load(entry, seconds))
            continue
        data, mtime_ns = found
        out.append(entry.as_read(Memory(data, mtime_ns), next(checksums) if needed else b""))
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


def load(entry: Document, seconds: float | None = None) -> Document | Skipped:
    """Read a document, or say why it cannot be read, as when it takes more than `seconds`."""
    content = entry.content
    if not isinstance(content, FileContent):
        data = content.data or b""
        return entry.as_read(Memory(data), entry.original or checksum_of(data))
    if isinstance(content, RemoteFile):
        return _load_remote(entry, content, seconds)
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
                return Skipped(entry.name, CHANGED if is_changed(descriptor, status) else SHORT)
            return entry.as_read(Memory(data, status.st_mtime_ns), checksum_of(data))
        digest = hashlib.blake2b(digest_size=DIGEST)
        for chunk in timed(read_chunks(descriptor, status, path), seconds):
            digest.update(chunk)
        return entry.as_read(content._replace(size=size, mtime_ns=status.st_mtime_ns), digest.digest())
    except TooSlowDocumentError as error:
        return Skipped(entry.name, error.message, LIMIT)
    except InputError as error:
        return Skipped(entry.name, error.message.removeprefix(f"{path}: "))
    except OSError as error:
        return Skipped(entry.name, why(error))
    finally:
        os.close(descriptor)


def _load_remote(entry: Document, content: RemoteFile, seconds: float | None) -> Document | Skipped:
    """Fetch a document; a large one is fetched again whenever it is read."""
    digest, size, kept = hashlib.blake2b(digest_size=DIGEST), 0, [b""]
    try:
        for chunk in timed(content.chunks(), seconds):
            digest.update(chunk)
            size += len(chunk)
            kept = [*kept, chunk] if size <= SMALL else []
    except TooSlowDocumentError as error:
        return Skipped(entry.name, error.message, LIMIT)
    except InputError as error:
        return Skipped(entry.name, error.message.removeprefix(f"{entry.name}: "))
    small = size <= SMALL
    held = Memory(b"".join(kept), content.mtime_ns) if small else content._replace(size=size)
    return entry.as_read(held, digest.digest())


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
