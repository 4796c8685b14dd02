"""How the keys of a clustered corpus are distributed, and how that grows: what the simulation assumes.

usage: keys.py RUN

RUN is a folder of `copysift cluster` (of either engine, not --slim). Of an eighth, a quarter and half of its
documents, and of all, it makes the entries that the engines make and forms their pairs with the same
functions: lists of the very same documents once in a range of shingles, with one range, with as many as
Spark takes for so many documents on two cores, and with the 65,536 that it takes for very many. It counts the
pairs that the lists form, and those that are left when a range has summed them up, which are sent on. Of all
documents it tells the sizes of the clusters and the longest lists, too, to which the simulation is fitted.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.parquet as pq

from copysift import kernels
from copysift.engines import phases
from copysift.fingerprints import shingles as sketching
from copysift.join import lists
from copysift.runs.sets import Sets
from copysift.settings.corpus import CorpusSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Entries = tuple[NDArray[np.uint64], NDArray[np.uint32]]

FACTS = ("content", "lexical", "sets", "bytes", "words", "shingles")
SETTINGS = CorpusSettings()
BITS = (0, 3, 16)  # of the ranges
RANKS = (0, 14, 15, 50, 100, 200, 500, 1000, 1500, 2000)


def entries(sets: Sets, standing: NDArray[np.bool_], by: NDArray[np.uint32]) -> Entries:
    """Give the (shingle, document) entries of some documents, as phase 2 does."""
    edges = sets.bounds()
    known = sketching.new_filter(
        int((sets.column("compared") // by)[standing & (by < SETTINGS.modulus)].sum()), 64 << 20
    )
    spans = [slice(int(edges[part]), int(edges[part + 1])) for part in range(sets.parts)]
    for part, span in enumerate(spans):
        found = phases.probes(sets.places(part), by[span], standing[span], SETTINGS.modulus)
        kernels.shingle.note(known, found)
    made = [
        phases.entries(sets.places(part), span.start, by[span], standing[span], known, SETTINGS)[:2]
        for part, span in enumerate(spans)
    ]
    return np.concatenate([hashes for hashes, _ in made]), np.concatenate([docs for _, docs in made])


def pairs(some: Entries, by: NDArray[np.uint32], bits: int) -> tuple[int, int]:
    """Give the pairs that the lists of all ranges form, and those that are sent on."""
    hashes, docs, ends = lists.partition(*some, bits)
    formed, sent, sizes = 0, 0, np.zeros(len(by), np.uint32)
    for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        if end - start < 2:
            continue
        found = lists.lists_of(
            hashes[start:end].copy(), docs[start:end].copy(), by, SETTINGS.max_shared, sizes
        )
        few = len(lists.common_pairs(found))
        formed += int((found.lengths * (found.lengths - 1) // 2).sum()) + few
        sent += sum(len(keys) for keys, _ in lists.pairs_of(found)) + few
    return formed, sent


def main() -> None:
    run = Path(sys.argv[1])
    sets = Sets(run / "sketches")
    facts = {name: sets.column(name) for name in FACTS}
    by = sketching.moduli(facts["shingles"], SETTINGS.modulus)
    documents = len(by)
    order = np.random.default_rng(1997).permutation(documents)
    heads = " | ".join(f"formed in {1 << bits:,} ranges | sent" for bits in BITS)
    print(f"| documents | entries a document | in one only | every list's pairs | {heads} | heaviest key |")
    print("|" + "---|" * (5 + 2 * len(BITS)))
    for share in (8, 4, 2, 1):
        inside = np.sort(order[: documents // share])
        count = len(inside)
        first, _ = phases.collapsed({name: column[inside] for name, column in facts.items()})
        standing = np.zeros(documents, np.bool_)
        standing[inside] = first == np.arange(count)
        some = entries(sets, standing, by)
        _, lengths = np.unique(some[0], return_counts=True)
        counted = " | ".join(
            f"{formed / count:.0f} | {sent / count:.0f}"
            for formed, sent in (pairs(some, by, bits) for bits in BITS)
        )
        print(
            f"| {count:,} | {lengths.sum() / count:.1f} | {np.mean(lengths == 1):.0%} "
            f"| {(lengths * (lengths - 1.0) / 2).sum() / count:.0f} | {counted} "
            f"| {lengths.max():,}, {lengths.max() / count:.2%} |"
        )
    table = pq.read_table(run / "clusters.parquet", columns=["cluster"])
    members = [each["counts"].as_py() for each in table["cluster"].value_counts()]
    sizes, counts = np.unique(members, return_counts=True)
    told = ", ".join(f"{size}: {many:,}" for size, many in zip(sizes.tolist(), counts.tolist(), strict=True))
    alone = len(table) - int(np.count_nonzero(~standing))
    print(
        f"\nin clusters and not the same as an earlier one: {alone:,} of {documents:,}"
        f"; clusters by size: {told}"
    )
    longest = np.sort(lengths)[::-1]
    told = ", ".join(f"{rank:,}: {longest[rank]:,}" for rank in RANKS if rank < len(longest))
    print(f"\nlongest lists by rank: {told}")


if __name__ == "__main__":
    main()
