"""What runs inside the tasks of the exact check: candidates and sets in, measured pairs out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from copysift.engines import phases
from copysift.engines.spark.columns import Batches, chunks, numbers, unpacked
from copysift.engines.spark.tasks import HELD, Task
from copysift.match.sets import MeasuredPairs
from copysift.runs.sets import Sets
from copysift.settings.corpus import CorpusSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]

PAIRS = 4 << 20  # bytes of pairs that are looked up together
CELLS = "cell long, left long, right long"
MEASURES = (
    "left long, right long, shared long, resemblance double, containment_left double, "
    "containment_right double"
)


def measure_task(settings: CorpusSettings) -> Task:
    """Measure candidates exactly; each cell brings its pairs and the sets of their documents."""

    def task(batches: Batches) -> Batches:
        for table in chunks(batches, "cell", HELD):
            yield _measured(table, settings)

    return task


def measure_near_task(settings: CorpusSettings, folder: str) -> Task:
    """Measure candidates, which come in order of their left document, by the sets in a folder."""

    def task(batches: Batches) -> Batches:
        sets = Sets(Path(folder))
        for table in chunks(batches, "left", PAIRS):
            keys = numbers(table["left"]).astype(np.uint64) << np.uint64(32)
            pairs = np.unique(keys | numbers(table["right"]).astype(np.uint64))
            left, right = phases.split(pairs)
            size = sets.column("compared")
            held = np.cumsum(8 * (size[left] + size[right]))
            cuts = np.searchsorted(held, np.arange(HELD, int(held[-1]) + HELD, HELD)) + 1
            for some in np.split(pairs, np.unique(np.minimum(cuts, len(pairs)))):
                named = np.unique(np.concatenate(phases.split(some)))
                if len(named):
                    yield measured_rows(
                        phases.measured(*sets.some(named), named, some, settings, settings.floor)
                    )

    return task


def measured_rows(found: MeasuredPairs) -> pa.RecordBatch:
    """Give measured pairs as rows."""
    return pa.RecordBatch.from_pydict(
        {name: pa.array(getattr(found, name)) for name in MeasuredPairs.__dataclass_fields__}
    )


def _measured(table: pa.Table, settings: CorpusSettings) -> pa.RecordBatch:
    is_pair = table["right"].is_valid()
    sets, pairs = table.filter(pc.invert(is_pair)), table.filter(is_pair)
    every = numbers(sets["left"])
    named, at = np.unique(every, return_index=True)
    values, bounds = unpacked(sets["values"].take(pa.array(at)), np.uint64)
    keys = numbers(pairs["left"]).astype(np.uint64) << np.uint64(32)
    keys |= numbers(pairs["right"]).astype(np.uint64)
    return measured_rows(phases.measured(values, bounds, named, np.unique(keys), settings, settings.floor))


def cells_task(most: int) -> Task:
    """Put all pairs into cells at once, where they fit one task; documents of a cell have no right one."""

    def task(batches: Batches) -> Batches:
        held = [batch for batch in batches if len(batch)]
        if not held:
            return
        table = pa.Table.from_batches(held)
        keys = numbers(table["left"]).astype(np.uint64) << np.uint64(32)
        left, right = phases.split(np.unique(keys | numbers(table["right"]).astype(np.uint64)))
        named, ranks = np.unique(np.concatenate([left, right]), return_inverse=True)
        one, other = ranks[: len(left)], ranks[len(left) :]
        label = np.arange(len(named))
        np.minimum.at(label, other, one)
        cell = label[one]
        several = -(-np.bincount(cell, minlength=len(named)) // most)
        cell = cell + len(named) * (other % np.maximum(several[cell], 1))
        yield from _cells(cell, left, right)
        order = np.lexsort((np.tile(cell, 2), ranks))
        cells, members = np.tile(cell, 2)[order], ranks[order]
        new = np.ones(len(order), np.bool_)
        new[1:] = (np.diff(cells) != 0) | (np.diff(members) != 0)
        yield from _cells(cells[new], named[members[new]], None)

    return task


def _cells(cell: Int64s, left: Int64s, right: Int64s | None) -> Batches:
    for start in range(0, len(cell), 1 << 18):
        some = slice(start, start + (1 << 18))
        other = pa.nulls(len(cell[some]), pa.int64()) if right is None else pa.array(right[some])
        yield pa.RecordBatch.from_pydict(
            {"cell": pa.array(cell[some]), "left": pa.array(left[some]), "right": other}
        )
