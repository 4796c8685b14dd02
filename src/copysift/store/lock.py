"""One writer at a time: a lock that ends with the process, and a note that names the one who has it."""

from __future__ import annotations

import errno
import json
import os
import platform
import time
from pathlib import Path

from copysift.errors import StoreError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

NAME = "writer.lock"
_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)  # somebody else has the lock


class WriterLock:
    """The right to write an index; taken when made, until `release` or the end of the process.

    The system holds it for the open file, so a kill releases it and no stale lock is ever left.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / NAME
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise StoreError(f"cannot write to {folder}: {error.strerror}") from error
        try:
            _lock(self._descriptor)
        except OSError as error:
            owner = _owner(self._descriptor)
            os.close(self._descriptor)
            if error.errno not in _HELD:
                raise StoreError(
                    f"cannot lock {path}: {error.strerror}",
                    hint="move the index to a file system with locks, such as a local disk",
                ) from error
            raise StoreError(
                f"{folder} is being written by {owner}",
                hint="wait for it; you can query meanwhile",
            ) from None
        note = {"pid": os.getpid(), "host": platform.node(), "since": int(time.time())}
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, json.dumps(note).encode(), 0)

    def release(self) -> None:
        """Let the next writer in."""
        if self._descriptor >= 0:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = -1


def _lock(descriptor: int) -> None:
    if fcntl is not None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    import msvcrt  # the other half of the import above

    os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # beyond the note, which others may read
    msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]


def _owner(descriptor: int) -> str:
    try:
        note = json.loads(os.pread(descriptor, 1000, 0))
        since = time.strftime("%H:%M:%S", time.localtime(note["since"]))
        return f"process {note['pid']} on {note['host']} since {since}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
