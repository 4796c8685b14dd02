"""Submissions of a corpus (--by dir): the documents of one come in one batch, and become one set.

A batch with a column `unit` has all documents of one submission, so it counts as one document.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from copysift import kernels
from copysift.model.document import Document
from copysift.model.values import Skipped
from copysift.runs.columns import column
from copysift.runs.sketches import SketchedPart
from copysift.runtime.arrays import distinct
from copysift.sources.inputs import ReadAs
from copysift.sources.record_files import text_of
from copysift.sources.records import UNIT, Builder
from copysift.sources.source import Reading
from copysift.sources.spool import Spool
from copysift.sources.submission_files import leave_out
from copysift.sources.submission_intake import Intake

if TYPE_CHECKING:
    from numpy.typing import NDArray

MIXED = "mixed"
NOTHING = "has no text that could be compared"
FILES = "files"  # the field of a submission that names its files


def count_of(batch: pa.RecordBatch) -> int:
    """Count the documents of a batch, of which a submission is one."""
    return 1 if is_unit(batch) else len(batch)


def is_unit(batch: pa.RecordBatch) -> bool:
    """Say whether a batch is a submission."""
    return UNIT in batch.schema.names


def submission_records(
    sources: Sequence[str], reading: Reading, read_as: ReadAs | None = None
) -> Iterator[pa.RecordBatch | Skipped]:
    """Give the submissions of sources, a batch each: first-level folders and archives, and loose files.

    Files that no student wrote are left out, as in a scan, unless patterns say which are meant.
    """
    intake = Intake(reading, Spool(), by_dir=True)
    taken = intake.take(sources)
    note = "" if reading.walking.include else leave_out(taken)
    if read_as is not None and note:
        read_as.left_out.append(note)
    yield from taken.skipped
    members: dict[str, list[Document]] = {group: [] for group in taken.groups}
    for document, group in taken.files:
        members[group].append(document)
    for group, documents in members.items():
        yield from _submission(group, documents, reading)


def _submission(
    group: str, documents: Sequence[Document], reading: Reading
) -> Iterator[pa.RecordBatch | Skipped]:
    built = Builder(raw=True)
    for document in documents:
        note = text_of(document, built, reading)
        if note is not None:
            yield note
    if not built.ids:
        yield Skipped(group, NOTHING)
        return
    (batch,) = built.give()
    yield batch.append_column(UNIT, pa.array([group] * len(batch), pa.string()))


def as_one(found: SketchedPart, group: str) -> SketchedPart:
    """Make one document of those of a submission: one set, and the shingles of each behind those before."""
    table = found.table
    facts = {name: table[name].to_numpy() for name in ("bytes", "words", "places", "content", "lexical")}
    values = distinct(found.values)
    bounds = np.array([0, len(values)], np.int64)
    kinds = table["kind"].unique().to_pylist()
    made = pa.table(
        {
            "id": [group],
            "date": pa.array([None], pa.string()),
            "other": [json.dumps({FILES: table["id"].to_pylist()})],
            "kind": kinds if len(kinds) == 1 else [MIXED],
            "bytes": column(facts["bytes"].sum(keepdims=True)),
            "words": column(_words(facts["places"], facts["words"])),
            "places": column(facts["places"].sum(keepdims=True)),
            "shingles": column(np.diff(bounds)),
            "content": column(_digest(facts["content"])),
            "lexical": column(_digest(facts["lexical"])),
            "sets": column(kernels.shingle.set_digests(values, bounds)),
        },
        schema=table.schema,
    )
    return SketchedPart(made, values, found.order, found.unread)


def _words(places: NDArray[np.int64], words: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the words that the places of all documents together cover, or all words where there is none."""
    some = np.flatnonzero(places > 0)
    if not len(some):
        return np.array([words.sum()], np.int64)
    last = some[-1]
    return np.array([places.sum() + words[last] - places[last]], np.int64)


def _digest(digests: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Give one digest of several, in their order."""
    keys = np.ascontiguousarray(digests, dtype=np.uint64)
    return kernels.shingle.set_digests(keys, np.array([0, len(keys)]))
