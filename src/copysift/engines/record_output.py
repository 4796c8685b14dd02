"""Write what stays of a corpus: JSON lines or Parquet, in shards, with the removed ones beside it."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from copysift.errors import UsageError
from copysift.model.values import Skipped
from copysift.runs.texts import readable
from copysift.runtime.encoding import to_utf8
from copysift.settings.corpus import CorpusSettings
from copysift.sources.records import RAW, ROW
from copysift.sources.replacement import parsed
from copysift.workflows.dedup import Decision

if TYPE_CHECKING:
    from copysift.engines.reading import Batches

Record = dict[str, Any]
Change = Callable[[str, Record, bytes], Record | None]  # id, record and text → the record to write, or none
ROWS = 4096


class Writer(Protocol):
    """Takes records one by one."""

    def write(self, record: Record | str) -> None: ...

    def close(self) -> None: ...


class JsonLines:
    """One JSON object a line; compressed if `packing` says how: gzip or zstd."""

    def __init__(self, path: Path, packing: str | None = None) -> None:
        self._file: IO[bytes] = packed_file(path, packing)

    def write(self, record: Record | str) -> None:
        """Write a record, or the line that it was."""
        self._file.write((record.encode() if isinstance(record, str) else encoded(record)) + b"\n")

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


class Csv:
    """Columns of the first few thousand records, lists and objects as JSON; later ones go to `other`."""

    def __init__(self, path: Path, packing: str | None = None) -> None:
        self._file = io.TextIOWrapper(packed_file(path, packing), "utf-8", newline="")
        self._rows: list[Record] = []
        self._writer: csv.DictWriter[str] | None = None

    def write(self, record: Record | str) -> None:
        """Write a record, or what a line has."""
        self._rows.append(parsed(record) if isinstance(record, str) else record)
        if len(self._rows) == ROWS:
            self._flush()

    def close(self) -> None:
        """Finish the file."""
        self._flush()
        self._file.close()

    def _flush(self) -> None:
        if self._writer is None:
            names = list(dict.fromkeys(name for row in self._rows for name in row if name != "other"))
            self._writer = csv.DictWriter(self._file, [*names, "other"])
            self._writer.writeheader()
        for row in self._rows:
            known = {name: _cell(value) for name, value in row.items() if name in self._writer.fieldnames}
            rest = {name: value for name, value in row.items() if name not in known or name == "other"}
            self._writer.writerow(known | ({"other": encoded(rest).decode()} if rest else {}))
        self._rows = []


def _cell(value: Any) -> Any:
    return orjson.dumps(value, default=str).decode() if isinstance(value, dict | list | bool) else value


def packed_file(path: Path, packing: str | None) -> IO[bytes]:
    """Open a file to write, compressed if asked for."""
    if packing is None:
        return path.open("wb")
    stream = pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), packing)
    return io.BufferedWriter(stream, 1 << 20)


class SameParquet:
    """Rows as they came, with the schema of the files that they came from."""

    def __init__(self, path: Path, schema: pa.Schema, text: str) -> None:
        self._schema, self._text = schema, text
        self._writer = pq.ParquetWriter(path, schema)
        self._rows: list[pa.StructArray] = []

    def write_row(self, row: pa.StructArray, text: str | None = None) -> None:
        """Write a row, with another text if one is given."""
        if text is not None:
            at = self._schema.get_field_index(self._text)
            columns = [row.field(place) for place in range(len(self._schema))]
            columns[at] = pa.array([text], columns[at].type)
            row = pa.StructArray.from_arrays(columns, fields=list(row.type))
        self._rows.append(row)
        if len(self._rows) == ROWS:
            self._flush()

    def write(self, record: Record | str) -> None:
        """Refuse what is not a row of these files."""
        raise UsageError("Parquet files changed while they were read", hint="run the command again")

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


def same_schema(sources: Iterable[str], path: Path | None) -> pa.Schema | None:
    """Give the schema of sources that are Parquet files with one schema, where the output is Parquet too."""
    found: pa.Schema | None = None
    for source in sources if path is not None and path.suffix == ".parquet" else ():
        place = Path(source)
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if file.is_dir():
                continue
            try:
                schema = pq.read_schema(file)
            except (pa.ArrowException, OSError):
                return None
            if found is not None and not schema.equals(found):
                return None
            found = schema if found is None else found
    return found


class Parquet:
    """Columns of the first few thousand records; what comes later, or of another type, goes to `other`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: list[Record] = []
        self._writer: pq.ParquetWriter | None = None
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
        if self._writer is None:
            self._schema = columns_of(self._rows)
            self._writer = pq.ParquetWriter(self._path, self._schema)
        if self._rows or last:
            assert self._schema is not None
            rows = [fitted(row, self._schema) for row in self._rows]
            self._writer.write_table(pa.Table.from_pylist(rows, self._schema))
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
    return pa.string() if pa.types.is_null(found) else found


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
    """Tell whether a nested value kept all that it had: Arrow drops fields that a column does not know."""
    if isinstance(value, dict):
        return isinstance(kept, dict) and all(
            name in kept and _holds(kept[name], each) for name, each in value.items()
        )
    if isinstance(value, list):
        return isinstance(kept, list) and all(map(_holds, kept, value))
    return bool(kept == value)


def maker(path: Path) -> Callable[[Path], Writer]:
    """Choose the format by the suffix of the output."""
    _, suffix = name_parts(path)
    form, _, packed = suffix[1:].partition(".")
    packing = {"gz": "gzip", "zst": "zstd", "zstd": "zstd"}.get(packed)
    if form in ("jsonl", "ndjson"):
        return lambda part: JsonLines(part, packing)
    if form == "csv":
        return lambda part: Csv(part, packing)
    if suffix == ".parquet":
        return Parquet
    raise UsageError(
        f"no format for {path.name}", hint="name it .jsonl, .jsonl.gz, .jsonl.zst, .csv or .parquet"
    )


def name_parts(path: Path) -> tuple[str, str]:
    """Give the name of an output without its suffix, and the suffix with that of its compression."""
    packed = path.suffix if path.suffix in (".gz", ".zst", ".zstd") else ""
    inner = Path(path.name.removesuffix(packed))
    return inner.stem, inner.suffix + packed


def named_beside(path: Path, what: str) -> Path:
    """Name a file that belongs to an output: NAME.what.jsonl."""
    stem, suffix = name_parts(path)
    return path.with_name(f"{stem}.{what}{suffix}")


def shard_paths(path: Path, shards: int) -> list[Path]:
    """Name the shards: NAME-00000-of-00004.jsonl."""
    if shards == 1:
        return [path]
    stem, suffix = name_parts(path)
    return [path.with_name(f"{stem}-{n:05d}-of-{shards:05d}{suffix}") for n in range(shards)]


def removed_path(path: Path) -> Path:
    """Name the list of removed documents."""
    return named_beside(path, "removed")


def passages_path(path: Path) -> Path:
    """Name the list of passages that were cut or flagged."""
    return named_beside(path, "passages")


def repeated_path(path: Path) -> Path:
    """Name the list of lines, sentences or paragraphs that many documents have."""
    return named_beside(path, "repeated")


@contextlib.contextmanager
def whole(paths: list[Path]) -> Iterator[list[Path]]:
    """Write beside, and put in place when everything is written."""
    # A name that no other writer of the same file has.
    parts = [path.with_name(f"{os.urandom(8).hex()}-{path.name}.part") for path in paths]
    try:
        yield parts
        for part, path in zip(parts, paths, strict=True):
            if part.exists():
                part.replace(path)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


def write_kept(
    batches: Batches,
    stays: np.ndarray[Any, np.dtype[np.bool_]],
    path: Path,
    shards: int,
    settings: CorpusSettings,
    change: Change | None = None,
    schema: pa.Schema | None = None,
) -> int:
    """Read the records again and write those that stay; give how many of these are not text.

    JSON and Parquet have them as text, with U+FFFD instead of bytes that are none. With the `schema` of
    sources that are Parquet files, rows are written as they came.
    """
    make, paths = maker(path), shard_paths(path, shards)
    if schema is not None:
        make = partial(SameParquet, schema=schema, text=settings.text_field)
    total = int(np.count_nonzero(stays))
    number = written = shard = binary = 0
    with whole(paths) as parts:
        writer = make(parts[0])
        try:
            for batch in batches:
                if isinstance(batch, Skipped):
                    continue
                some = stays[number : number + len(batch)]
                places = np.flatnonzero(some).tolist()
                for place, (name, record, text) in zip(
                    places, records_of(batch, some, settings), strict=True
                ):
                    made: Record | str | None = record
                    if change is not None:
                        made = change(name, parsed(record) if isinstance(record, str) else record, text)
                    while shard + 1 < shards and written >= (shard + 1) * total // shards:
                        writer.close()
                        shard += 1
                        writer = make(parts[shard])
                    if isinstance(writer, SameParquet) and made is not None:
                        new = made[settings.text_field] if isinstance(made, dict) and change else None
                        writer.write_row(batch[ROW][place : place + 1], new)
                    elif made is not None:
                        writer.write(made)
                    written += 1
                if settings.kind == "bytes" and batch.schema.metadata == RAW:
                    kept = np.flatnonzero(stays[number : number + len(batch)])
                    binary += sum(to_utf8(batch["text"][at].as_py())[1] is None for at in kept.tolist())
                number += len(batch)
        finally:  # also when a source cannot be read again
            writer.close()
        for part in parts[shard + 1 :]:
            make(part).close()
    return binary


def records_of(
    batch: pa.RecordBatch, stays: np.ndarray[Any, np.dtype[np.bool_]], settings: CorpusSettings
) -> Iterator[tuple[str, Record | str, bytes]]:
    """Give ids, records and texts; a record that came with fields of its own is the JSON that it was."""
    raw = batch.schema.metadata == RAW
    columns = [batch[name] for name in ("id", "text", "date", "other")]
    for place in np.flatnonzero(stays).tolist():
        name, text, date, whole = (column[place].as_py() for column in columns)
        shown = readable(text, settings.html) if raw else text
        if whole is not None:
            yield name, whole, shown
            continue
        record: Record = {
            settings.id_field or "id": name,
            settings.text_field: shown.decode("utf-8", "replace"),
        }
        if date is not None:
            record[settings.date_field or "date"] = date
        yield name, record, shown


def write_removed(
    path: Path,
    decision: Decision,
    first: int = 0,
    skipped: Iterable[Skipped] = (),
    gone: Iterable[Record] = (),
) -> None:
    """Write who was removed, why, and for whom; and the records that could not be read, for nobody.

    `gone` are rows of documents of which nothing was left.
    """
    found = decision.measured
    removed = (
        {
            "document": decision.ids[number],
            "kept": decision.ids[int(decision.kept[number])],
            "reason": decision.reason[place],
            "resemblance": float(found.resemblance[place]),
            "containment": float(found.containment_left[place]),
        }
        for place, number in enumerate(decision.removed.tolist())
        if number >= first
    )
    nothing = dict.fromkeys(("resemblance", "containment"))
    write_list(path, chain(removed, (row | nothing for row in gone), map(skipped_row, skipped)))


def skipped_row(note: Skipped) -> Record:
    """Give a record that could not be read as it stands in the list of removed documents."""
    nothing = dict.fromkeys(("resemblance", "containment"))
    return {"document": note.name, "kept": None, "reason": note.reason} | nothing


def write_list(path: Path, removed: Iterable[Record]) -> None:
    """Write the list of removed documents beside an output."""
    write_beside(removed_path(path), removed)


def write_beside(path: Path, rows: Iterable[Record]) -> None:
    """Write a list, whole or not at all."""
    with whole([path]) as parts:
        writer = maker(path)(parts[0])
        for row in rows:
            writer.write(row)
        writer.close()
