"""Read a file once: its bytes if it is small, and its checksum.

Large files are read in chunks, and again in chunks whenever `Loaded.open` is called, so that memory
does not grow with them. Nothing is mapped into memory: a mapped file that is cut short kills the
process.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from copysift import kernels
from copysift.errors import InputError
from copysift.model.values import Skipped
from copysift.sources.opening import open_regular, why
from copysift.sources.walk import Entry

try:
    import resource
except ImportError:  # Windows, where small files are read one by one
    resource = None  # type: ignore[assignment]

SMALL = 8 << 20  # bytes; up to this a file stays in memory
CHUNK = 1 << 20
MOST_OPEN = 64  # files that one thread has open at once
DIGEST = 16  # bytes of a checksum: two different files meet by chance once in 2**64 files

_CHANGED = "changed while it was read"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A file with its checksum; `data` is None when it is too large to stay in memory."""

    entry: Entry
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
        path = self.entry.path
        try:
            descriptor, status = open_regular(path, follow=self.entry.follow)
        except OSError as error:
            raise InputError(f"{path}: {why(error)}") from error
        try:
            if (status.st_size, status.st_mtime_ns) != (self.size, self.mtime_ns):
                raise _changed(path)
            yield from _chunks(descriptor, status, path)
        finally:
            os.close(descriptor)


def load_many(entries: Sequence[Entry], lonely: Container[int] = ()) -> list[Loaded | Skipped]:
    """Read the files of entries together, as `load` does one by one.

    A file of a `lonely` size is equal to no other and has an empty checksum, unless its size has changed.
    What is not a small regular file that can be read at once is left to `load`, which knows why.
    """
    paths = [os.fsencode(entry.path) for entry in entries]
    follow = [entry.follow for entry in entries]
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


def _summed(entry: Entry, data: bytes, lonely: Container[int]) -> bool:
    return entry.size not in lonely or len(data) != entry.size


def load(entry: Entry) -> Loaded | Skipped:
    """Read the file of an entry, or say why it cannot be read."""
    path = entry.path
    if entry.spool is not None:
        data = entry.spool.read(entry.offset, entry.size)
        return Loaded(entry, data, len(data), hashlib.blake2b(data, digest_size=DIGEST).digest(), 0)
    try:
        descriptor, status = open_regular(path, follow=entry.follow)
    except OSError as error:
        return Skipped(path, why(error))
    try:
        size = status.st_size
        if size <= SMALL:
            data = _read(descriptor, size)
            if len(data) < size:
                return Skipped(path, _CHANGED)
            checksum = hashlib.blake2b(data, digest_size=DIGEST).digest()
            return Loaded(entry, data, size, checksum, status.st_mtime_ns)
        digest = hashlib.blake2b(digest_size=DIGEST)
        for chunk in _chunks(descriptor, status, path):
            digest.update(chunk)
        return Loaded(entry, None, size, digest.digest(), status.st_mtime_ns)
    except InputError:
        return Skipped(path, _CHANGED)
    except OSError as error:
        return Skipped(path, why(error))
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


def _chunks(descriptor: int, status: os.stat_result, path: str) -> Iterator[bytes]:
    """Give a file in chunks and raise InputError unless it is the same file at the end."""
    left = status.st_size
    while left and (chunk := os.read(descriptor, min(CHUNK, left))):
        left -= len(chunk)
        yield chunk
    now = os.fstat(descriptor)
    if left or (now.st_size, now.st_mtime_ns) != (status.st_size, status.st_mtime_ns):
        raise _changed(path)


def _changed(path: str) -> InputError:
    return InputError(f"{path}: {_CHANGED}", hint="Run again when nothing writes to it.")
