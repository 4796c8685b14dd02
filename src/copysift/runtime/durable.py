"""All that is written durably goes through here, one step at a time.

A step is what is between two moments at which a machine may stop: `watch` is called before
each, so that a test can stop the writer there, or take the space on the disk away.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from copysift.errors import StoreError

PIECE = 1 << 24  # bytes of one write
SYNCS = 16  # files that are synced at once

watch: Callable[[str], None] | None = None  # a test's; told the name of the step to come


def step(name: str) -> None:
    """Say that a step is to come."""
    if watch is not None:
        watch(name)


def write_new(path: Path, parts: Iterable[bytes | memoryview]) -> int:
    """Write a file that is not there yet, and give its size when the disk has it; its name is not synced."""
    size = 0
    try:
        step("create")
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    except OSError as error:  # one that is there is somebody else's
        raise failed(path, error) from error
    try:
        try:
            for part in parts:
                view = memoryview(part).cast("B")
                while len(view):
                    step("write")
                    written = os.write(descriptor, view[:PIECE])
                    size += written
                    view = view[written:]
            step("sync file")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        raise failed(path, error) from error
    return size


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    step("sync folder")
    try:
        sync(folder)
    except OSError as error:
        raise failed(folder, error) from error


def make_folder(folder: Path, mode: int = 0o777) -> None:
    """Make a folder and those above it, and make their names durable; one that is there is fine."""
    made = [each for each in (folder, *folder.absolute().parents) if not each.exists()]
    folder.mkdir(mode, parents=True, exist_ok=True)
    for each in made:
        sync_folder(each.absolute().parent)


def sync_all(paths: Iterable[Path]) -> None:
    """Make many files or folders durable at once: a disk writes them together, which one by one it cannot."""
    waiting = list(paths)
    if len(waiting) <= 2:
        for path in waiting:
            sync(path)
        return
    with ThreadPoolExecutor(min(SYNCS, len(waiting))) as pool:
        list(pool.map(sync, waiting))


def sync(path: Path) -> None:
    """Wait until the disk has the bytes of a file, or the names in a folder."""
    windows = os.name == "nt"
    if windows and path.is_dir():  # folders cannot be opened there; the file system logs names itself
        return
    descriptor = os.open(path, os.O_RDWR if windows else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace(path: Path, data: bytes, *, private: bool = False) -> None:
    """Write a file whole or not at all: it gets its name when the disk has its bytes.

    `private`: nobody else may read it, at no moment.
    """
    part = path.with_name(f".{path.name}.{os.urandom(8).hex()}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(part, flags, 0o600 if private else 0o666), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    sync(path.parent)


def remove(path: Path) -> None:
    """Remove a file that nothing refers to; if that fails, the next opening does it."""
    step("remove")
    with suppress(OSError):
        path.unlink()


def failed(path: Path, error: OSError) -> StoreError:
    """Turn the refusal of a disk into an error that says what became of the index."""
    denied = isinstance(error, PermissionError) or error.errno == errno.EROFS
    return StoreError(
        f"cannot write {path}: {error.strerror or error}",
        hint="" if denied else "free some space and try again; the index is intact",
    )
