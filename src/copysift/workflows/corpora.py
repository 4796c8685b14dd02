"""`copysift.cluster` and `copysift.dedup`: documents in memory, the same phases, values back."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pyarrow as pa

from copysift.errors import UsageError
from copysift.match.counts import Counts
from copysift.model.values import Cluster, Result, Skipped
from copysift.runs.cluster_run import cluster as run_cluster
from copysift.runs.cluster_run import members
from copysift.runs.scan_run import open_run
from copysift.runs.tables import open_corpus
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from copysift.settings.keywords import ClusterKeywords, DedupKeywords
from copysift.sources.delimited import table_records
from copysift.sources.fields import Fields
from copysift.sources.records import Builder, add_record
from copysift.sources.source import BATCH_BYTES
from copysift.workflows.dedup import decide
from copysift.workflows.run import ordered_pairs


def cluster(documents: Any, *, run: str | Path | None = None, **settings: Unpack[ClusterKeywords]) -> Result:
    """Cluster documents: strings, mappings with fields, an Arrow table or reader, a pandas or Polars frame.

    Documents are named by their id, or by their number from 0. With `run` the run is kept in that folder.
    """
    made = make(CorpusSettings, settings, "cluster")
    documents = _several(documents)
    with tempfile.TemporaryDirectory(prefix="copysift-") as spare:
        path = Path(run) if run is not None else Path(spare) / "run"
        run_cluster([], path, made, batches=lambda: _batches(documents, made))
        counts = open_run(path)
        found = tuple(Cluster(tuple(each)) for each in members(path).values())
        described = open_corpus(path).described
    return Result(
        described["settings"],
        counts.documents,
        ordered_pairs(counts)[:],
        found,
        counts.ignored,
        counts.skipped,
        _equal(counts),
        ignored_count=counts.ignored_count,
        notes=tuple(described["notes"]),
    )


def dedup(documents: Any, *, keep: str = "first", **settings: Unpack[DedupKeywords]) -> Any:
    """Give the documents without near-copies, as what they came: a list, a table or a frame.

    A reader of Arrow batches comes back as a table. Records that cannot be compared (no text) stay.
    """
    made = make(CorpusSettings, settings, "dedup")
    documents = _several(documents)
    held = documents if _is_table(documents) else list(documents)
    bad: set[int] = set()
    with tempfile.TemporaryDirectory(prefix="copysift-") as spare:
        path = Path(spare) / "run"
        run_cluster([], path, made, batches=lambda: _batches(held, made, bad))
        stays = decide(path, made, keep).stays
    total = len(held)
    numbers = np.array([number for number in range(total) if number not in bad], np.int64)
    gone = set(numbers[~stays].tolist())
    left = [number for number in range(total) if number not in gone]
    if isinstance(held, list):
        return [held[number] for number in left]
    if isinstance(held, pa.Table | pa.RecordBatch):
        return held.take(left)
    return held.iloc[left] if hasattr(held, "iloc") else held[left]


def _several(documents: Any) -> Any:
    """Refuse what is not several documents; batches that can be read but once become a table."""
    if isinstance(documents, str | bytes | Mapping):
        raise UsageError("one document has no copies", hint="give several: a list, a table or a frame")
    if isinstance(documents, os.PathLike):
        raise UsageError(
            f"{os.fspath(documents)} is a path, not documents",
            hint="read it first, or cluster files with copysift cluster and open the run with copysift.Run",
        )
    if isinstance(documents, pa.RecordBatchReader):
        return documents.read_all()
    if not _is_table(documents) and not isinstance(documents, Iterable):
        raise UsageError(
            f"documents cannot be of type {type(documents).__name__}",
            hint="give a list of texts or mappings, a table or a frame",
        )
    return documents


def _is_table(documents: Any) -> bool:
    return (
        hasattr(documents, "column_names")
        or hasattr(documents, "columns")
        or isinstance(documents, pa.RecordBatch)
    )


def _batches(
    documents: Any, settings: CorpusSettings, bad: set[int] | None = None
) -> Iterator[pa.RecordBatch | Skipped]:
    named = settings.features if ":" not in settings.features else ""
    fields = Fields(settings.id_field, settings.text_field, settings.date_field, named)
    noted = _rows(documents, fields)
    for item in noted:
        if isinstance(item, Skipped) and bad is not None:
            bad.add(int(item.name.rpartition(":")[2]))
        yield item


def _rows(documents: Any, fields: Fields) -> Iterator[pa.RecordBatch | Skipped]:
    if _is_table(documents):
        if isinstance(documents, pa.Table | pa.RecordBatch):
            table = documents
        elif hasattr(documents, "to_arrow"):
            table = documents.to_arrow()
        else:
            table = pa.Table.from_pandas(documents, preserve_index=False)
        if fields.text not in table.schema.names and not fields.features:
            raise UsageError(
                f"there is no column {fields.text!r}",
                hint=f"name one by text_field: {', '.join(table.schema.names)}",
            )
        yield from table_records(table, "", fields, BATCH_BYTES, -1)
        return
    yield from _items(documents, fields)


def _items(documents: Iterable[Any], fields: Fields) -> Iterator[pa.RecordBatch | Skipped]:
    import json

    built = Builder()
    for number, item in enumerate(documents):
        if isinstance(item, str):
            built.add(str(number), item.encode("utf-8", "replace"))
        elif isinstance(item, bytes):
            built.add(str(number), item)
        else:
            record = dict(item) if isinstance(item, Mapping) else item
            note = add_record(built, record, fields, f":{number}", lambda rest: json.dumps(rest, default=str))
            if note is not None:
                yield note
        if built.full:
            yield from built.give()
    yield from built.give()


def _equal(counts: Counts) -> tuple[tuple[str, ...], ...]:
    names = [group.name for group in counts.documents]
    return tuple(tuple(names[number] for number in members) for members in counts.equal)
