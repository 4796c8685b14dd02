"""Documents as they were sketched, and the files of a run that have what they share."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.ipc

from copysift import kernels
from copysift.errors import RunError
from copysift.fingerprints.shingles import WordCodes
from copysift.join.boilerplate import Boilerplate, bounds_of
from copysift.model.values import Skipped
from copysift.runs.columns import column
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

SUM, DIGEST = ".sum", 32  # suffix of a checksum, and its hexadecimal digits
COMMON, BASE, TEMPLATES = "common.arrow", "base.u64", "templates.u64"


@dataclass(frozen=True, slots=True)
class SketchedPart:
    """Some documents as phase 1 leaves them: a table of facts, their sets and the order of their shingles.

    Where the words of the documents give all that, there are `codes` and no order.
    """

    table: pa.Table
    values: UInt64s
    order: UInt32s
    unread: tuple[Skipped, ...] = ()  # documents that were not compared as what they are
    codes: WordCodes | None = None


class Places(NamedTuple):
    """Where sets are: sources[source[i]][starts[i]:ends[i]]."""

    sources: list[UInt64s]
    source: Int64s
    starts: Int64s
    ends: Int64s

    @classmethod
    def of(cls, values: UInt64s, bounds: Int64s) -> Places:
        """Give the places of sets that lie one after another."""
        return cls([values], np.zeros(len(bounds) - 1, np.int64), bounds[:-1], bounds[1:])

    @classmethod
    def joined(cls, parts: list[Places]) -> Places:
        """Put places one after another."""
        firsts = bounds_of(np.array([len(part.sources) for part in parts], np.int64))
        parts = [part._replace(source=part.source + at) for part, at in zip(parts, firsts[:-1], strict=True)]
        sources = [source for part in parts for source in part.sources]
        none = np.zeros(0, np.int64)
        columns = zip(*(part[1:] for part in parts), strict=True) if parts else ((), (), ())
        return cls(sources, *(np.concatenate([none, *column]) for column in columns))

    def some(self, which: Int64s) -> Places:
        """Give some of them."""
        return Places(self.sources, self.source[which], self.starts[which], self.ends[which])

    def gathered(self) -> tuple[UInt64s, Int64s]:
        """Put the sets one after another: values and bounds."""
        return kernels.shingle.gather_among(*self), bounds_of(self.ends - self.starts)


def write_facts(table: pa.Table, part: Path, target: Path) -> None:
    """Write facts to `part` and put them in place, after their checksum."""
    write_arrow(table, part)
    beside = part.with_name(f"{part.name}{SUM}")
    beside.write_bytes(checksum(part))
    beside.replace(target.with_suffix(SUM))
    part.replace(target)


def write_common(folder: Path, common: Boilerplate) -> None:
    """Write the boilerplate of a run, if it has any."""
    if len(common):
        table = pa.table({"shingle": column(common.hashes), "documents": column(common.documents)})
        part = spare_path(folder / COMMON)
        write_arrow(table, part)
        part.replace(folder / COMMON)


def read_common(folder: Path) -> Boilerplate:
    """Read the boilerplate of a run."""
    path = folder / COMMON
    if not path.exists():
        return Boilerplate.none()
    try:
        with pa.memory_map(str(path)) as file:
            table = pa.ipc.open_file(file).read_all()
            hashes, documents = (table[name].to_numpy() for name in ("shingle", "documents"))
            return Boilerplate(hashes.copy(), documents.copy())
    except (pa.ArrowException, OSError, KeyError) as error:
        raise RunError(f"{path} is damaged: {error}", hint="recreate the run") from None


def write_base(folder: Path, base: Boilerplate) -> None:
    """Write the shingles of --base, which what is added or looked up later is without too."""
    if len(base):
        part = spare_path(folder / BASE)
        part.write_bytes(base.hashes.tobytes())
        part.replace(folder / BASE)


def write_templates(folder: Path, hashes: UInt64s) -> None:
    """Write the shingles of templates, which do not count where they are all that two works share."""
    if len(hashes):
        part = spare_path(folder / TEMPLATES)
        part.write_bytes(hashes.tobytes())
        part.replace(folder / TEMPLATES)


def read_templates(folder: Path) -> Boilerplate:
    """Read the shingles of templates of a run."""
    path = folder / TEMPLATES
    hashes = np.fromfile(path, np.uint64) if path.exists() else np.zeros(0, np.uint64)
    return Boilerplate(hashes, np.zeros(len(hashes), np.int64))


def read_base(folder: Path) -> Boilerplate:
    """Read the shingles of --base that the sketches of a run are without."""
    path = folder / BASE
    hashes = np.fromfile(path, np.uint64) if path.exists() else np.zeros(0, np.uint64)
    return Boilerplate(hashes, np.zeros(len(hashes), np.int64))


def drop_census(folder: Path) -> None:
    """Remove what a census has left."""
    for stem in ("common", "census-", "rest-"):
        for path in folder.glob(f"{stem}*"):
            path.unlink()


def write_arrow(table: pa.Table, path: Path) -> None:
    """Write a table as an Arrow file."""
    packed = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_file(path, table.schema, options=packed) as writer:
        writer.write_table(table)


def spare_path(path: Path) -> Path:
    """Name a file that becomes another one when it is complete; no two tasks use the same."""
    return path.with_name(f"{path.name}.{os.urandom(8).hex()}.part")


def checksum(path: Path) -> bytes:
    """Give the checksum of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "blake2b").hexdigest()[:DIGEST].encode()
