"""On-the-fly resemblance (section 6.1): one document, known or new, against all of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from copysift import kernels
from copysift.engine.corpus.sets import Sets
from copysift.engine.corpus.tables import open_corpus
from copysift.engine.corpus.texts import readable
from copysift.engine.selection import seed_check
from copysift.errors import RunError, UsageError
from copysift.fingerprint.shingles import new_filter, shingle_sets
from copysift.match.sets import measures, shared_by
from copysift.values import Pair

if TYPE_CHECKING:
    from numpy.typing import NDArray

    UInt64s = NDArray[np.uint64]


def query(
    path: Path, text: bytes | None, name: str, threshold: float, seed: int = 0, limit: int | None = None
) -> list[Pair]:
    """Give the documents of a run whose resemblance or a containment with the text reaches the threshold.

    Without a text the document of that name is looked up in the run. The best come first: by resemblance,
    then by the larger containment.
    """
    opened = open_corpus(path)
    settings = opened.described["settings"]
    if opened.described.get("made_by") != "cluster":
        raise RunError(f"{path} was not made by copysift cluster", hint="query an index instead")
    if settings.get("seed") != seed_check(seed):
        raise UsageError(f"{path} was made with another --seed", hint="give the same one")
    if settings.get("features"):
        raise UsageError(f"{path} compares features, not texts", hint="use cluster-of")
    sets = Sets(path / "sketches")
    number = int(opened.numbers([name])[0]) if text is None else -1
    if text is None and number < 0:
        raise UsageError(f"{path} has no document {name}", hint="name one of its ids, or a file")
    if text is None:
        mine, _ = sets.some(np.array([number]))
    else:
        data = np.frombuffer(readable(text, settings["html"]), np.uint8)
        mine = shingle_sets(data, np.array([0, len(data)], np.int64), settings["shingle"], seed).values
    shared = _shared(sets, mine)
    sizes = sets.column("shingles")
    hits = np.flatnonzero(shared)
    hits = hits[hits != number]
    found = measures(
        np.zeros(len(hits), np.int64), hits, shared[hits], np.full(len(hits), len(mine)), sizes[hits]
    )
    close = np.flatnonzero(found.containment >= threshold - 1e-12)
    order = close[np.lexsort((hits[close], -found.containment[close], -found.resemblance[close]))][:limit]
    ids = opened.ids.take(hits[order]).to_pylist()
    return [
        Pair(
            name,
            other,
            bool(found.resemblance[at] == 1.0),
            float(found.containment[at]),
            float(found.resemblance[at]),
            float(found.containment_left[at]),
            float(found.containment_right[at]),
            int(found.shared[at]),
        )
        for at, other in zip(order.tolist(), ids, strict=True)
    ]


def _shared(sets: Sets, mine: UInt64s) -> NDArray[np.int64]:
    """Count what every document shares with a set; a filter passes over most shingles."""
    known = new_filter(len(mine), 1 << 30)
    kernels.shingle.note(known, mine)
    edges = sets.bounds()
    shared = np.zeros(int(edges[-1]), np.int64)
    for part in range(sets.parts):
        values, bounds = sets.whole(part)
        count = len(bounds) - 1
        few, ends = kernels.shingle.samples(values, bounds, np.full(count, 2**32 - 1, np.uint32), known)
        joined = np.concatenate([few, mine])
        marks = np.append(ends, len(joined))
        shared[edges[part] : edges[part + 1]] = shared_by(
            joined, marks, np.arange(count), np.full(count, count, np.int64)
        )
    return shared
