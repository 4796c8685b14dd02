"""The facts of sketched documents on disk, in parts, in order of input: a number or text of every document.

`documents-N.arrow` has them, `documents-N.sum` their checksum; `census-N.u64`, which the census adds, how
many shingles of each document count. Numbers that were just written stay at hand until `let_go`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc

from copysift.errors import RunError
from copysift.runs.sketches import SUM, checksum, read_array, spare_path, write_facts

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]

DIGESTS = ("content", "lexical", "sets")
NUMBERS = ("bytes", "words", "places", "shingles", *DIGESTS)
SUFFIXES = {"documents": "arrow", "order": "u32", "words": "bin"}  # the others are u64


class Facts:
    """Facts of documents in a folder; numbers count from the first document of the first part."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.parts = len(list(folder.glob("documents-*.arrow")))
        self._columns: dict[str | tuple[str, str], NDArray[Any]] = {}
        self._bounds = np.zeros(0, np.int64)
        self._sound: set[int] = set()  # parts whose facts are those that were written
        self._names: dict[int, list[str]] = {}  # of the columns of parts
        self._held = 0  # parts whose numbers are still at hand from writing; −1: none will be
        self._written: dict[str, list[NDArray[Any]]] = {name: [] for name in NUMBERS}

    def add(self, table: pa.Table) -> None:
        """Add the facts of a part, whose other files are there: a part is whole or not there."""
        target = self.path("documents", self.parts)
        try:
            write_facts(table, spare_path(target), target)
        except OSError as error:
            raise RunError(f"cannot write {self.folder}: {error.strerror or error}") from error
        if self.parts == self._held:  # of parts that were there already the columns are read
            self._held += 1
            for name in NUMBERS:
                self._written[name].append(table[name].to_numpy())
        self.parts += 1

    def let_go(self, limit: int) -> None:
        """Drop the numbers at hand from writing if they take more than this many bytes: files have them."""
        if self._held >= 0 and sum(each.nbytes for kept in self._written.values() for each in kept) > limit:
            self.forget(*NUMBERS)
            self._held = -1

    def take_numbers(self, others: Iterable[Self]) -> None:
        """Take the numbers that others still have at hand, which wrote the parts of this folder in order."""
        for other in others:
            if other._held != other.parts:
                self.forget(*NUMBERS)
                return
            for name in NUMBERS:
                self._written[name] += other._written[name]
            self._held += other._held

    def column(self, name: str) -> NDArray[Any]:
        """Give a number of every document."""
        if name not in self._columns:
            parts = self._written[name] if name in NUMBERS and self._held == self.parts else []
            parts = parts or [self._numbers(number, name) for number in range(self.parts)]
            if name in NUMBERS:
                self._written[name] = []
            kind = np.uint64 if name in DIGESTS else np.int64
            self._columns[name] = (
                np.concatenate(parts).astype(kind, copy=False) if parts else np.zeros(0, kind)
            )
        return self._columns[name]

    def narrow(self, name: str) -> NDArray[Any]:
        """Give a number of every document, in four bytes where these are enough."""
        if name in self._columns:
            return self._columns[name]
        if (name, "narrow") not in self._columns:
            parts = [self.of_part(part, name) for part in range(self.parts)]
            wide = any(int(part.max(initial=0)) >= 1 << 32 for part in parts)
            kind = np.int64 if wide else np.uint32
            self._columns[name, "narrow"] = np.concatenate(
                [np.zeros(0, kind), *(part.astype(kind) for part in parts)]
            )
        return self._columns[name, "narrow"]

    def _numbers(self, part: int, name: str) -> NDArray[Any]:
        if name == "compared" and self.path("census", part).exists():
            sizes = read_array(self.path("census", part), np.int64)
            shingles = self.of_part(part, "shingles")
            if len(sizes) != len(shingles) or (sizes < 0).any() or (sizes > shingles).any():
                raise RunError(f"{self.path('census', part)} is damaged", hint="recreate the run")
            return sizes
        if name == "places" and not any(self.path(stem, part).exists() for stem in ("order", "words")):
            # a run of version 0.1
            return np.zeros(len(self._numbers(part, "words")), np.int64)
        kept = "shingles" if name == "compared" else name
        return np.asarray(self._read(part, [kept])[kept].to_numpy())

    def of_part(self, part: int, name: str) -> NDArray[Any]:
        """Give a number of every document of a part, without a look at the other parts."""
        known = self._columns.get(name)
        if known is not None:
            return known[self.span(part)]
        written = self._written.get(name) if self._held == self.parts else None
        return written[part] if written else self._numbers(part, name)

    def total(self, name: str) -> int:
        """Sum up a number of all documents, part by part."""
        return sum(int(self.of_part(part, name).sum()) for part in range(self.parts))

    def forget(self, *names: str) -> None:
        """Drop columns from memory."""
        for name in names:
            self._columns.pop(name, None)
            self._columns.pop((name, "narrow"), None)
            if name in self._written:
                self._written[name] = []

    def forget_all(self) -> None:
        """Drop all columns from memory; they are read again where they are needed."""
        self.bounds()
        self._columns.clear()
        self.forget(*NUMBERS)

    def tables(self, columns: list[str]) -> list[pa.Table]:
        """Give columns part by part."""
        return [self._read(number, columns) for number in range(self.parts)]

    def table(self, part: int, columns: list[str]) -> pa.Table:
        """Give columns of one part."""
        return self._read(part, columns)

    def kinds(self, part: int) -> pa.Array:
        """Give what the documents of a part are compared as; in version 0.1 all by words."""
        path = self.path("documents", part)
        with pa.memory_map(str(path)) as file:
            known = "kind" in pa.ipc.open_file(file).schema.names
        if known:
            return self._read(part, ["kind"])["kind"].combine_chunks()
        return pa.repeat(pa.scalar("words"), len(self._read(part, ["bytes"])))

    def bounds(self) -> Int64s:
        """Give the first document of every part, and one past the last."""
        if len(self._bounds) != self.parts + 1:
            kept = self._written["bytes"] if self._held == self.parts else []
            sizes = [len(each) for each in kept] or [
                len(self._read(number, ["bytes"])) for number in range(self.parts)
            ]
            self._bounds = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
        return self._bounds

    def size_of(self, part: int) -> int:
        """Count the documents of a part."""
        first, last = self.bounds()[part : part + 2].tolist()
        return int(last - first)

    def span(self, part: int) -> slice:
        """Give the numbers of the documents of a part."""
        first, last = self.bounds()[part : part + 2]
        return slice(int(first), int(last))

    def _read(self, part: int, columns: list[str]) -> pa.Table:
        path = self.path("documents", part)
        try:
            self._check(part, path)
            with pa.memory_map(str(path)) as file:
                names = self._names.get(part) or pa.ipc.open_file(file).schema.names
                self._names[part] = names
                wanted = pa.ipc.IpcReadOptions(included_fields=[names.index(column) for column in columns])
                return pa.ipc.open_file(file, options=wanted).read_all().select(columns)
        except (pa.ArrowException, OSError) as error:
            raise RunError(f"{path} is damaged: {error}", hint="recreate the run") from None

    def _check(self, part: int, path: Path) -> None:
        """Compare the facts of a part with their checksum, once; runs of earlier versions have none."""
        kept = path.with_suffix(SUM)
        if part in self._sound or not kept.exists():
            return
        if kept.read_bytes() != checksum(path):
            raise RunError(f"{path} is damaged", hint="recreate the run")
        self._sound.add(part)

    def path(self, stem: str, part: int) -> Path:
        """Name a file of a part."""
        return self.folder / f"{stem}-{part:05d}.{SUFFIXES.get(stem, 'u64')}"
