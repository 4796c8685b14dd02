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


def read_heads(paths: Sequence[bytes], follow: Sequence[bool], most: int) -> list[bytes | None]:
    """Give the first `most` bytes of regular files, all of shorter ones; None for what is not had."""
    return [_head(*each, most) for each in zip(paths, follow, strict=True)]


def _head(path: bytes, follow: bool, most: int) -> bytes | None:
    try:
        descriptor = os.open(path, _FLAGS if follow else _FLAGS | getattr(os, "O_NOFOLLOW", 0))
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        data = b""
        while len(data) < most and (more := os.read(descriptor, most - len(data))):
            data += more
        return data
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
