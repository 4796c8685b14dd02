"""What up to ten billion documents do to the keys, drawn at random: pairs, heaviest key, rounds.

usage: simulate.py

Near-copies come in clusters whose sizes fall off as size^-2.3 (three documents in ten are in one);
boilerplate shingles stand in a share of all documents that falls off as 0.06 / rank (`keys.py` measures the
0.06, of the corpus of 20,000 documents). Counts of clusters of each size are drawn, not the documents, so
that ten billion cost no more than a million. The rounds of the components are those of large-star and
small-star over clusters that are chains, the worst that near-copies make, and without what tasks join by
themselves before: more than a run takes.
"""

from __future__ import annotations

import numpy as np

ENTRIES = 45  # (shingle, document) entries of a document: assumed, the 20,000 documents have 40 sampled ones
MAX_SHARED = 1000
HEAVIEST = 0.06  # of the documents have the commonest shingle
LARGEST = 10_000_000  # documents in a cluster, at most
BOILERPLATE = 10_000  # common shingles
Edges = np.ndarray[tuple[int, int], np.dtype[np.int64]]


def clusters(documents: int, chance: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Give sizes of clusters and how many there are of each."""
    sizes = np.unique(np.geomspace(2, min(LARGEST, documents // 10), 400).astype(np.int64))
    widths = np.diff(np.append(sizes, sizes[-1] + 1))
    weights = sizes**-2.3 * widths
    wanted = 0.3 * documents / float((weights * sizes).sum())
    return sizes, chance.poisson(weights * wanted)


def formed(lengths: np.ndarray, counts: np.ndarray) -> tuple[float, float]:
    """Give the pairs that lists form, and those that they would without the cap."""
    free = float((counts * lengths * (lengths - 1.0) / 2).sum())
    capped = np.where(lengths > MAX_SHARED, 3.0 * lengths, lengths * (lengths - 1.0) / 2)
    return float((counts * capped).sum()), free


def rounds(count: int, chance: np.random.Generator) -> int:
    """Run large-star and small-star over chains with shuffled numbers until nothing changes."""
    sizes, counts = clusters(count, chance)
    chains = np.repeat(sizes, counts)
    chains = chains[np.cumsum(chains) <= count]
    number = chance.permutation(int(chains.sum()))
    starts = np.cumsum(chains) - chains
    inside = np.ones(len(number), np.bool_)
    inside[starts] = False
    at = np.flatnonzero(inside)
    edges = np.stack([number[at - 1], number[at]], 1)
    edges = np.stack([edges.max(1), edges.min(1)], 1)
    done = 0
    while True:
        after = small(large(edges, len(number)), len(number))
        done += 1
        if len(after) == len(edges) and (after == edges).all():
            return done
        edges = after


def large(edges: Edges, count: int) -> Edges:
    both = np.concatenate([edges, edges[:, ::-1]])
    least = np.arange(count)
    np.minimum.at(least, both[:, 0], both[:, 1])
    up = both[both[:, 1] > both[:, 0]]
    out = np.stack([up[:, 1], least[up[:, 0]]], 1)
    return np.unique(out[out[:, 0] > out[:, 1]], axis=0)


def small(edges: Edges, count: int) -> Edges:
    least = np.arange(count)
    np.minimum.at(least, edges[:, 0], edges[:, 1])
    own = np.unique(edges[:, 0])
    rest = np.stack([edges[:, 1], least[edges[:, 0]]], 1)
    rest = rest[rest[:, 0] > rest[:, 1]]
    return np.unique(np.concatenate([rest, np.stack([own, least[own]], 1)]), axis=0)


def main() -> None:
    chance = np.random.default_rng(2014)
    print("| documents | entries | pairs formed | a document | uncapped | heaviest key | largest cluster |")
    print("|---|---|---|---|---|---|---|")
    for documents in (10**6, 10**7, 10**8, 10**9, 10**10):
        sizes, counts = clusters(documents, chance)
        # the shingles of a cluster stand in the same lists: pairs are formed once for a list and its like
        some, free = formed(sizes, counts)
        common = np.maximum(HEAVIEST * documents / np.arange(1, BOILERPLATE + 1), 2).astype(np.int64)
        more, more_free = formed(common, np.ones(BOILERPLATE))
        print(
            f"| {documents:.0e} | {documents * ENTRIES:.1e} | {some + more:.2e} "
            f"| {(some + more) / documents:.1f} "
            f"| {free + more_free:.1e} | {common[0]:,} documents, {16 * common[0] / 1e6:,.1f} MB "
            f"| {sizes[counts > 0][-1]:,} |"
        )
    print("\n| documents | rounds |\n|---|---|")
    for documents in (10**4, 10**5, 10**6, 4 * 10**6):
        print(f"| {documents:,} | {rounds(documents, chance)} |")


if __name__ == "__main__":
    main()
