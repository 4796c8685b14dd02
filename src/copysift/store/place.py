"""Where an index may be made: in a folder that is new, or that a stopped writer began."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from copysift.errors import StoreError
from copysift.runtime import durable as disk
from copysift.store.catalog import FOLDER
from copysift.store.lock import NAME as LOCK
from copysift.store.presence import CATALOG
from copysift.store.snapshot import exists
from copysift.store.sums import NAME as SUMS


def make_folders(folder: Path) -> None:
    """Make the folders of an index, unless something else is there."""
    if folder.exists() and not exists(folder) and any(each.name not in _OURS for each in _listed(folder)):
        raise StoreError(f"{folder} already exists and is not an index", hint="choose another name")
    try:
        disk.make_folder(folder / FOLDER)
    except OSError as error:
        raise disk.failed(folder, error) from error


def unmake(folder: Path) -> None:
    """Remove what making an index left that was not committed."""
    with suppress(OSError):  # what cannot be removed is no index, and in nobody's way
        for name in _OURS - {FOLDER}:
            (folder / name).unlink(missing_ok=True)
        (folder / FOLDER).rmdir()
        folder.rmdir()


_OURS = {FOLDER, LOCK, CATALOG, SUMS, f"{CATALOG}-wal", f"{CATALOG}-shm", f"{CATALOG}-journal"}


def _listed(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise StoreError(f"{folder} is a file and not an index", hint="choose another name")
    return list(folder.iterdir())
