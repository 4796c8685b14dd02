"""How the keys of a clustered corpus are distributed, and how that grows: what the simulation assumes.

usage: keys.py RUN

RUN is a folder of `copysift cluster` (of either engine, not --slim). Of an eighth, a quarter and half of its
documents, and of all, it tells the sampled shingles a document, how many of these stand in one document
only, the pairs that the lists form under the cap and without it, the heaviest key, and the largest cluster.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from copysift.engine.corpus.sets import Sets

MAX_SHARED = 1000


def main() -> None:
    run = Path(sys.argv[1])
    sets = Sets(run / "sketches")
    values = np.concatenate([sets.whole(part, "samples")[0] for part in range(sets.parts)])
    owner = np.repeat(np.arange(len(sets.column("sampled"))), sets.column("sampled"))
    clusters = pq.read_table(run / "clusters.parquet", columns=["cluster"])["cluster"].value_counts()
    largest = max((each["counts"].as_py() for each in clusters), default=1)
    chance = np.random.default_rng(1997)
    documents = len(sets.column("sampled"))
    order = chance.permutation(documents)
    print("| documents | sampled a document | in one only | pairs a document | uncapped | heaviest key |")
    print("|---|---|---|---|---|---|")
    for share in (8, 4, 2, 1):
        inside = np.zeros(documents, np.bool_)
        inside[order[: documents // share]] = True
        _, lengths = np.unique(values[inside[owner]], return_counts=True)
        every = lengths * (lengths - 1.0) / 2
        capped = np.where(lengths > MAX_SHARED, 3.0 * lengths, every)
        count = documents // share
        print(
            f"| {count:,} | {lengths.sum() / count:.1f} | {np.mean(lengths == 1):.0%} "
            f"| {capped.sum() / count:.1f} | {every.sum() / count:.1f} "
            f"| {lengths.max():,}, {lengths.max() / count:.2%} of the documents |"
        )
    print(f"\nlargest cluster: {largest:,} of {documents:,}")


if __name__ == "__main__":
    main()
