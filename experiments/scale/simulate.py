"""What up to ten billion documents do to the keys, drawn at random: pairs, heaviest key, rounds.

usage: simulate.py

Fitted to what `keys.py` measures of the corpus of 20,000 documents. Two documents in five stand in clusters
of near-copies, whose sizes fall off as size^-3 (the largest is then one of about a hundred), and each cluster
has 40 lists, formed one by one: with many ranges of shingles lists of the same documents seldom meet. One
boilerplate passage gives 15 shingles that 6 % of all documents have; the others fall off as
1.2 / (rank + 160). They end at a rank, or go on as far as two documents have them: 20,000 documents cannot
tell. Counts of clusters of each size are drawn, not the documents, so that ten billion cost no more than a
million. The rounds of the components are those of large-star and small-star over clusters that are chains, of
sizes that fall off as size^-2.3: the worst that near-copies make, and without what tasks join by themselves
before: more than a run takes.
"""

from __future__ import annotations

import numpy as np

ENTRIES = 43  # (shingle, document) entries of a document
MAX_SHARED = 1000
CLUSTERED = 0.41  # of the documents are in clusters and not the same as an earlier one
FALL, SLOW = 3.0, 2.3  # exponents of the sizes of clusters: as measured, and worse
LISTS = 40  # of a cluster
LARGEST = 10_000_000  # documents in a cluster, at most
HEAVIEST, PASSAGE = (
    0.06,
    15,
)  # share of the documents that have the commonest shingles, and how many these are
SHARE, SHIFT = 1.2, 160  # the other boilerplate shingles are in SHARE / (rank + SHIFT) of the documents
BOILERPLATE = 10_000  # where they end, if they do
Edges = np.ndarray[tuple[int, int], np.dtype[np.int64]]
Lists = tuple[np.ndarray, np.ndarray]  # lengths, and how many lists there are of each


def clusters(documents: int, chance: np.random.Generator, fall: float = FALL) -> Lists:
    """Give sizes of clusters and how many there are of each."""
    largest = min(LARGEST, documents // 10)
    sizes = np.unique(np.concatenate([np.arange(2, 200), np.geomspace(200, largest, 400).astype(np.int64)]))
    widths = np.diff(np.append(sizes, sizes[-1] + 1))
    weights = sizes**-fall * widths
    wanted = CLUSTERED * documents / float((weights * sizes).sum())
    return sizes, chance.poisson(weights * wanted)


def boilerplate(documents: int, end: float) -> Lists:
    """Give the lists of boilerplate shingles up to a rank, in steps of ranks."""
    end = min(end, SHARE * documents / 2)
    edges = np.unique(np.concatenate([np.arange(0, 1000), np.geomspace(1000, max(end, 1001), 4000)]))
    middle = (edges[:-1] + edges[1:]) / 2
    lengths, counts = SHARE * documents / (middle + SHIFT), np.diff(edges)
    return np.append(lengths, HEAVIEST * documents), np.append(counts, PASSAGE)


def formed(*several: Lists) -> tuple[float, float]:
    """Give the pairs that lists form, and those that they would without the cap."""
    lengths, counts = (np.concatenate(column).astype(np.float64) for column in zip(*several, strict=True))
    every = lengths * (lengths - 1) / 2
    capped = np.where(lengths > MAX_SHARED, 3 * lengths, every)
    return float((counts * capped).sum()), float((counts * every).sum())


def rounds(count: int, chance: np.random.Generator) -> int:
    """Run large-star and small-star over chains with shuffled numbers until nothing changes."""
    sizes, counts = clusters(count, chance, SLOW)
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
    heads = "formed a document | of clusters | if boilerplate goes on | if sizes fall slower"
    print(f"| documents | entries | {heads} | uncapped | heaviest key | largest cluster |")
    print("|" + "---|" * 9)
    for documents in (2500, 5000, 10**4, 2 * 10**4, 10**6, 10**7, 10**8, 10**9, 10**10):
        sizes, counts = clusters(documents, chance)
        copies = sizes, LISTS * counts
        wide, many = clusters(documents, chance, SLOW)
        ending, endless = boilerplate(documents, BOILERPLATE), boilerplate(documents, np.inf)
        some, free = formed(copies, ending)
        heaviest = HEAVIEST * documents
        print(
            f"| {documents:,} | {documents * ENTRIES:.1e} | {some / documents:.0f} "
            f"| {formed(copies)[0] / documents:.0f} | {formed(copies, endless)[0] / documents:.0f} "
            f"| {formed((wide, LISTS * many), ending)[0] / documents:.0f} | {free:.1e} "
            f"| {heaviest:,.0f} documents, {16 * heaviest / 1e6:,.1f} MB | {sizes[counts > 0][-1]:,} |"
        )
    print("\n| documents | rounds |\n|---|---|")
    for documents in (10**4, 10**5, 10**6):
        print(f"| {documents:,} | {rounds(documents, chance)} |")


if __name__ == "__main__":
    main()
