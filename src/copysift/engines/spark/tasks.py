"""What runs inside the tasks of phases 2 and 3: Arrow batches in, a stage function, Arrow batches out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from copysift import kernels
from copysift.clusters.classes import likeness
from copysift.engines import phases
from copysift.engines.spark.columns import Batches, held, numbers, packed, place_in, runs, unpacked
from copysift.engines.spark.filters import Filter
from copysift.engines.spark.kept_sets import sets_of
from copysift.engines.spark.placement import PlacedTable, shingles_of
from copysift.engines.spark.ranges import HEAVY, ranges
from copysift.fingerprints import shingles as sketching
from copysift.join import lists
from copysift.runs.sketches import Places
from copysift.settings.corpus import CorpusSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

Task = Callable[[Batches], Batches]

HELD = 48 << 20  # bytes of entries, or of sets, that a task works on at a time, about

ENTRIES = "number long, shingles long, hashes binary"
BLOCKS = "bucket int, hashes binary, docs binary, sizes binary"
SHARED = "kind int, bucket int, keys binary, counts binary"
CANDIDATES = "left long, right long"
LEFT, RIGHT, COMMON, SIZES = range(4)  # kinds: pairs by their smaller side, and the rest


def likeness_task(batches: Batches) -> Batches:
    """Say how documents are the same as the first of their class.

    Rows come in order of class and number, so that only the first of a class is held, however many it has.
    """
    head: dict[str, NDArray[Any]] | None = None
    for batch in batches:
        if not len(batch):
            continue
        rows = {name: numbers(batch[name]) for name in CLASSES}
        if head is not None:
            rows = {name: np.concatenate([head[name], rows[name]]) for name in CLASSES}
        new = np.ones(len(rows["number"]), np.bool_)
        new[1:] = (np.diff(rows["class_key"]) != 0) | (np.diff(rows["class_size"]) != 0)
        heads = np.maximum.accumulate(np.where(new, np.arange(len(new)), 0))
        others = np.flatnonzero(~new)
        own, first = (
            (
                rows["content"][at].view(np.uint64),
                rows["lexical"][at].view(np.uint64),
                rows["bytes"][at],
                rows["words"][at],
            )
            for at in (others, heads[others])
        )
        yield pa.RecordBatch.from_pydict(
            {
                "number": pa.array(rows["number"][others]),
                "first": pa.array(rows["number"][heads[others]]),
                "how": pa.array(likeness(own, first).astype(np.int32)),
            }
        )
        head = {name: rows[name][heads[-1:]] for name in CLASSES}


CLASSES = ("number", "class_key", "class_size", "content", "lexical", "bytes", "words")


def entries_task(settings: CorpusSettings, known: Filter | None, folder: str = "") -> Task:
    """Choose the shingles by which every document looks for others; `known` has those of finer samples.

    Their sets are in a column, or in a folder.
    """

    def task(batches: Batches) -> Batches:
        bits = None if known is None else known.read()
        for named, values, bounds in sets_of(batches, folder):
            sizes = np.diff(bounds)
            by = sketching.moduli(sizes, settings.modulus)
            everyone = np.ones(len(sizes), np.bool_)
            hashes, docs, _ = phases.entries(Places.of(values, bounds), 0, by, everyone, bits, settings)
            ends = np.searchsorted(docs, np.arange(len(sizes) + 1))
            yield pa.RecordBatch.from_pydict(
                {"number": named, "shingles": pa.array(sizes), "hashes": packed(hashes, ends)}
            )

    return task


def blocks_task(bits: int, heavy: PlacedTable | None = None) -> Task:
    """Put (shingle, document) entries into 2^bits ranges of shingles, many a row; heavy shingles go."""

    def task(batches: Batches) -> Batches:
        for table in held(batches, HELD):
            yield from _blocks(table, bits, heavy)

    return task


def _blocks(table: pa.Table, bits: int, heavy: PlacedTable | None) -> Batches:
    if (np.diff(numbers(table["number"])) < 0).any():
        table = table.sort_by("number")
    hashes, bounds = unpacked(table["hashes"], np.uint64)
    owner = np.repeat(np.arange(len(table), dtype=np.uint32), np.diff(bounds))
    if heavy is not None:
        light = place_in(shingles_of(heavy), hashes) < 0
        hashes, owner = hashes[light], owner[light]
    scrambled, owner, ends = lists.partition(hashes, owner, bits)
    docs = numbers(table["number"]).astype(np.uint32)[owner]
    sizes = numbers(table["shingles"]).astype(np.uint32)[owner]
    full = np.flatnonzero(np.diff(ends))
    cuts = np.append(ends[full], ends[-1])
    yield pa.RecordBatch.from_pydict(
        {
            "bucket": pa.array(full.astype(np.int32)),
            "hashes": packed(scrambled, cuts),
            "docs": packed(docs, cuts),
            "sizes": packed(sizes, cuts),
        }
    )


def lists_task(settings: CorpusSettings, buckets: int, most: int = HEAVY) -> Task:
    """Form the pairs of each range of shingles and sum them up, for `buckets` of documents.

    A range of over `most` entries goes to disk and is divided further.
    """

    def task(batches: Batches) -> Batches:
        for entries in ranges(batches, most):
            yield from _shared(entries, settings, buckets)

    return task


def common_rows(few: UInt64s, buckets: int) -> Batches:
    """Spread the pairs of common shingles: the first document is in all of them, the other one divides."""
    return _spread(COMMON, few, np.zeros(len(few), np.uint32), phases.split(few)[1] % buckets)


def _shared(entries: NDArray[np.void], settings: CorpusSettings, buckets: int) -> Batches:
    scrambled, docs, sizes = entries["hash"], entries["doc"], entries["size"]
    key, order = docs.astype(np.uint64), np.arange(len(docs), dtype=np.uint32)
    kernels.join.sort_pairs(key, order)
    named, at = np.unique(key.astype(np.int64), return_index=True)
    rank = np.repeat(np.arange(len(named), dtype=np.uint32), np.diff(np.append(at, len(docs))))
    shingles = sizes[order[at]].astype(np.int64)
    if settings.method == "super":
        by = np.ones(len(named), np.uint32)
    else:
        by = sketching.moduli(shingles, settings.modulus)
    seen = np.zeros(len(named), np.uint32)
    found = lists.lists_of(np.ascontiguousarray(scrambled[order]), rank, by, settings.most_shared(), seen)
    known = named[seen > 0]
    yield from _spread(SIZES, known.astype(np.uint64), seen[seen > 0], known % buckets)
    for keys, weights in lists.pairs_of(found):
        yield from _pairs(keys, weights, named, shingles, buckets)
    # the few pairs of a common list depend on the numbers of its documents, not on their ranks here
    numbered = dataclasses.replace(found, docs=named[found.docs].astype(np.uint32))
    yield from common_rows(lists.common_pairs(numbered), buckets)


def _pairs(keys: UInt64s, weights: UInt32s, named: Int64s, shingles: Int64s, buckets: int) -> Batches:
    """Give pairs by number to the bucket of their smaller document."""
    left, right = phases.split(keys)
    pairs = named[left].astype(np.uint64) << np.uint64(32) | named[right].astype(np.uint64)
    first = shingles[left] <= shingles[right]
    for kind, which, side in ((LEFT, first, left), (RIGHT, ~first, right)):
        yield from _spread(kind, pairs[which], weights[which], named[side[which]] % buckets)


def _spread(kind: int, keys: UInt64s, counts: UInt32s, bucket: Int64s) -> Batches:
    if not len(keys):
        return
    order = np.argsort(bucket, kind="stable")
    bucket = bucket[order]
    starts = np.flatnonzero(np.diff(bucket, prepend=-1))
    cuts = np.append(starts, len(bucket))
    yield pa.RecordBatch.from_pydict(
        {
            "kind": pa.array(np.full(len(starts), kind, np.int32)),
            "bucket": pa.array(bucket[starts].astype(np.int32)),
            "keys": packed(keys[order], cuts),
            "counts": packed(counts[order], cuts),
        }
    )


def candidates_task(settings: CorpusSettings) -> Task:
    """Sum the pairs of each bucket up and keep those worth measuring."""

    def task(batches: Batches) -> Batches:
        for _, table in runs(batches, "bucket"):
            kinds = numbers(table["kind"])
            parts = {
                kind: (
                    unpacked(chosen["keys"], np.uint64)[0].copy(),
                    unpacked(chosen["counts"], np.uint32)[0].copy(),
                )
                for kind in (LEFT, RIGHT, COMMON, SIZES)
                for chosen in [table.filter(pa.array(kinds == kind))]
            }
            docs, sizes = lists.summed(*parts[SIZES])
            pairs: list[UInt64s] = []
            for kind, common in ((LEFT, np.unique(parts[COMMON][0])), (RIGHT, np.zeros(0, np.uint64))):
                keys, shared = lists.summed(*parts[kind])
                smaller = (keys >> np.uint64(32)) if kind == LEFT else keys & np.uint64(0xFFFFFFFF)
                known = _looked_up(docs, sizes, smaller)
                pairs.append(phases.candidates(keys, shared, known, common, settings.floor, settings.method))
            left, right = phases.split(np.union1d(*pairs))
            yield pa.RecordBatch.from_pydict({"left": pa.array(left), "right": pa.array(right)})

    return task


def _looked_up(docs: UInt64s, sizes: UInt32s, wanted: UInt64s) -> UInt32s:
    if not len(docs):
        return np.zeros(len(wanted), np.uint32)
    at = np.minimum(np.searchsorted(docs, wanted), len(docs) - 1)
    return np.where(docs[at] == wanted, sizes[at], 0).astype(np.uint32)
