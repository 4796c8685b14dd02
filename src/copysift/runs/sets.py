"""The sketched documents of a run on disk: facts, samples and all shingles, in parts, in order of input.

`documents-N.arrow` has the facts, `samples-N.u64` the samples, `shingles-N.u64` the sets, one document
after another. `documents-N.sum` has the checksum of the facts, and the facts have digests of the sets.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc

from copysift import kernels
from copysift.errors import RunError
from copysift.join.lists import distinct
from copysift.join.spill import write_all

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt64s = NDArray[np.uint64]

SUM, DIGEST = ".sum", 32  # suffix of a checksum, and its hexadecimal digits
NUMBERS = ("bytes", "words", "shingles", "sampled", "content", "lexical", "sets")


@dataclass(frozen=True, slots=True)
class Sketched:
    """Some documents as phase 1 leaves them: a table of facts, their samples and their sets."""

    table: pa.Table
    samples: UInt64s
    values: UInt64s


def write_facts(table: pa.Table, part: Path, target: Path) -> None:
    """Write facts to `part` and put them in place, after their checksum."""
    packed = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_file(part, table.schema, options=packed) as writer:
        writer.write_table(table)
    checksum = part.with_name(f"{part.name}{SUM}")
    checksum.write_bytes(_checksum(part))
    checksum.replace(target.with_suffix(SUM))
    part.replace(target)


def _checksum(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:DIGEST].encode()


class Sets:
    """Sketched documents in a folder; numbers count from the first document of the first part."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.parts = len(list(folder.glob("documents-*.arrow")))
        self._columns: dict[str, NDArray[Any]] = {}
        self._sizes: list[int] = []
        self._parts: dict[int, UInt64s] = {}
        self._sound: set[int] = set()  # parts whose facts are those that were written
        self._held = 0  # parts whose numbers are still at hand from writing
        self._written: dict[str, list[NDArray[Any]]] = {name: [] for name in NUMBERS}

    def write(self, part: list[Sketched]) -> None:
        """Add a part; its table comes last, so that a part is whole or not there."""
        for name in ("samples", "values"):
            stem = "shingles" if name == "values" else name
            path = self._path(stem, self.parts)
            with path.open("wb", buffering=0) as file:
                for each in part:
                    write_all(file.fileno(), getattr(each, name), path)
        table = pa.concat_tables([each.table for each in part])
        target = self._path("documents", self.parts)
        try:
            write_facts(table, target.with_suffix(".part"), target)
        except OSError as error:
            raise RunError(f"cannot write {self.folder}: {error.strerror or error}") from error
        if self.parts == self._held:  # of parts that were there already the columns are read
            self._held += 1
            for name in NUMBERS:
                self._written[name].append(table[name].to_numpy())
        self.parts += 1

    def column(self, name: str) -> NDArray[Any]:
        """Give a number of every document."""
        if name not in self._columns:
            parts = self._written[name] if self._held == self.parts else []
            parts = parts or [self._read(number, [name])[name].to_numpy() for number in range(self.parts)]
            self._written[name] = []
            kind = np.uint64 if name in ("content", "lexical", "sets") else np.int64
            self._columns[name] = np.concatenate(parts).astype(kind) if parts else np.zeros(0, kind)
        return self._columns[name]

    def forget(self, *names: str) -> None:
        """Drop columns from memory."""
        for name in names:
            self._columns.pop(name, None)

    def tables(self, columns: list[str]) -> list[pa.Table]:
        """Give columns part by part."""
        return [self._read(number, columns) for number in range(self.parts)]

    def table(self, part: int, columns: list[str]) -> pa.Table:
        """Give columns of one part."""
        return self._read(part, columns)

    def bounds(self) -> Int64s:
        """Give the first document of every part, and one past the last."""
        if len(self._sizes) != self.parts:
            self._sizes = [len(self._read(number, ["bytes"])) for number in range(self.parts)]
        return np.concatenate([[0], np.cumsum(self._sizes, dtype=np.int64)]).astype(np.int64)

    def whole(self, part: int, stem: str = "shingles") -> tuple[UInt64s, Int64s]:
        """Give all sets of a part, or all samples: values and bounds."""
        first, last = self.bounds()[part : part + 2]
        sizes = self.column("shingles" if stem == "shingles" else "sampled")[first:last]
        bounds = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
        return self._mapped(stem, part, int(bounds[-1])), bounds

    def alone(self, part: int) -> tuple[UInt64s, Int64s]:
        """Give all sets of a part as `whole` does, without a look at the other parts."""
        sizes = self._read(part, ["shingles"])["shingles"].to_numpy()
        bounds = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)
        return self._mapped("shingles", part, int(bounds[-1])), bounds

    def checked(self, part: int) -> tuple[UInt64s, Int64s]:
        """Give all sets of a part after a look whether they still are what was written: the digests tell."""
        values, bounds = self.whole(part)
        first, last = self.bounds()[part : part + 2]
        if (kernels.shingle.set_digests(values, bounds) != self.column("sets")[first:last]).any():
            raise RunError(f"{self._path('shingles', part)} is damaged", hint="make the run again")
        return values, bounds

    def some(self, numbers: Int64s) -> tuple[UInt64s, Int64s]:
        """Give the sets of some documents, ascending by number: values and bounds."""
        sizes = self.column("shingles")
        edges = self.bounds()
        bounds = np.concatenate([[0], np.cumsum(sizes[numbers], dtype=np.int64)]).astype(np.int64)
        values = np.empty(int(bounds[-1]), np.uint64)
        starts = self._starts()
        part = np.searchsorted(edges, numbers, side="right") - 1
        heads = np.flatnonzero(np.diff(part, prepend=-1))
        for head, tail in pairwise([*heads.tolist(), len(numbers)]):
            first, last = edges[part[head]], edges[part[head] + 1]
            source = self._mapped("shingles", int(part[head]), int(starts[last] - starts[first]))
            inside = numbers[head:tail]
            kernels.shingle.gather(
                source,
                starts[inside] - starts[first],
                starts[inside + 1] - starts[first],
                values[bounds[head] :],
            )
        return values, bounds

    def shared(self, lefts: Int64s, rights: Int64s, sizes: Int64s) -> Int64s:
        """Count what pairs of documents share, where their sets lie."""
        numbers = distinct(np.concatenate([lefts, rights]))
        edges, starts = self.bounds(), self._starts()
        part = np.searchsorted(edges, numbers, side="right") - 1
        used = distinct(part)
        source = np.searchsorted(used, part)
        first = starts[edges[:-1]]
        counts = np.diff(np.append(first, starts[-1]))
        begin = starts[numbers] - first[part]
        return kernels.shingle.shared_among(
            [self._kept(int(each), int(counts[each])) for each in used],
            source.astype(np.int64),
            begin,
            begin + sizes[numbers],
            np.searchsorted(numbers, lefts),
            np.searchsorted(numbers, rights),
        )

    def keep(self, limit: int) -> None:
        """Keep the sets in reach for `shared`, if they take no more than so many bytes; 0 lets them go."""
        starts = self._starts()
        self._parts.clear()
        if 8 * int(starts[-1]) <= limit:
            counts = np.diff(starts[self.bounds()]).tolist()
            self._parts = {part: self._mapped("shingles", part, counts[part]) for part in range(self.parts)}

    def _kept(self, part: int, count: int) -> UInt64s:
        return self._parts[part] if part in self._parts else self._mapped("shingles", part, count)

    def _starts(self) -> Int64s:
        if "_starts" not in self._columns:
            sizes = self.column("shingles")
            self._columns["_starts"] = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        return self._columns["_starts"]

    def _mapped(self, stem: str, part: int, count: int) -> UInt64s:
        """Give the keys of a file where they lie; it is closed when the array goes."""
        path = self._path(stem, part)
        try:
            if path.stat().st_size != 8 * count:
                raise RunError(f"{path} was cut short", hint="make the run again")
            return np.asarray(np.memmap(path, np.uint64, "r")) if count else np.zeros(0, np.uint64)
        except OSError as error:
            if path.exists():
                raise RunError(f"cannot read {path}: {error.strerror}") from None
            raise RunError(
                f"{self.folder.parent} holds no shingles",
                hint="it was made with --slim; make it again without",
            ) from None

    def _read(self, part: int, columns: list[str]) -> pa.Table:
        path = self._path("documents", part)
        try:
            self._check(part, path)
            with pa.memory_map(str(path)) as file:
                names = pa.ipc.open_file(file).schema.names
                wanted = pa.ipc.IpcReadOptions(included_fields=[names.index(column) for column in columns])
                return pa.ipc.open_file(file, options=wanted).read_all().select(columns)
        except (pa.ArrowException, OSError) as error:
            raise RunError(f"{path} is damaged: {error}", hint="make the run again") from None

    def _check(self, part: int, path: Path) -> None:
        """Compare the facts of a part with their checksum, once; runs of earlier versions have none."""
        kept = path.with_suffix(SUM)
        if part in self._sound or not kept.exists():
            return
        if kept.read_bytes() != _checksum(path):
            raise RunError(f"{path} is damaged", hint="make the run again")
        self._sound.add(part)

    def _path(self, stem: str, part: int) -> Path:
        return self.folder / f"{stem}-{part:05d}.{'arrow' if stem == 'documents' else 'u64'}"
