"""What runs inside the tasks that decide who stays: the pairs of a component in, kept documents out."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from copysift.clusters.components import roots
from copysift.clusters.preference import score
from copysift.clusters.retention import ROUNDS, known, unsure
from copysift.engines import phases
from copysift.engines.spark.columns import Batches, numbers, runs, unpacked
from copysift.engines.spark.measures import measured_rows
from copysift.engines.spark.tasks import Task
from copysift.match.sets import MeasuredPairs, measures, shared_by
from copysift.settings.corpus import CorpusSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt64s = NDArray[np.uint64]

CHOSEN = "root long, number long, kept long, place long, ask boolean, large boolean"


def score_task(field: str) -> Task:
    """Give documents the number in a field of theirs."""

    def task(batches: Batches) -> Batches:
        for batch in batches:
            found = [score(other, field) for other in batch["other"].to_pylist()]
            yield pa.RecordBatch.from_pydict(
                {"number": batch["number"], "score": pa.array(found, pa.float64())}
            )

    return task


def keep_task(settings: CorpusSettings) -> Task:
    """Choose inside each component, whose pairs come together, who is kept for which.

    Every document of the pairs comes with `score` and `best`, by which the preferred is first. `ask`: no pair
    says whether the two are similar. Of a `large` component all documents are given, with their places.
    """
    policy = settings.policy or "representative"

    def task(batches: Batches) -> Batches:
        for root, table in runs(batches, "root"):
            named, one, other = _in_order(table)
            component = np.zeros(len(named), np.int64)
            kept = known(component, one, other, policy)
            ask = np.zeros(len(named), np.bool_)
            large = policy != "component" and len(named) > settings.most_shared()
            if policy == "component":
                ask[unsure(component, kept)] = True
                kept[ask] = 0
            given = np.flatnonzero((kept != np.arange(len(named))) | large)
            yield pa.RecordBatch.from_pydict(
                {
                    "root": pa.array(np.full(len(given), root)),
                    "number": pa.array(named[given]),
                    "kept": pa.array(named[kept[given]]),
                    "place": pa.array(given),
                    "ask": pa.array(ask[given]),
                    "large": pa.array(np.full(len(given), large)),
                }
            )

    return task


def together_task(settings: CorpusSettings) -> Task:
    """Choose for all pairs at once, where they fit one task: it finds the components too."""
    choose = keep_task(settings)

    def task(batches: Batches) -> Batches:
        held = [batch for batch in batches if len(batch)]
        if not held:
            return
        table = pa.Table.from_batches(held)
        left, right = numbers(table["left"]), numbers(table["right"])
        named, ranks = np.unique(np.concatenate([left, right]), return_inverse=True)
        root = roots(len(named), ranks[: len(left)], ranks[len(left) :])[ranks[: len(left)]]
        order = np.argsort(root, kind="stable")
        rooted = table.drop_columns("root").append_column("root", pa.array(root)).take(pa.array(order))
        yield from choose(iter(rooted.combine_chunks().to_batches()))

    return task


def _in_order(table: pa.Table) -> tuple[Int64s, Int64s, Int64s]:
    """Give the documents of pairs, the preferred first, and the pairs by their places in that order."""
    names = ("number", "score", "best")
    sides = [
        pa.table([table[f"{side}{name}"] for name in ("", "_score", "_best")], names=names)
        for side in ("left", "right")
    ]
    both = pa.concat_tables(sides).combine_chunks()
    every, at = np.unique(numbers(both["number"]), return_index=True)
    order = pc.sort_indices(
        both.take(pa.array(at)), sort_keys=[("score", "descending"), ("best", "ascending")]
    ).to_numpy()
    rank = np.empty(len(every), np.int64)
    rank[order] = np.arange(len(every))
    places = rank[np.searchsorted(every, numbers(both["number"]))]
    return every[order], places[: len(table)], places[len(table) :]


def lead_task(settings: CorpusSettings) -> Task:
    """Check the documents that stay of a component, with their sets, against the first of them.

    They come in order of preference. The first leads; so does, up to a few leaders, who is similar to none.
    """

    def task(batches: Batches) -> Batches:
        leaders, current = _Leaders(settings), None
        for batch in batches:
            root = numbers(batch["root"])
            cuts = [0, *(np.flatnonzero(np.diff(root)) + 1).tolist(), len(root)]
            for start, end in pairwise(cuts):
                if end == start:
                    continue
                if root[start] != current:
                    leaders, current = _Leaders(settings), root[start]
                yield from leaders.gone(batch.slice(start, end - start))

    return task


class _Leaders:
    """The documents of a component that others are checked against."""

    def __init__(self, settings: CorpusSettings) -> None:
        self._settings = settings
        self._leaders: list[tuple[int, UInt64s]] = []

    def gone(self, batch: pa.RecordBatch) -> Batches:
        """Give those of the next documents that go, with their leaders and the measures."""
        named = numbers(batch["number"])
        values, bounds = unpacked(batch["values"], np.uint64)
        left = np.arange(len(named))
        for leader in self._leaders:
            found = self._measured(leader, named, values, bounds, left)
            left = left[~self._alike(found)]
            yield self._rows(found)
        while len(self._leaders) < ROUNDS and len(left):
            first, left = int(left[0]), left[1:]
            leader = (int(named[first]), values[bounds[first] : bounds[first + 1]].copy())
            self._leaders.append(leader)
            found = self._measured(leader, named, values, bounds, left)
            left = left[~self._alike(found)]
            yield self._rows(found)

    def _measured(
        self, leader: tuple[int, UInt64s], named: Int64s, values: UInt64s, bounds: Int64s, left: Int64s
    ) -> MeasuredPairs:
        name, own = leader
        whole = np.concatenate([values, own])
        ends = np.append(bounds, bounds[-1] + len(own))
        sizes, last = np.diff(ends), np.full(len(left), len(named))
        shared = shared_by(whole, ends, left, last)
        return measures(named[left], np.full(len(left), name), shared, sizes[left], sizes[last])

    def _alike(self, found: MeasuredPairs) -> NDArray[np.bool_]:
        return phases.alike(found, self._settings)

    def _rows(self, found: MeasuredPairs) -> pa.RecordBatch:
        return measured_rows(found.take(self._alike(found)))
