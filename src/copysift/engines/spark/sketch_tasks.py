"""Phase 1 inside a task: records to rows of facts and shingles.

A row is named by the part that it was made in and its place there, `part << 32 | place`; documents are
numbered later, in order of input. A record that was left out is a row with a reason; the last row of a part
sums the part up, with the reason "" and its counts, as JSON, for an id. So the counts are written with the
rows, whole or not at all, however often a task is repeated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext

from copysift.clusters.classes import class_keys
from copysift.engines import phases
from copysift.engines.reading import feature_function, fields_of
from copysift.engines.spark.columns import Batches, packed, signed
from copysift.fingerprints import shingles as sketching
from copysift.join.boilerplate import bounds_of
from copysift.model.values import Skipped
from copysift.runs.sketches import Places, SketchedPart
from copysift.settings.corpus import CorpusSettings
from copysift.sources.fields import ID_FIELDS, Fields
from copysift.sources.records import SCHEMA, Builder, add_record

FACTS = (
    "row long, id string, date string, other string, kind string, bytes long, words long, places long, "
    "shingles long, sampled long, content long, lexical long, class_key long, class_size long"
)
SKETCHES = f"{FACTS}, values binary, in_order binary, probes binary, reason string"
DOCUMENT, LEFT_OUT, SUMMARY = "reason is null", "reason != ''", "reason = ''"  # kinds of rows
ROWS = 1 << 20  # shingles in a batch of rows
Records = Iterator[tuple[pa.RecordBatch | Skipped, "pa.RecordBatch | None"]]


Keep = Callable[[SketchedPart], None]  # is given every batch as it is sketched


def rows_of(
    records: Records,
    settings: CorpusSettings,
    part: int,
    keep: Keep | None = None,
    files: phases.OptionFiles | None = None,
) -> Iterator[pa.RecordBatch]:
    """Sketch records; each batch comes with the columns that order its documents, where there are any."""
    function = feature_function(settings.features)
    summary = Summary(part, settings.modulus)
    order: pa.RecordBatch | None = None
    for batch, order in records:
        if isinstance(batch, Skipped):
            yield _skipped(batch.name, batch.reason, part << 32 | summary.skipped, order)
            summary.skipped += 1
            continue
        sketched = phases.sketch(batch, settings, function, files)
        for each in sketched.unread:
            yield _skipped(each.name, each.reason, part << 32 | summary.skipped, order)
            summary.skipped += 1
        if keep is not None:
            keep(sketched)
        yield from table_rows(sketched, part, summary.documents, order, settings.modulus, keep is None)
        summary.add(sketched)
    if summary.documents + summary.skipped:
        yield summary.row(order)


class Summary:
    """Counts what a part has."""

    def __init__(self, part: int, modulus: int) -> None:
        self.part = part
        self.modulus = modulus
        self.documents = self.skipped = 0
        self.bytes = self.shingles = self.fingerprints = self.fine = 0

    def add(self, sketched: SketchedPart) -> None:
        """Count some documents."""
        table = sketched.table
        shingles = table["shingles"].to_numpy()
        sampled = np.diff(_samples(sketched, shingles, self.modulus)[1])
        self.documents += len(table)
        self.bytes += int(table["bytes"].to_numpy().sum())
        self.shingles += int(shingles.sum())
        self.fingerprints += int(sampled.sum())
        self.fine += int(sampled[shingles < sketching.ENOUGH * self.modulus].sum())

    def spelled(self) -> str:
        """Give the counts as JSON."""
        return json.dumps({name: value for name, value in vars(self).items() if name != "modulus"})

    def row(self, order: pa.RecordBatch | None) -> pa.RecordBatch:
        """Give the row that sums the part up."""
        return _skipped(self.spelled(), "", self.part << 32, order)


def table_rows(
    sketched: SketchedPart, part: int, place: int, order: pa.RecordBatch | None, modulus: int, sets: bool
) -> Iterator[pa.RecordBatch]:
    """Give sketched documents as rows, with their sets or, where these are kept elsewhere, without.

    They come a few megabytes at a time. The first of them also has the shingles by which documents
    with coarser samples are looked up.
    """
    table = sketched.table
    if not len(table):
        return
    digests = {name: table[name].to_numpy() for name in ("content", "lexical", "sets")}
    sizes = {name: table[name].to_numpy() for name in ("bytes", "words", "places", "shingles")}
    samples, ends = _samples(sketched, sizes["shingles"], modulus)
    key, size = class_keys(
        digests["content"],
        digests["lexical"],
        digests["sets"],
        sizes["bytes"],
        sizes["words"],
        sizes["shingles"],
    )
    count = len(table)
    bounds = np.concatenate([[0], np.cumsum(sizes["shingles"], dtype=np.int64)])
    columns: dict[str, Any] = {
        "row": pa.array((part << 32) + np.arange(place, place + count, dtype=np.int64)),
        **{name: table[name].combine_chunks() for name in ("id", "date", "other", "kind")},
        **{name: pa.array(array) for name, array in sizes.items()},
        "sampled": pa.array(np.diff(ends)),
        "content": signed(digests["content"]),
        "lexical": signed(digests["lexical"]),
        "class_key": signed(key),
        "class_size": pa.array(size),
        "probes": probes_column(Places.of(samples, ends), sizes["shingles"], modulus),
        "reason": pa.nulls(count, pa.string()),
    }
    if order is not None:
        columns |= {name: order[name] for name in order.schema.names}
    whole = pa.RecordBatch.from_pydict(columns)
    if not sets:
        nothing = pa.nulls(count, pa.binary())
        yield _with_sets(whole, nothing, nothing)
        return
    places = bounds_of(sizes["places"])
    inside = np.searchsorted(bounds, np.arange(0, bounds[-1], ROWS))
    cuts = np.unique(np.concatenate([[0], inside, [count]]).astype(np.int64))
    for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        values = packed(sketched.values, bounds[first : last + 1])
        order = packed(sketched.order, places[first : last + 1])
        yield _with_sets(whole.slice(first, last - first), values, order)


def _with_sets(rows: pa.RecordBatch, values: pa.Array, order: pa.Array) -> pa.RecordBatch:
    at = rows.schema.get_field_index("probes")
    return rows.add_column(at, "in_order", order).add_column(at, "values", values)


def _samples(sketched: SketchedPart, shingles: Any, modulus: int) -> tuple[Any, Any]:
    return sketching.samples(sketched.values, bounds_of(shingles), sketching.moduli(shingles, modulus))


def probes_column(places: Places, shingles: Any, modulus: int) -> pa.Array:
    """Give the shingles by which documents with coarser samples are looked up, in the first row."""
    by = sketching.moduli(shingles, modulus)
    found = phases.probes(places, by, np.ones(len(by), np.bool_), modulus)
    return pa.array([found.tobytes() if len(found) else None] + [None] * (len(by) - 1), pa.binary())


def _skipped(name: str, reason: str, row: int, order: pa.RecordBatch | None) -> pa.RecordBatch:
    nothing = pa.nulls(1, pa.int64())
    columns: dict[str, Any] = {"row": pa.array([row]), "id": pa.array([name])}
    columns |= dict.fromkeys(("date", "other", "kind"), pa.nulls(1, pa.string()))
    columns |= dict.fromkeys(("bytes", "words", "places", "shingles", "sampled"), nothing)
    columns |= dict.fromkeys(("content", "lexical", "class_key", "class_size"), nothing)
    columns |= {
        "values": pa.nulls(1, pa.binary()),
        "in_order": pa.nulls(1, pa.binary()),
        "probes": pa.nulls(1, pa.binary()),
        "reason": pa.array([reason]),
    }
    if order is not None:
        columns |= {name: pa.nulls(1, order.schema.field(name).type) for name in order.schema.names}
    return pa.RecordBatch.from_pydict(columns)


def frame_task(
    settings: CorpusSettings, order: tuple[str, ...], files: phases.OptionFiles | None = None
) -> Callable[[Batches], Batches]:
    """Make the task that sketches the rows of a DataFrame; `order` names the columns that order them."""

    def task(batches: Batches) -> Batches:
        part = TaskContext.get().partitionId()  # type: ignore[union-attr]
        found = _frame_records(batches, fields_of(settings), order, part)
        return rows_of(found, settings, part, files=files)

    return task


def _frame_records(batches: Batches, fields: Fields, order: tuple[str, ...], part: int) -> Records:
    done = 0
    for given in batches:
        columns = pa.RecordBatch.from_arrays(
            [given[name] for name in order], names=[f"order_{place}" for place in range(len(order))]
        )
        plain = _plain(given, fields)
        if plain is not None:
            yield plain, columns
        elif len(given):
            yield from _slow(given, fields, columns, part, done)
        done += len(given)


def _plain(given: pa.RecordBatch, fields: Fields) -> pa.RecordBatch | None:
    """Give rows that are nothing but an id and a text as they are; None when they are more, or broken."""
    name = fields.id or next((each for each in ID_FIELDS if each in given.schema.names), "")
    if set(given.schema.names) != {name, fields.text} or fields.date or fields.features or not len(given):
        return None
    ids, texts = given[name], given[fields.text]
    if not (pa.types.is_string(ids.type) and pa.types.is_string(texts.type)):
        return None
    if ids.null_count or texts.null_count or not pc.all(pc.greater(pc.utf8_length(ids), 0)).as_py():
        return None
    nothing = pa.nulls(len(ids), pa.string())
    features = pa.nulls(len(ids), pa.list_(pa.string()))
    text = texts.cast(pa.binary()).cast(pa.large_binary())
    return pa.RecordBatch.from_arrays([ids, text, nothing, nothing, features], schema=SCHEMA)


def _slow(given: pa.RecordBatch, fields: Fields, order: pa.RecordBatch, part: int, done: int) -> Records:
    def spelled(rest: dict[str, Any]) -> str:
        return orjson.dumps(rest, option=orjson.OPT_SORT_KEYS, default=str).decode()

    built, kept = Builder(), []
    for place, record in enumerate(given.to_pylist()):
        named = {key: value for key, value in record.items() if value is not None or key == fields.text}
        if not any(named.get(key) not in (None, "") for key in ((fields.id,) if fields.id else ID_FIELDS)):
            note: Skipped | None = Skipped(f"part {part}, row {done + place}", "has no id")
        else:
            note = add_record(built, record, fields, "", spelled)
        if note is not None:
            named_by = str(next((named[key] for key in (fields.id, *ID_FIELDS) if named.get(key)), note.name))
            yield Skipped(named_by, note.reason), order.slice(place, 1)
            continue
        kept.append(place)
        if built.full:
            yield from ((batch, order.take(pa.array(kept))) for batch in built.give())
            kept = []
    yield from ((batch, order.take(pa.array(kept, pa.int64()))) for batch in built.give())
