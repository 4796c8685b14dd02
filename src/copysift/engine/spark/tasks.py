"""What runs inside the tasks of phases 2 and 3: Arrow batches in, a stage function, Arrow batches out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from copysift import kernels
from copysift.cluster.classes import likeness
from copysift.engine.corpus import phases
from copysift.engine.spark.columns import Batches, numbers, one_row, packed, runs, unpacked, unsigned
from copysift.fingerprint import shingles as sketching
from copysift.index import lists
from copysift.match.sets import Measured
from copysift.settings_corpus import CorpusSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

Task = Callable[[Batches], Batches]

FILTER_BLOCK = 1 << 13  # words of the filter in a row
HELD = 48 << 20  # bytes of entries, or of sets, that a task works on at a time, about

ENTRIES = "row long, shingles long, hashes binary"
BLOCKS = "bucket int, hashes binary, docs binary, sizes binary"
SHARED = "kind int, bucket int, keys binary, counts binary"
LEFT, RIGHT, COMMON, SIZES, IGNORED = range(5)  # kinds: pairs by their smaller side, and the rest
MEASURES = (
    "left long, right long, shared long, resemblance double, containment_left double, "
    "containment_right double"
)


def likeness_task(batches: Batches) -> Batches:
    """Tell how documents are the same as the first of their class."""
    for batch in batches:
        own, first = (
            (
                unsigned(batch[f"{of}content"]),
                unsigned(batch[f"{of}lexical"]),
                numbers(batch[f"{of}bytes"]),
                numbers(batch[f"{of}words"]),
            )
            for of in ("", "first_")
        )
        how = likeness(own, first).astype(np.int32)
        yield pa.RecordBatch.from_pydict(
            {"number": batch["number"], "first": batch["first"], "how": pa.array(how)}
        )


def filter_task(words: int, modulus: int) -> Task:
    """Note the shingles of finer samples in a filter of so many words; give the blocks that have any."""

    def task(batches: Batches) -> Batches:
        bits = np.zeros(words, np.uint64)
        for batch in batches:
            values, bounds = unpacked(batch["values"], np.uint64)
            by = sketching.moduli(np.diff(bounds), modulus)
            samples, ends = sketching.samples(values, bounds, by)
            everyone = np.ones(len(by), np.bool_)
            kernels.shingle.note(bits, phases.probes(samples, ends, by, everyone, modulus))
        yield from _filter_rows(bits, np.arange(0, words, FILTER_BLOCK))

    return task


def merge_task(batches: Batches) -> Batches:
    """Merge the blocks of filters, which come in order."""
    for block, table in runs(batches, "block"):
        values, bounds = unpacked(table["bits"], np.uint64)
        merged = np.bitwise_or.reduce(values.reshape(len(bounds) - 1, -1), axis=0)
        yield pa.RecordBatch.from_pydict({"block": pa.array([block], pa.int32()), "bits": [merged.tobytes()]})


def _filter_rows(bits: UInt64s, starts: Int64s) -> Batches:
    for start in starts.tolist():
        block = bits[start : start + FILTER_BLOCK]
        if block.any():
            number = pa.array([start // FILTER_BLOCK], pa.int32())
            yield pa.RecordBatch.from_pydict({"block": number, "bits": [block.tobytes()]})


def entries_task(settings: CorpusSettings, known: Any) -> Task:
    """Choose the shingles by which every document looks for others; `known` is a broadcast filter."""

    def task(batches: Batches) -> Batches:
        bits = None if known is None else np.frombuffer(known.value, np.uint64)
        for batch in batches:
            values, bounds = unpacked(batch["values"], np.uint64)
            sizes = np.diff(bounds)
            by = sketching.moduli(sizes, settings.modulus)
            everyone = np.ones(len(sizes), np.bool_)
            hashes, docs = phases.entries(values, bounds, 0, by, everyone, bits, settings)
            ends = np.searchsorted(docs, np.arange(len(sizes) + 1))
            yield pa.RecordBatch.from_pydict(
                {"row": batch["row"], "shingles": pa.array(sizes), "hashes": packed(hashes, ends)}
            )

    return task


def blocks_task(bits: int) -> Task:
    """Put (shingle, document) entries into 2^bits ranges of shingles, many entries a row."""

    def task(batches: Batches) -> Batches:
        held: list[pa.RecordBatch] = []
        size = 0
        for batch in batches:
            held.append(batch.select(["number", "shingles", "hashes"]))
            size += batch.nbytes
            if size > HELD:
                yield from _blocks(held, bits)
                held, size = [], 0
        if held:
            yield from _blocks(held, bits)

    return task


def _blocks(held: list[pa.RecordBatch], bits: int) -> Batches:
    table = pa.Table.from_batches(held).sort_by("number")
    hashes, bounds = unpacked(table["hashes"], np.uint64)
    owner = np.repeat(np.arange(len(table), dtype=np.uint32), np.diff(bounds))
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


def lists_task(settings: CorpusSettings, buckets: int) -> Task:
    """Form the pairs of each range of shingles and sum them up, for `buckets` of documents."""

    def task(batches: Batches) -> Batches:
        for _, table in runs(batches, "bucket"):
            scrambled, docs, sizes = (
                unpacked(table[name], kind)[0]
                for name, kind in (("hashes", np.uint64), ("docs", np.uint32), ("sizes", np.uint32))
            )
            yield from _shared(scrambled, docs, sizes, settings, buckets)

    return task


def _shared(
    scrambled: UInt64s, docs: UInt32s, sizes: UInt32s, settings: CorpusSettings, buckets: int
) -> Batches:
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
    found = lists.lists_of(np.ascontiguousarray(scrambled[order]), rank, by, settings.max_shared, seen)
    known = named[seen > 0]
    yield from _spread(SIZES, known.astype(np.uint64), seen[seen > 0], known % buckets)
    for keys, weights in lists.pairs_of(found):
        yield from _pairs(keys, weights, named, shingles, buckets)
    # the few pairs of a common list depend on the numbers of its documents, not on their ranks here
    numbered = dataclasses.replace(found, docs=named[found.docs].astype(np.uint32))
    few = lists.common_pairs(numbered)
    left, right = phases.split(few)
    one, other = np.searchsorted(named, left), np.searchsorted(named, right)
    smaller = np.where(shingles[one] <= shingles[other], left, right)
    yield from _spread(COMMON, few, np.zeros(len(few), np.uint32), smaller % buckets)
    if found.common:
        told = np.array([(h, count, int(named[doc])) for h, count, doc in found.commonest], np.uint64)
        yield pa.RecordBatch.from_pydict(
            _typed(
                one_row(kind=IGNORED, bucket=found.common, keys=told.ravel(), counts=np.zeros(0, np.uint32))
            )
        )


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


def _typed(row: dict[str, list[Any]]) -> dict[str, Any]:
    return {
        name: pa.array(value, pa.int32() if name in ("kind", "bucket") else pa.binary())
        for name, value in row.items()
    }


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


def measure_task(settings: CorpusSettings) -> Task:
    """Measure candidates exactly; each cell brings its pairs and the sets of their documents."""

    def task(batches: Batches) -> Batches:
        held: list[pa.Table] = []
        size = 0
        for _, table in runs(batches, "cell"):
            held.append(table)
            size += table.nbytes
            if size > HELD:
                yield _measured(pa.concat_tables(held), settings)
                held, size = [], 0
        if held:
            yield _measured(pa.concat_tables(held), settings)

    return task


def _measured(table: pa.Table, settings: CorpusSettings) -> pa.RecordBatch:
    is_pair = table["right"].is_valid()
    sets, pairs = table.filter(pa.compute.invert(is_pair)), table.filter(is_pair)
    every = numbers(sets["left"])
    named, at = np.unique(every, return_index=True)
    values, bounds = unpacked(sets["values"].take(pa.array(at)), np.uint64)
    keys = numbers(pairs["left"]).astype(np.uint64) << np.uint64(32)
    keys |= numbers(pairs["right"]).astype(np.uint64)
    found = phases.measured(values, bounds, named, np.unique(keys), settings, settings.floor)
    return pa.RecordBatch.from_pydict(
        {name: pa.array(getattr(found, name)) for name in Measured.__dataclass_fields__}
    )


def cells_task(most: int) -> Task:
    """Put all pairs into cells at once: where they fit one task."""

    def task(batches: Batches) -> Batches:
        held = [batch for batch in batches if len(batch)]
        if not held:
            return
        table = pa.Table.from_batches(held)
        left, right = numbers(table["left"]), numbers(table["right"])
        named, ranks = np.unique(np.concatenate([left, right]), return_inverse=True)
        one, other = ranks[: len(left)], ranks[len(left) :]
        label = np.arange(len(named))
        np.minimum.at(label, other, one)
        cell = label[one]
        several = -(-np.bincount(cell, minlength=len(named)) // most)
        cell = cell + len(named) * (other % np.maximum(several[cell], 1))
        for start in range(0, len(cell), 1 << 18):
            some = slice(start, start + (1 << 18))
            yield pa.RecordBatch.from_pydict(
                {"cell": pa.array(cell[some]), "left": pa.array(left[some]), "right": pa.array(right[some])}
            )

    return task
