"""Lines, sentences or paragraphs that are near-copies of each other: they are clustered as documents are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from copysift.engines.cluster_run import cluster
from copysift.match.repeated_passages import Repeats
from copysift.runs.checksums import read_table
from copysift.runs.scan_run import TABLES
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from copysift.sources.records import Builder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    UInt64s = NDArray[np.uint64]

SHINGLE = 2  # words: a line has few of them
RECENT = 1 << 18  # units that are remembered, so that the commonest are given once


def near_groups(
    texts: Callable[[], Iterable[bytes]], repeats: Repeats, folder: Path, settings: CorpusSettings
) -> tuple[UInt64s, UInt64s]:
    """Give the hashes of units that are near-copies of another, ascending, and the hash of that one."""

    def batches() -> Iterator[pa.RecordBatch]:
        return _batches(texts(), repeats)

    asked = {
        "kind": "words", "shingle": SHINGLE, "threshold": settings.near, "floor": settings.near,
        "policy": "representative", "memory": settings.memory, "jobs": settings.jobs, "seed": settings.seed,
    }  # fmt: skip
    path = folder / "units"
    cluster([], path, make(CorpusSettings, asked, "cluster"), batches=batches)
    table = read_table(path, TABLES[2], ["cluster", "document"])
    heads, members = (
        np.array([int(name[:16], 16) for name in table[column].to_pylist()], np.uint64)
        for column in ("cluster", "document")
    )
    differ = members != heads  # equal units have one hash
    members, heads = members[differ], heads[differ]
    order = np.argsort(members, kind="stable")
    members, heads = members[order], heads[order]
    first = np.concatenate([[True], members[1:] != members[:-1]]) if len(members) else np.zeros(0, np.bool_)
    return members[first], heads[first]


def _batches(texts: Iterable[bytes], repeats: Repeats) -> Iterator[pa.RecordBatch]:
    """Give the units of texts as records, named by their hash."""
    recent = np.zeros(RECENT, np.uint64)
    built = Builder()
    for text in texts:
        found = repeats.text(text)
        for key, start, end in zip(
            found.windows.tolist(), found.starts.tolist(), found.ends.tolist(), strict=True
        ):
            cell = key & (RECENT - 1)
            if int(recent[cell]) == key:
                continue
            recent[cell] = key
            built.add(f"{key:016x}", text[start:end])
            if built.full:
                yield from built.give()
    yield from built.give()
