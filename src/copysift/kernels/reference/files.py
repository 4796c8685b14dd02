"""Many small files at once, to be read: the definition of what `_files` does without the GIL."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)


def read_files(paths: Sequence[bytes], follow: Sequence[bool], most: int) -> list[tuple[bytes, int] | None]:
    """Read regular files of at most `most` bytes; give (data, mtime_ns) of each, or None.

    None represents whatever is not as simple as that: the caller looks at such a file by itself.
    """
    return [_read(*each, most) for each in zip(paths, follow, strict=True)]


def look_at(
    paths: Sequence[bytes], follow: Sequence[bool], most: int
) -> list[tuple[int, int, int, int, bytes] | None]:
    """Give (size, mtime_ns, device, inode, head) of regular files; None for what is not had.

    The head is the first `most` bytes, all of a shorter file.
    """
    return [_look_at(*each, most) for each in zip(paths, follow, strict=True)]


def _look_at(path: bytes, follow: bool, most: int) -> tuple[int, int, int, int, bytes] | None:
    try:
        descriptor = os.open(path, _FLAGS if follow else _FLAGS | getattr(os, "O_NOFOLLOW", 0))
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        data = b""
        while len(data) < min(most, status.st_size) and (more := os.read(descriptor, most - len(data))):
            data += more
        return status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino, data
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _read(path: bytes, follow: bool, most: int) -> tuple[bytes, int] | None:
    try:
        descriptor = os.open(path, _FLAGS if follow else _FLAGS | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > most:
            return None
        data = b""
        while len(data) < status.st_size and (more := os.read(descriptor, status.st_size - len(data))):
            data += more
        return (data, status.st_mtime_ns) if len(data) == status.st_size else None
    except OSError:
        return None
    finally:
        os.close(descriptor)
