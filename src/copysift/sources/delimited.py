"""Records in tables: Parquet, and Arrow files and streams."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import IO, Any

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from copysift.errors import InputError
from copysift.model.values import CUT, REPLACED, Skipped
from copysift.sources.field_paths import roots_of
from copysift.sources.fields import Fields
from copysift.sources.record_sources import ARROW_FILE
from copysift.sources.records import ROW, SCHEMA, Builder, add_record

ROWS = 1024


def _spelled(rest: dict[str, Any]) -> str:
    import orjson

    return orjson.dumps(rest, option=orjson.OPT_SORT_KEYS, default=str).decode()


def _in_order(rest: dict[str, Any]) -> str:
    import orjson

    return orjson.dumps(rest, default=str).decode()


def parquet_records(
    place: str, fields: Fields, limit: int, opened: IO[bytes] | None = None
) -> Iterator[pa.RecordBatch | Skipped]:
    """Give the rows of a Parquet file; `opened` is the file where it is open."""
    try:
        file = pq.ParquetFile(opened or place)
    except (pa.ArrowException, OSError) as error:
        yield Skipped(place, f"is not a whole Parquet file: {first_line(error)}")
        return
    with opened or contextlib.nullcontext(), file:
        if not roots_of(fields.text, file.schema_arrow.names) and not fields.features:
            known = ", ".join(file.schema_arrow.names)
            raise InputError(
                f"{place} has no column {fields.text!r}", hint=f"choose one by --text-field: {known}"
            )
        yield from _row_groups(place, file, fields, limit)


def _row_groups(
    place: str, file: pq.ParquetFile, fields: Fields, limit: int
) -> Iterator[pa.RecordBatch | Skipped]:
    """Give the rows of every row group as far as it can be read; the numbers of rows stay what they are."""
    before, groups = 0, file.num_row_groups
    for group in range(groups):
        done, rows = 0, file.metadata.row_group(group).num_rows
        try:
            for batch in file.iter_batches(batch_size=ROWS, row_groups=[group]):
                yield from table_records(batch, place, fields, limit, before + done)
                done += len(batch)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            where = f"row group {group + 1} of {groups} is damaged"
            yield Skipped(place, f"{where}, {rows - done:,} rows are lost: {first_line(error)}")
        before += rows


def table_records(
    batch: pa.RecordBatch | pa.Table, place: str, fields: Fields, limit: int, first: int = 0
) -> Iterator[pa.RecordBatch | Skipped]:
    """Give the rows of a table in memory; rows are numbered from 1 after the `first` that came before."""
    built = Builder(limit=limit)
    spelled = _in_order if fields.whole else _spelled
    taken: list[int] = []

    def give() -> Iterator[pa.RecordBatch]:
        for made in built.give():
            yield _with_rows(made, batch, taken) if fields.whole else made
        taken.clear()

    for number, (record, replaced) in enumerate(_rows(batch)):
        here = f"{place}:{first + number + 1}"
        note = add_record(built, record, fields, here, spelled)
        if note is not None or replaced:
            yield note or Skipped(here, REPLACED)
        if note is None:
            taken.append(number)
        if built.full:
            yield from give()
    yield from give()


def _with_rows(made: pa.RecordBatch, batch: pa.RecordBatch | pa.Table, taken: list[int]) -> pa.RecordBatch:
    """Add the rows as they came, with the types of their columns, in a column `row`."""
    some = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
    some = some.take(pa.array(taken, pa.int64())).combine_chunks()
    columns = [each.chunk(0) if each.num_chunks else pa.nulls(0, each.type) for each in some.columns]
    rows = pa.StructArray.from_arrays(columns, fields=list(some.schema))
    schema = made.schema.append(pa.field(ROW, rows.type, metadata=some.schema.metadata))
    return pa.RecordBatch.from_arrays([*made.columns, rows], schema=schema)


def _rows(batch: pa.RecordBatch | pa.Table) -> Iterator[tuple[dict[str, Any], bool]]:
    """Give the rows of a table, and of each whether a text in it was no UTF-8 and was repaired."""
    try:
        yield from ((row, False) for row in batch.to_pylist())
        return
    except UnicodeDecodeError:
        pass
    texts = [field.name for field in batch.schema if _is_text(field.type)]
    for name in texts:
        place = batch.schema.get_field_index(name)
        batch = batch.set_column(place, name, batch.column(place).cast(pa.large_binary()))
    for row in batch.to_pylist():
        found = {name: row[name].decode("utf-8", "replace") for name in texts if row[name] is not None}
        yield {**row, **found}, any(found[name].encode() != row[name] for name in found)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def arrow_records(
    place: str, fields: Fields, limit: int, opened: IO[bytes]
) -> Iterator[pa.RecordBatch | Skipped]:
    """Give the rows of an Arrow IPC file or stream; batches that copysift wrote are given as they are."""
    try:
        found = _arrow_batches(opened)
        schema = next(found)
        names = schema.names
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{place} is not an Arrow file or stream: {first_line(error)}") from None
    own = schema.equals(SCHEMA)
    if not own and not roots_of(fields.text, names) and not fields.features:
        raise InputError(
            f"{place} has no column {fields.text!r}",
            hint=f"choose one by --text-field: {', '.join(names)}",
        )
    done = 0
    try:
        for batch in found:
            if own:
                yield batch
                continue
            yield from table_records(batch, place, fields, limit, done)
            done += len(batch)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        yield Skipped(place, f"ends early or is damaged: {first_line(error)}", CUT)


def _arrow_batches(opened: IO[bytes]) -> Iterator[Any]:
    """Give the schema, then the batches; the first bytes say whether it is a file or a stream."""
    mark = opened.read(len(ARROW_FILE))
    opened.seek(0)
    if mark == ARROW_FILE:
        with pa.ipc.open_file(opened) as file:
            yield file.schema
            yield from map(file.get_batch, range(file.num_record_batches))
    else:
        with pa.ipc.open_stream(opened) as stream:
            yield stream.schema
            yield from stream


def first_line(error: Exception) -> str:
    """Shorten the message of a library."""
    lines = str(error).splitlines()
    return lines[0][:200] if lines else type(error).__name__
