"""The indexes of the server: those of its users, and those that its operator shares with all users."""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copysift.errors import InputError, UsageError
from copysift.model.document import Document, Memory
from copysift.model.values import Skipped
from copysift.serve.database import Database
from copysift.serve.incoming import uploaded
from copysift.serve.jobs import unguessable
from copysift.serve.language_check import language_warning
from copysift.serve.schema import INDEXES_STEPS
from copysift.sources.formats import is_archive
from copysift.sources.inputs import documents_in
from copysift.store.snapshot import exists
from copysift.workflows.index import Index

SHOWN = 20  # files that could not be read, with the reason
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True)
class Held:
    """An index that a user may query; `folder` is empty for one that belongs to the operator."""

    name: str
    path: Path
    folder: str

    @property
    def own(self) -> bool:
        """Whether the user may change it."""
        return bool(self.folder)

    @property
    def made(self) -> bool:
        """Whether anything was added to it yet."""
        return exists(self.path)


class Indexes:
    """Finds and opens indexes; an open one is used again until another process has changed it."""

    def __init__(self, data: Path, public: Mapping[str, Path]) -> None:
        self._data, self._public = data / "indexes", public
        self._data.mkdir(mode=0o700, exist_ok=True)
        for path in public.values():
            Index(path).close()  # raises StoreError now, and not at the first query
        self._lock = threading.Lock()
        self._open: dict[Path, tuple[object, Index]] = {}
        self._db = Database(data / "indexes.sqlite", INDEXES_STEPS)

    def listed(self, owner: str) -> list[Held]:
        """Give the indexes that a user may query: the own ones first."""
        rows = self._db.all("SELECT name, folder FROM indexes WHERE owner = ? ORDER BY name", (owner,))
        own = [Held(name, self._data / folder, folder) for name, folder in rows]
        taken = {each.name for each in own}
        return own + [
            Held(name, path, "") for name, path in sorted(self._public.items()) if name not in taken
        ]

    def get(self, owner: str, name: str) -> Held:
        """Give an index by name; KeyError when the user has none of that name."""
        for each in self.listed(owner):
            if each.name == name:
                return each
        raise KeyError(name)

    def make(self, owner: str, name: str) -> Held:
        """Give an index of a user's own, made if there is none of that name."""
        if not NAME.fullmatch(name):
            raise UsageError(
                f"invalid index name {name[:80]!r}", hint="use letters, digits, - _ and ., at most 64"
            )
        with self._db.writing() as db:
            db.execute(
                "INSERT OR IGNORE INTO indexes VALUES (?, ?, ?, ?)",
                (owner, name, f"{unguessable()}.sift", time.time()),
            )
        return self.get(owner, name)

    def bytes(self, owner: str) -> int:
        """Give the bytes that the indexes of a user take on the disk."""
        own = (each.path for each in self.listed(owner) if each.own)
        return sum(file.stat().st_size for path in own for file in path.rglob("*") if file.is_file())

    def drop(self, owner: str, held: Held) -> None:
        """Remove an index of a user's own."""
        with self._db.writing() as db:
            db.execute("DELETE FROM indexes WHERE owner = ? AND name = ?", (owner, held.name))
        with self._lock:
            self._open.pop(held.path, None)
        shutil.rmtree(held.path, ignore_errors=True)

    def opened(self, held: Held) -> Index:
        """Give an index to read; threads may share it. KeyError when nothing was added to it yet."""
        stamp = _stamp(held.path)
        with self._lock:
            known = self._open.get(held.path)
            if known is not None and known[0] == stamp:
                return known[1]
            if not held.made:
                raise KeyError(held.name)
            index = Index(held.path)
            index.info()
            self._open[held.path] = (stamp, index)  # the one before ends with its last query
            return index

    def remove(self, held: Held, document: str) -> int:
        """Remove a document; raises StoreError while documents are being added."""
        with Index(held.path) as index:
            return index.remove(document)

    def vacuum(self) -> None:
        """Leave nothing of what was deleted in the database file."""
        self._db.vacuum()

    def close(self) -> None:
        """Close everything."""
        self._db.close()


def _stamp(path: Path) -> object:
    found = []
    for name in ("catalog.sqlite", "catalog.sqlite-wal"):
        try:
            about = (path / name).stat()
        except OSError:
            continue
        found.append((name, about.st_mtime_ns, about.st_size))
    return tuple(found)


def add(folder: Path, out: Path, request: Mapping[str, Any], told: Any, threads: int) -> dict[str, Any]:
    """Add what was uploaded to an index; documents of a known name are replaced.

    Raise InputError if nothing of the upload can be read: an empty index would look like a full one.
    """
    path = folder.parent.parent / "indexes" / request["folder"]
    given = {**request.get("settings", {}), "jobs": threads}
    skipped: list[Skipped] = []
    with Index(path, keep_text=None if exists(path) else True, **given) as index:
        done = index.add(documents_of(folder / "in", skipped), progress=told)
    skipped += done.skipped
    if not done.found:
        reasons = "; ".join(f"{each.name}: {each.reason}" for each in skipped[:3])
        raise InputError(f"nothing could be read ({reasons})" if reasons else "there is nothing to add")
    warning = language_warning(
        [each.name for each, _ in uploaded(folder / "in")], request.get("settings", {}).get("language")
    )
    return {
        "added": done.added, "changed": done.changed, "unchanged": done.unchanged, "skipped": len(skipped),
        "unread": [[each.name, each.reason] for each in skipped[:SHOWN]],
        "notes": [warning] if warning else [],
    }  # fmt: skip


def documents_of(folder: Path, skipped: list[Skipped]) -> Iterator[Document]:
    """Give the documents of an upload by their names; what is in archives, too."""
    for file, path in uploaded(folder):
        if file.role != "file":
            continue
        inside = len(file.name) + 1 if is_archive(file.name) else 0  # members are named as in the archive
        for found in documents_in(file.name, path.read_bytes()):
            if isinstance(found, Skipped):
                skipped.append(found)
            else:
                yield Document(found.name[inside:] or found.name, Memory(b"".join(found.content.chunks())))


def passages(index: Index, source: bytes, hit: Any, most: int) -> list[dict[str, Any]]:
    """Give the longest passages of a hit with both their texts, the right one where it can be read."""
    try:
        other = index.source(hit.right)
    except InputError:
        other = b""
    longest = sorted(hit.regions or (), key=lambda each: -each.length)[:most]
    return [
        {
            "length": region.length,
            "left": region.left,
            "right": region.right,
            "left_text": _shown(source[region.left.start : region.left.end]),
            "right_text": _shown(other[region.right.start : region.right.end]),
        }
        for region in longest
    ]


def _shown(data: bytes) -> str:
    return data[:4000].decode("utf-8", "replace")
