"""The indexes of the server: those of its users, and those that its operator shares with all users."""

from __future__ import annotations

import os
import re
import shutil
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import delete, select, update

from copysift.errors import InputError, StoreError, UsageError
from copysift.model.document import Document, Memory
from copysift.model.values import Skipped
from copysift.serve.client import INDEX_NAME
from copysift.serve.database import Database, repeated
from copysift.serve.incoming import nothing_read, uploaded
from copysift.serve.job import unguessable
from copysift.serve.language_check import language_warning
from copysift.serve.store import Store
from copysift.serve.tables import indexes
from copysift.serve.transfer import data_of
from copysift.sources.formats import is_archive
from copysift.sources.inputs import documents_in
from copysift.store.snapshot import exists
from copysift.workflows.index import Index

KNOWN = 1000  # indexes whose rows are remembered
SHOWN = 20  # files that could not be read, with the reason


@dataclass(frozen=True, slots=True)
class Held:
    """An index that a user may query; `folder` is empty for one that belongs to the operator.

    `version` is that of an index in the store, where there is one.
    """

    name: str
    path: Path
    folder: str
    version: str = ""

    @property
    def own(self) -> bool:
        """Whether the user may change it."""
        return bool(self.folder)

    @property
    def made(self) -> bool:
        """Whether anything was added to it yet."""
        return bool(self.version) or exists(self.path)


class Indexes:
    """Finds and opens indexes; an open one is used again until another process has changed it.

    Those in a store are brought into `cache` when they are opened, a folder for each version.
    """

    def __init__(
        self, data: Path, public: Mapping[str, Path], database: Database, store: Store | None = None
    ) -> None:
        self._data, self._public, self._db, self._store = data / "indexes", public, database, store
        self._cache = data / "cache"
        self._data.mkdir(mode=0o700, exist_ok=True)
        self._lock = threading.Lock()
        self._open: dict[Path, tuple[object, Index]] = {}
        for each in (Held(name, path, "") for name, path in public.items()):
            if each.made:
                self.opened(each)  # raises StoreError now, and the first query need not wait
        # Of one SQLite file only this process changes which indexes there are; elsewhere others do.
        self._known: dict[tuple[str, str], Held] | None = (
            {} if store is None and not database.shared else None
        )

    def listed(self, owner: str) -> list[Held]:
        """Give the indexes that a user may query: the own ones first."""
        rows = self._db.all(
            select(indexes.c.name, indexes.c.folder, indexes.c.version)
            .where(indexes.c.owner == owner)
            .order_by(indexes.c.name)
        )
        own = [Held(name, self._path(folder, version), folder, version) for name, folder, version in rows]
        taken = {each.name for each in own}
        return own + [
            Held(name, path, "") for name, path in sorted(self._public.items()) if name not in taken
        ]

    def _path(self, folder: str, version: str) -> Path:
        return self._data / folder if self._store is None else self._cache / folder / (version or "none")

    def get(self, owner: str, name: str) -> Held:
        """Give an index by name; KeyError when the user has none of that name."""
        known = None if self._known is None else self._known.get((owner, name))
        if known is not None:
            return known
        found = self._get(owner, name)
        if self._known is not None:
            self._known = {**self._known, (owner, name): found} if len(self._known) < KNOWN else {}
        return found

    def _get(self, owner: str, name: str) -> Held:
        if not INDEX_NAME.fullmatch(name) and name not in self._public:
            raise KeyError(name)
        row = self._db.one(
            select(indexes.c.folder, indexes.c.version).where(
                indexes.c.owner == owner, indexes.c.name == name
            )
        )
        if row is not None:
            return Held(name, self._path(row.folder, row.version), row.folder, row.version)
        return Held(name, self._public[name], "")

    def make(self, owner: str, name: str) -> Held:
        """Give an index of a user's own, made if there is none of that name."""
        if not INDEX_NAME.fullmatch(name):
            raise UsageError(
                f"invalid index name {name[:80]!r}", hint="use letters, digits, - _ and ., at most 64"
            )
        self._make(owner, name, f"{unguessable()}.sift")
        self._forget()
        return self.get(owner, name)

    @repeated
    def _make(self, owner: str, name: str, folder: str) -> None:
        new = self._db.insert(indexes).values(owner=owner, name=name, folder=folder, created=time.time())
        with self._db.writing() as db:
            db.execute(new.on_conflict_do_nothing())

    def bytes(self, owner: str) -> int:
        """Give the bytes that the indexes of a user take."""
        own = [each for each in self.listed(owner) if each.own]
        if self._store is not None:
            return sum(self._store.index_bytes(each.folder, each.version) for each in own if each.version)
        return sum(file.stat().st_size for each in own for file in each.path.rglob("*") if file.is_file())

    @repeated
    def drop(self, owner: str, held: Held) -> None:
        """Remove an index of a user's own."""
        with self._db.writing() as db:
            db.execute(delete(indexes).where(indexes.c.owner == owner, indexes.c.name == held.name))
        self._forget()
        self._remove_files(held)

    def _remove_files(self, held: Held) -> None:
        with self._lock:
            self._open.pop(held.path, None)
        shutil.rmtree(held.path, ignore_errors=True)
        if self._store is not None:
            shutil.rmtree(self._cache / held.folder, ignore_errors=True)
            self._store.remove(f"indexes/{held.folder}")

    def _forget(self) -> None:
        """Look in the database again: what there is has changed."""
        self._known = None if self._known is None else {}

    def opened(self, held: Held) -> Index:
        """Give an index to read; threads may share it. KeyError when nothing was added to it yet."""
        self._bring(held)
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

    def _bring(self, held: Held) -> None:
        """Bring a version from the store if it is not here; the ones before it go with their last query."""
        if self._store is None or not held.version or held.path.is_dir():
            return
        self._store.get_index(held.folder, held.version, held.path)
        for path in held.path.parent.iterdir():
            if path != held.path and not path.name.startswith("."):
                shutil.rmtree(path, ignore_errors=True)

    def remove(self, held: Held, document: str) -> int:
        """Remove a document; raises StoreError while documents are being added."""
        if self._store is None or not held.own:
            with Index(held.path) as index:
                return index.remove(document)
        with TemporaryDirectory(dir=self._data) as folder:
            path = Path(folder) / held.folder
            self._store.get_index(held.folder, held.version, path)
            with Index(path) as index:
                removed = index.remove(document)
            version = unguessable()
            self._store.put_index(held.folder, path, version, held.version)
        if not self._replace(held, version):
            raise StoreError(f"the index {held.name} was changed meanwhile", hint="try again")
        self._store.prune_index(held.folder, version)
        return removed

    def exchange(self, owner: str, held: Held, path: Path) -> None:
        """Replace an index of a user by one at another path, and remove all its files."""
        version = ""
        if self._store is not None:
            version = unguessable()
            self._store.put_index(path.name, path, version, "")
            shutil.rmtree(path, ignore_errors=True)
        with self._db.writing() as db:
            row = (indexes.c.owner == owner, indexes.c.name == held.name, indexes.c.folder == held.folder)
            db.execute(update(indexes).where(*row).values(folder=path.name, version=version))
        self._forget()
        self._remove_files(held)

    @repeated
    def _replace(self, held: Held, version: str) -> bool:
        same = (indexes.c.folder == held.folder, indexes.c.version.in_((held.version, version)))
        with self._db.writing() as db:
            return bool(db.execute(update(indexes).where(*same).values(version=version)).rowcount)


def without_paths(message: str, data: Path, public: Mapping[str, Path] | None = None) -> str:
    """Give a message about an index without the place that it has on this machine."""
    for name, path in (public or {}).items():
        message = message.replace(str(path), name)
    own = rf"{re.escape(str(data))}/(?:indexes|cache)/[\w-]+\.sift(?:/[\w-]+(?![\w./-]))?"
    return re.sub(own, "the index", message)


def _stamp(path: Path) -> object:
    found = []
    for name in ("catalog.sqlite", "catalog.sqlite-wal"):
        try:
            about = os.stat(f"{path}/{name}")  # noqa: PTH116  a path of its own takes longer than the look
        except OSError:
            continue
        found.append((name, about.st_mtime_ns, about.st_size))
    return tuple(found)


def add(folder: Path, out: Path, request: Mapping[str, Any], told: Any, threads: int) -> dict[str, Any]:
    """Add what was uploaded to an index; documents of a known name are replaced.

    Raise InputError if nothing of the upload can be read: an empty index would look like a full one.
    """
    path = data_of(folder) / "indexes" / request["folder"]
    given = {**request.get("settings", {}), "jobs": threads}
    skipped: list[Skipped] = []
    names: list[str] = []
    with Index(path, keep_text=None if exists(path) else True, **given) as index:
        found = documents_of(folder / "in", skipped, request.get("read_seconds"))
        done = index.add(_noted(found, names), progress=told)
    skipped += done.skipped
    if not done.found:
        raise nothing_read(skipped, "there is nothing to add: no files, or hidden ones only")
    warning = language_warning(names, request.get("settings", {}).get("language"))
    return {
        "added": done.added, "changed": done.changed, "unchanged": done.unchanged, "skipped": len(skipped),
        "unread": [[each.name, each.reason] for each in skipped[:SHOWN]],
        "notes": [warning] if warning else [],
    }  # fmt: skip


def _noted(documents: Iterator[Document], names: list[str]) -> Iterator[Document]:
    for each in documents:
        names.append(each.name)
        yield each


def documents_of(folder: Path, skipped: list[Skipped], seconds: float | None = None) -> Iterator[Document]:
    """Give the documents of an upload by their names; what is in archives, too."""
    for file, path in uploaded(folder):
        if file.role != "file":
            continue
        inside = len(file.name) + 1 if is_archive(file.name) else 0  # members are named as in the archive
        for found in documents_in(file.name, path.read_bytes(), seconds):
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
