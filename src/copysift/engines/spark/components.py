"""What runs inside the tasks of phase 4: measured pairs in, clusters out."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from copysift.clusters.classes import JOINED
from copysift.clusters.components import roots
from copysift.clusters.linkage import assign
from copysift.engines import phases
from copysift.engines.spark.columns import Batches, numbers, runs
from copysift.engines.spark.measures import measured_rows
from copysift.engines.spark.tasks import Task
from copysift.match.sets import MeasuredPairs
from copysift.settings.corpus import CorpusSettings


def alike_task(settings: CorpusSettings, measured: bool = False) -> Task:
    """Keep the pairs that belong together, as `measured`; else `near` says that they resemble each other."""

    def task(batches: Batches) -> Batches:
        for batch in batches:
            found = MeasuredPairs(
                *(
                    np.asarray(batch[name].to_numpy(zero_copy_only=False))
                    for name in MeasuredPairs.__dataclass_fields__
                )
            )
            together = found.take(phases.alike(found, settings))
            if measured:
                yield measured_rows(together)
                continue
            near = phases.near(together, settings)
            yield pa.RecordBatch.from_pydict(
                {"left": pa.array(together.left), "right": pa.array(together.right), "near": pa.array(near)}
            )

    return task


def together_task(settings: CorpusSettings) -> Task:
    """Cluster all pairs at once: where they fit one task, as they do below a few millions."""

    def task(batches: Batches) -> Batches:
        held = list(alike_task(settings)(batches))
        if not held:
            return
        table = pa.Table.from_batches(held)
        left, right = numbers(table["left"]), numbers(table["right"])
        near = np.asarray(table["near"].to_numpy(), np.bool_)
        named, ranks = np.unique(np.concatenate([left, right]), return_inverse=True)
        one, other = ranks[: len(left)], ranks[len(left) :]
        root = assign(len(named), one, other, settings.policy or "component")
        close = np.zeros(len(named), np.bool_)
        inside = near & (root[one] == root[other])
        close[one[inside]] = close[other[inside]] = True
        # who is alone after all is in no cluster
        inside = np.flatnonzero(np.bincount(root, minlength=len(named))[root] > 1)
        yield pa.RecordBatch.from_pydict(
            {
                "number": pa.array(named[inside]),
                "root": pa.array(named[root[inside]]),
                "near": pa.array(close[inside]),
            }
        )

    return task


def contract_task(batches: Batches) -> Batches:
    """Replace the pairs of a part by as few that connect the same documents: each with its first."""
    held = [batch for batch in batches if len(batch)]
    if not held:
        return
    table = pa.Table.from_batches(held)
    named, ranks = np.unique(
        np.concatenate([numbers(table["one"]), numbers(table["other"])]), return_inverse=True
    )
    half = len(table)
    root = roots(len(named), ranks[:half], ranks[half:])
    below = np.flatnonzero(root != np.arange(len(named)))
    yield pa.RecordBatch.from_pydict({"one": pa.array(named[below]), "other": pa.array(named[root[below]])})


def policy_task(policy: str) -> Task:
    """Cut each component, whose pairs come together, into clusters by a policy."""

    def task(batches: Batches) -> Batches:
        for _, table in runs(batches, "root"):
            left, right = numbers(table["left"]), numbers(table["right"])
            named, ranks = np.unique(np.concatenate([left, right]), return_inverse=True)
            head = assign(len(named), ranks[: len(left)], ranks[len(left) :], policy)
            yield pa.RecordBatch.from_pydict({"number": pa.array(named), "root": pa.array(named[head])})

    return task


def joined_task(batches: Batches) -> Batches:
    """Say how the documents of clusters came in."""
    words = pa.array(JOINED, pa.string())
    for batch in batches:
        how = numbers(batch["how"]).astype(np.uint8)
        near = np.asarray(batch["near"].to_numpy(zero_copy_only=False), np.bool_)
        heads = numbers(batch["number"]) == numbers(batch["root"])
        joined = phases.joined_as(how, near, heads)
        yield pa.RecordBatch.from_pydict(
            {"number": batch["number"], "root": batch["root"], "joined": words.take(pa.array(joined))}
        )
