"""The sets of a run turned round: for every shingle who has it, sorted, so that a question is a few look-ups.

Made by the first question, from sets whose digests were looked at, and kept beside them: `inverted.u64` has
the shingles in order, `inverted.u32` the documents; `inverted.json` comes last and says what they are of,
with their checksums: what is damaged is made again. A folder that cannot be written to is gone through for
each question instead.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from copysift import kernels
from copysift.errors import RunError
from copysift.fingerprints.shingles import new_filter
from copysift.join.spill import Spill, write_all
from copysift.match.sets import shared_by
from copysift.runs.checksums import checksum, is_sound
from copysift.runs.sets import Sets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

RANGES = 10  # bits of the ranges that are sorted one after another


class InvertedFiles:
    """Who has a shingle, by look-ups in files in order."""

    def __init__(self, sets: Sets) -> None:
        self._sets = sets
        self._total = int(sets.column("compared").sum())
        self._paths = {end: sets.folder / f"inverted.{end}" for end in ("u64", "u32", "json")}

    def holders(self, mine: UInt64s) -> tuple[Int64s, Int64s]:
        """Give the documents that share some of these shingles, ascending, and how many."""
        if not self._total or not len(mine):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        if not self._made():
            try:
                self._make()
            except (OSError, RunError):
                if not os.access(self._sets.folder, os.W_OK):
                    return self._gone_through(mine)
                raise
        values = np.memmap(self._paths["u64"], np.uint64, "r")
        docs = np.memmap(self._paths["u32"], np.uint32, "r")
        starts, ends = np.searchsorted(values, mine), np.searchsorted(values, mine, side="right")
        met = [
            docs[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True) if end > start
        ]
        if not met:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        found, counts = np.unique(np.concatenate(met), return_counts=True)
        return found.astype(np.int64), counts.astype(np.int64)

    def _stamp(self) -> str:
        """Distinguish these sets from others: by the digests of them all."""
        return f"{self._total} {int(np.bitwise_xor.reduce(self._sets.column('sets'))):016x}"

    def _made(self) -> bool:
        try:
            known = json.loads(self._paths["json"].read_text(encoding="utf-8"))
            files = [(self._paths[end], known["files"][end]) for end in ("u64", "u32")]
        except (OSError, ValueError, KeyError, TypeError):
            return False
        return bool(known["of"] == self._stamp() and all(is_sound(*each) for each in files))

    def _make(self) -> None:
        """Divide the (shingle, document) entries into ranges, sort each, and write them in order."""
        room = self._sets.folder / "inverted.part"
        edges = self._sets.bounds()
        try:
            with Spill(room, 1 << RANGES) as spill:
                for part in range(self._sets.parts):
                    self._sets.checked(part)
                    values, bounds = self._sets.whole(part)
                    numbers = np.arange(edges[part], edges[part + 1], dtype=np.uint32)
                    docs = np.repeat(numbers, np.diff(bounds))
                    spill.write(*kernels.join.partition(np.array(values), docs, RANGES))
                self._write(spill)
        finally:
            room.unlink(missing_ok=True)
        files = {end: checksum(self._paths[end]) for end in ("u64", "u32")}
        said = json.dumps({"of": self._stamp(), "files": files})
        self._paths["json"].write_text(said, encoding="utf-8")

    def _write(self, spill: Spill) -> None:
        paths = self._paths["u64"], self._paths["u32"]
        with paths[0].open("wb", buffering=0) as hashes, paths[1].open("wb", buffering=0) as owners:
            for span in spill.spans(4 << 20):
                values, docs = spill.read(*span)
                kernels.join.sort_pairs(values, docs)
                _put(hashes.fileno(), values, paths[0])
                _put(owners.fileno(), docs, paths[1])

    def _gone_through(self, mine: UInt64s) -> tuple[Int64s, Int64s]:
        """Count what every document shares with a set; a filter passes over most shingles."""
        known = new_filter(len(mine), 1 << 30)
        kernels.shingle.note(known, mine)
        edges = self._sets.bounds()
        shared = np.zeros(int(edges[-1]), np.int64)
        for part in range(self._sets.parts):
            self._sets.checked(part)
            values, bounds = self._sets.whole(part)
            count = len(bounds) - 1
            few, ends = kernels.shingle.samples(values, bounds, np.full(count, 2**32 - 1, np.uint32), known)
            joined = np.concatenate([few, mine])
            marks = np.append(ends, len(joined))
            shared[edges[part] : edges[part + 1]] = shared_by(
                joined, marks, np.arange(count), np.full(count, count, np.int64)
            )
        hits = np.flatnonzero(shared)
        return hits, shared[hits]


def _put(descriptor: int, array: NDArray[np.unsignedinteger], path: Path) -> None:
    write_all(descriptor, np.ascontiguousarray(array), path)
