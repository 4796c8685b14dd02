"""Write records to a file of any format: JSON lines, JSON, CSV, Parquet, Arrow, plain lines."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, Any, Protocol, cast

import orjson
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

from copysift.errors import UsageError
from copysift.sources.field_paths import roots_of, values_at, with_text
from copysift.sources.replacement import parsed

Record = dict[str, Any]
ROWS = 4096
LEVELS = 30  # types in one another of a column: readers of Parquet refuse files that have many
STANDARD_OUTPUT = Path("-")


class Writer(Protocol):
    """Takes records one by one."""

    def write(self, record: Record | str) -> None: ...

    def close(self) -> None: ...


class JsonLines:
    """One JSON object a line."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, record: Record | str) -> None:
        """Write a record, or the line that it was."""
        self._file.write((record.encode() if isinstance(record, str) else encoded(record)) + b"\n")

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


class JsonArray:
    """One JSON array of objects, one per line."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._before = file, b"[\n"

    def write(self, record: Record | str) -> None:
        """Write a record, or the line that it was."""
        self._file.write(self._before + (record.encode() if isinstance(record, str) else encoded(record)))
        self._before = b",\n"

    def close(self) -> None:
        """Finish the file."""
        self._file.write(b"[]\n" if self._before == b"[\n" else b"\n]\n")
        self._file.close()


class Lines:
    """The text of each record on a line."""

    def __init__(self, file: IO[bytes], text: str) -> None:
        self._file, self._text = file, text

    def write(self, record: Record | str) -> None:
        """Write the text of a record."""
        found = parsed(record) if isinstance(record, str) else record
        line = str(found[self._text])
        if "\n" in line:
            raise UsageError("a text of several lines does not fit into a file of lines", hint="use .jsonl")
        self._file.write(line.encode() + b"\n")

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


class Csv:
    """Columns of the first few thousand records, lists and objects as JSON; later ones go to `other`.

    There is no column `other` where all records are known to have the same fields (`fixed`).
    """

    def __init__(self, file: IO[bytes], delimiter: str = ",", *, fixed: bool = False) -> None:
        self._file = io.TextIOWrapper(file, "utf-8", newline="")
        self._delimiter, self._fixed = delimiter, fixed
        self._rows: list[Record] = []
        self._writer: csv.DictWriter[str] | None = None

    def write(self, record: Record | str) -> None:
        """Write a record, or what a line has."""
        self._rows.append(parsed(record) if isinstance(record, str) else record)
        if len(self._rows) == ROWS:
            self._flush()

    def close(self) -> None:
        """Finish the file."""
        self._flush(last=True)
        self._file.close()

    def _flush(self, last: bool = False) -> None:
        if self._writer is None:
            names = list(dict.fromkeys(name for row in self._rows for name in row))
            if not self._fixed and not last and "other" not in names:
                names.append("other")
            self._writer = csv.DictWriter(self._file, names, delimiter=self._delimiter, lineterminator="\n")
            if names:
                self._writer.writeheader()
        for row in self._rows:
            known = {name: _cell(value) for name, value in row.items() if name in self._writer.fieldnames}
            rest = {name: value for name, value in row.items() if name not in known}
            self._writer.writerow(known | ({"other": encoded(rest).decode()} if rest else {}))
        self._rows = []


def _cell(value: Any) -> Any:
    return orjson.dumps(value, default=str).decode() if isinstance(value, dict | list | bool) else value


def packed_file(path: Path, packing: str | None) -> IO[bytes]:
    """Open a file to write, compressed if `packing` is given: gzip, zstd, bz2 or lzma."""
    if path == STANDARD_OUTPUT:
        return cast("IO[bytes]", _Kept(sys.stdout.buffer))
    if packing is None:
        return path.open("wb")
    if packing == "lzma":
        import lzma  # not every Python has it

        return cast("IO[bytes]", lzma.open(path, "wb"))
    stream = pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), packing)
    return io.BufferedWriter(stream, 1 << 20)


class _Kept(io.BufferedIOBase):
    """Standard output, which is not closed."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, data: Any) -> int:
        """Pass bytes on."""
        return self._file.write(data)

    def writable(self) -> bool:
        return True

    def flush(self) -> None:
        self._file.flush()


class TableFile(Protocol):
    """What writes tables: Parquet or an Arrow stream."""

    def write_table(self, table: pa.Table) -> None: ...

    def close(self) -> None: ...


Packing = str | dict[str, str]  # the codec of a Parquet file, or of each of its columns
USUAL: Packing = "snappy"


def table_file(path: Path, schema: pa.Schema, form: str, packing: Packing = USUAL) -> TableFile:
    """Open a Parquet file, or an Arrow stream as Hugging Face saves it."""
    if form != "parquet":
        return _ArrowStream(path, schema)
    made: TableFile = pq.ParquetWriter(path, schema, compression=packing)
    return made


class _ArrowStream:
    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._sink = pa.OSFile(str(path), "wb")
        self._stream = pa.ipc.new_stream(self._sink, schema)

    def write_table(self, table: pa.Table) -> None:
        self._stream.write_table(table)

    def close(self) -> None:
        self._stream.close()
        self._sink.close()


class SameTable:
    """Rows as they came, with the schema of the files that they came from."""

    def __init__(
        self, path: Path, schema: pa.Schema, text: str, form: str = "parquet", packing: Packing = USUAL
    ) -> None:
        self._schema, self._text = schema, text
        self._writer = table_file(path, schema, form, packing)
        self._rows: list[pa.StructArray] = []

    def write_row(self, row: pa.StructArray, changed: Record | None = None) -> None:
        """Write a row, with the text of a record that it became, if any."""
        if changed is not None:
            columns = [row.field(place) for place in range(len(self._schema))]
            roots = roots_of(self._text, self._schema.names)
            at = {root: self._schema.get_field_index(root) for root in roots}
            texts = (each for each in values_at(changed, self._text) if isinstance(each, str))
            held = {root: columns[place][0].as_py() for root, place in at.items()}
            held = with_text(held, self._text, lambda *_: next(texts))
            for root, place in at.items():
                columns[place] = pa.array([held[root]], columns[place].type)
            row = pa.StructArray.from_arrays(columns, fields=list(row.type))
        self._rows.append(row)
        if len(self._rows) == ROWS:
            self._flush()

    def write(self, record: Record | str) -> None:
        """Refuse what is not a row of these files."""
        raise UsageError("the tables changed while they were read", hint="run the command again")

    def close(self) -> None:
        """Finish the file."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            rows = pa.concat_arrays(self._rows)
            columns = [rows.field(place) for place in range(len(self._schema))]
            self._writer.write_table(pa.Table.from_arrays(columns, schema=self._schema))
        self._rows = []


class Columns:
    """Columns of the first few thousand records; what comes later, or of another type, goes to `other`."""

    def __init__(self, path: Path, form: str = "parquet", *, fixed: bool = False) -> None:
        self._path, self._form, self._fixed = path, form, fixed
        self._rows: list[Record] = []
        self._writer: TableFile | None = None
        self._schema: pa.Schema | None = None

    def write(self, record: Record | str) -> None:
        """Write a record, or what a line has."""
        self._rows.append(parsed(record) if isinstance(record, str) else record)
        if len(self._rows) == ROWS:
            self._flush()

    def close(self) -> None:
        """Finish the file."""
        self._flush(last=True)
        assert self._writer is not None
        self._writer.close()

    def _flush(self, last: bool = False) -> None:
        schema = self._schema or columns_of(self._rows)
        rows = [fitted(row, schema) for row in self._rows]
        if self._writer is None:
            if (last or self._fixed) and not any("other" in row for row in rows):
                schema = schema.remove(schema.get_field_index("other"))
            self._schema, self._writer = schema, table_file(self._path, schema, self._form)
        if rows or last:
            self._writer.write_table(pa.Table.from_pylist(rows, schema))
        self._rows = []


def encoded(record: Record) -> bytes:
    """Give a record as JSON, integers of any length too."""
    try:
        return orjson.dumps(record, default=str)
    except TypeError:
        return json.dumps(record, default=str, ensure_ascii=False, separators=(",", ":")).encode()


def _kind(values: list[Any]) -> pa.DataType:
    try:
        found = pa.array(values).type
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return pa.string()
    return pa.string() if pa.types.is_null(found) or not _has_levels(found, LEVELS) else found


def _has_levels(kind: pa.DataType, most: int) -> bool:
    """Say whether a type has no more than some types in one another."""
    return most > 0 and all(_has_levels(kind.field(at).type, most - 1) for at in range(kind.num_fields))


def columns_of(rows: list[Record]) -> pa.Schema:
    """Give the columns of records, and `other` for what later ones have besides."""
    names = dict.fromkeys(name for row in rows for name in row)
    kinds = [(name, _kind([row.get(name) for row in rows])) for name in names if name != "other"]
    return pa.schema([*kinds, ("other", pa.string())])


def fitted(row: Record, schema: pa.Schema) -> Record:
    """Put a record into columns; what does not fit goes to `other`, as JSON."""
    out: Record = {}
    rest: Record = {}
    for name, value in row.items():
        if name not in schema.names or name == "other":
            rest[name] = value
            continue
        try:
            kind = schema.field(name).type
            kept = pa.scalar(value, kind)
            if pa.types.is_nested(kind) and not _holds(kept.as_py(), value):
                raise ValueError(name)
            out[name] = value
        except (pa.ArrowException, ValueError, TypeError, OverflowError):
            rest[name] = value
    if rest:
        out["other"] = encoded(rest).decode()
    return out


def _holds(kept: Any, value: Any) -> bool:
    """Say whether a nested value kept all that it had: Arrow drops fields that a column does not know."""
    if isinstance(value, dict):
        return isinstance(kept, dict) and all(
            name in kept and _holds(kept[name], each) for name, each in value.items()
        )
    if isinstance(value, list):
        return isinstance(kept, list) and all(map(_holds, kept, value))
    return bool(kept == value)


FORMATS = ".jsonl, .json, .csv or .tsv (also .gz, .zst, .bz2, .xz), .parquet or .arrow"
_PACKINGS = {"gz": "gzip", "zst": "zstd", "zstd": "zstd", "bz2": "bz2", "xz": "lzma"}


def maker(path: Path, *, fixed: bool = False, lines: str = "") -> Callable[[Path], Writer]:
    """Choose the format by the suffix of the output.

    `fixed`: all records have the same fields. `lines` names the text of records that were lines of a file,
    which may be written as such.
    """
    if path == STANDARD_OUTPUT:
        return lambda part: JsonLines(packed_file(part, None))
    _, suffix = name_parts(path)
    form, _, packed = suffix[1:].partition(".")
    if suffix in (".parquet", ".pq", ".arrow"):
        return partial(Columns, form="arrow" if suffix == ".arrow" else "parquet", fixed=fixed)
    kinds: dict[str, Callable[[IO[bytes]], Writer]] = {
        "jsonl": JsonLines, "ndjson": JsonLines, "json": JsonArray, "csv": partial(Csv, fixed=fixed),
        "tsv": partial(Csv, delimiter="\t", fixed=fixed),
    }  # fmt: skip
    if lines:
        kinds["txt"] = partial(Lines, text=lines)
    if form not in kinds:
        raise UsageError(f"no format for {path.name}", hint=f"name it {FORMATS}")
    kind, packing = kinds[form], _PACKINGS.get(packed)
    return lambda part: kind(packed_file(part, packing))


def name_parts(path: Path) -> tuple[str, str]:
    """Give the name of an output without its suffix, and the suffix with that of its compression."""
    packed = path.suffix if path.suffix[1:] in _PACKINGS else ""
    inner = Path(path.name.removesuffix(packed))
    return inner.stem, inner.suffix + packed
