"""Records in tables: Parquet, and Arrow files and streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

import numpy as np
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
# Bytes of the texts of a batch: its rows may all refer to one long text, which the file has once. Writers
# put no more than 1 MiB of texts into such a page.
DENSE = 1 << 28
DICTIONARY_PAGE = 2  # the type of a page, in the grammar of Parquet


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
    with opened or open(place, "rb") as raw, file:
        if not roots_of(fields.text, file.schema_arrow.names) and not fields.features:
            known = ", ".join(file.schema_arrow.names)
            raise InputError(
                f"{place} has no column {fields.text!r}", hint=f"choose one by --text-field: {known}"
            )
        yield from _row_groups(place, file, raw, fields, limit)


def _row_groups(
    place: str, file: pq.ParquetFile, raw: IO[bytes], fields: Fields, limit: int
) -> Iterator[pa.RecordBatch | Skipped]:
    """Give the rows of every row group as far as it can be read; the numbers of rows stay what they are."""
    before, groups = 0, file.num_row_groups
    for group in range(groups):
        described = file.metadata.row_group(group)
        done, rows = 0, described.num_rows
        try:
            for batch in file.iter_batches(batch_size=_rows_at_once(described, raw), row_groups=[group]):
                yield from table_records(batch, place, fields, limit, before + done)
                done += len(batch)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            where = f"row group {group + 1} of {groups} is damaged"
            yield Skipped(place, f"{where}, {rows - done:,} rows are lost: {first_line(error)}")
        before += rows


def _rows_at_once(group: pq.RowGroupMetaData, raw: IO[bytes]) -> int:
    """Give how many rows of a group are read together: fewer if they may refer to long texts."""
    columns = map(group.column, range(group.num_columns))
    return max(1, min(ROWS, DENSE // max(1, sum(_dictionary_bytes(each, raw) for each in columns))))


def _dictionary_bytes(column: pq.ColumnChunkMetaData, raw: IO[bytes]) -> int:
    """Give the size of the texts that the rows of a column refer to, from the head of their page.

    Its first two fields are the type of the page and how many bytes it unpacks to. Arrow goes by it too;
    what the end of the file says of the page may be a lie.
    """
    try:
        raw.seek(column.dictionary_page_offset or column.data_page_offset)
        head = raw.read(16)
        kind, end = _number(head, 0)
        return _number(head, end)[0] if kind == DICTIONARY_PAGE else 0
    except (OSError, ValueError):
        return DENSE


def _number(head: bytes, at: int) -> tuple[int, int]:
    """Read a whole number, the next field of a struct of compact Thrift, and say where it ends."""
    value = 0
    for place, byte in enumerate(head[at + 1 :]):
        value |= (byte & 0x7F) << 7 * place
        if byte < 0x80 and head[at] == 0x15:
            return value >> 1, at + place + 2
    raise ValueError("no number")


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

    for number, (record, replaced) in enumerate(row for part in _parts(batch) for row in _rows(part)):
        here = f"{place}:{first + number + 1}"
        note = add_record(built, record, fields, here, spelled)
        if note is not None or replaced:
            yield note or Skipped(here, REPLACED)
        if note is None:
            taken.append(number)
        if built.full:
            yield from give()
    yield from give()


def _parts(batch: pa.RecordBatch | pa.Table) -> Iterator[pa.RecordBatch | pa.Table]:
    """Cut a table of which many rows refer to one long text, so that the texts of each part are bounded."""
    if len(batch) > 1 and sum(map(_text_bytes, batch.columns)) > DENSE:
        half = len(batch) // 2
        yield from _parts(batch.slice(0, half))
        yield from _parts(batch.slice(half))
    else:
        yield batch


def _text_bytes(column: pa.Array | pa.ChunkedArray) -> int:
    """Give the bytes of the texts of a column, if its rows can share them."""
    if isinstance(column, pa.ChunkedArray):
        return sum(map(_text_bytes, column.chunks))
    if pa.types.is_dictionary(column.type) and _is_text(column.type.value_type):
        import pyarrow.compute as pc

        lengths = pc.take(pc.binary_length(column.dictionary), column.indices)
        return int(pc.sum(lengths).as_py() or 0)
    if column.type in (pa.string_view(), pa.binary_view()):
        heads = np.frombuffer(column.buffers()[1], np.int32)[::4]  # of 16 bytes each; the first is the length
        return int(heads[column.offset : column.offset + len(column)].sum(dtype=np.int64))
    return 0


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
