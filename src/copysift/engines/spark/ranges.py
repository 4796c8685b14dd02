"""Entries of a range of shingles in bounded memory: what is too much goes to disk and is divided.

A range of more entries than a task should hold is cut by further bits of the hash. No shingle has more
entries than that by itself: those that would have are taken out before (`heavy.py`).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from copysift.engines.spark.columns import Batches, numbers, unpacked

if TYPE_CHECKING:
    from numpy.typing import NDArray

HEAVY = 1 << 22  # entries that a task takes at once: about 80 bytes each while they are sorted
_ENTRY = np.dtype([("hash", "<u8"), ("doc", "<u4"), ("size", "<u4")])
_BITS = (32, 24, 16, 8, 0)  # of the scrambled hash, eight at a time; above them are the ranges themselves


def ranges(batches: Batches, most: int) -> Iterator[NDArray[np.void]]:
    """Give the entries of each range, which come together, at most this many at once."""
    held: list[NDArray[np.void]] = []
    count, current, folder = 0, -1, None
    for batch in batches:
        keys = numbers(batch["bucket"])
        cuts = np.flatnonzero(np.diff(keys, prepend=-1, append=-1)).tolist() if len(keys) else []
        for start, end in pairwise(cuts):
            if int(keys[start]) != current:
                yield from _given(held, folder, most)
                held, count, current, folder = [], 0, int(keys[start]), None
            held.append(_entries(batch.slice(start, end - start)))
            count += len(held[-1])
            if count > most:
                folder = folder or _folder()
                for part in held:
                    _divide(part, Path(folder.name), _key(part, _BITS[0]))
                held, count = [], 0
    yield from _given(held, folder, most)


def _entries(rows: pa.RecordBatch) -> NDArray[np.void]:
    hashes, docs, sizes = (
        unpacked(rows[name], kind)[0]
        for name, kind in (("hashes", np.uint64), ("docs", np.uint32), ("sizes", np.uint32))
    )
    made = np.empty(len(hashes), _ENTRY)
    made["hash"], made["doc"], made["size"] = hashes, docs, sizes
    return made


def _folder() -> tempfile.TemporaryDirectory[str]:
    """Make a folder where Spark keeps what it spills."""
    places = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")
    return tempfile.TemporaryDirectory(prefix="copysift-ranges-", dir=places[0] or None)


def _given(
    held: list[NDArray[np.void]], folder: tempfile.TemporaryDirectory[str] | None, most: int
) -> Iterator[NDArray[np.void]]:
    if folder is None:
        if held:
            yield np.concatenate(held)
        return
    with folder:
        for part in held:
            _divide(part, Path(folder.name), _key(part, _BITS[0]))
        yield from _divided(Path(folder.name), most, 0)


def _divided(folder: Path, most: int, level: int) -> Iterator[NDArray[np.void]]:
    """Give the files of a folder: whole where they are small, else cut by the next bits."""
    for path in sorted(folder.iterdir()):
        if path.stat().st_size <= most * _ENTRY.itemsize or level + 1 == len(_BITS):
            yield np.fromfile(path, _ENTRY)
            continue
        below = path.with_suffix(".d")
        below.mkdir()
        for part in _chunks(path, most):
            _divide(part, below, _key(part, _BITS[level + 1]))
        path.unlink()
        yield from _divided(below, most, level + 1)


def _chunks(path: Path, most: int) -> Iterator[NDArray[np.void]]:
    with path.open("rb") as file:
        while len(part := np.fromfile(file, _ENTRY, most)):
            yield part


def _key(entries: NDArray[np.void], shift: int) -> NDArray[np.uint64]:
    return entries["hash"] >> np.uint64(shift) & np.uint64(0xFF)


def _divide(entries: NDArray[np.void], folder: Path, key: NDArray[np.unsignedinteger]) -> None:
    """Add entries to the files of a folder that their keys name."""
    order = np.argsort(key, kind="stable")
    entries, key = entries[order], key[order]
    cuts = np.flatnonzero(key[1:] != key[:-1]) + 1
    for start, end in pairwise([0, *cuts.tolist(), len(key)] if len(key) else []):
        with (folder / f"{int(key[start]):010d}").open("ab") as file:
            entries[start:end].tofile(file)
