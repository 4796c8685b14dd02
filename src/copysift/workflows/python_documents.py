"""Documents that Python gives: paths, items, tables and frames, and the rows of them that stay.

Libraries are known by what their objects can do, so that none is imported.
"""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import pyarrow as pa

from copysift.errors import InputError, UsageError
from copysift.model.document import Document, Memory
from copysift.model.values import TAKEN, Skipped
from copysift.sources import documents as records
from copysift.sources.delimited import table_records
from copysift.sources.field_paths import roots_of
from copysift.sources.fields import Fields
from copysift.sources.places import exists, is_uri
from copysift.sources.records import Builder, add_record
from copysift.sources.source import BATCH_BYTES

Place = str | os.PathLike[str]
Item = str | bytes | Mapping[str, object] | Document | tuple[str, str | bytes] | os.PathLike[str]
Rows = Iterator[pa.RecordBatch | Skipped]


class ArrowStream(Protocol):
    """What gives its rows as a stream of Arrow: a table, a reader, a frame, a relation of DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Give the stream."""


class LazyFrame(Protocol):
    """What makes its rows when they are wanted: a lazy frame of Polars."""

    def collect(self) -> ArrowStream:
        """Give the rows."""


class Dataset(Protocol):
    """A data set of Hugging Face; what can be iterated over only gives mappings."""

    @property
    def column_names(self) -> list[str] | None:
        """The names of the columns."""


Frame = ArrowStream | LazyFrame | Dataset
Documents = Place | Iterable[Item] | Frame


@dataclass(frozen=True, slots=True)
class Paths:
    """Files and folders."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """Texts, mappings, documents, or pairs of a name and a text."""

    held: Sequence[Item]

    def __len__(self) -> int:
        return len(self.held)

    def rows(self, fields: Fields) -> Rows:
        """Give records in batches, and what is none."""
        built = Builder()
        for number, item in enumerate(self.held):
            if isinstance(item, str | bytes):
                built.add(str(number), _bytes(item))
            elif isinstance(item, Document):
                built.add(item.name, b"".join(item.content.chunks()), item.date or None, item.fields)
            elif isinstance(item, tuple) and len(item) == 2:
                built.add(str(item[0]), _bytes(item[1]))
            else:
                record = dict(item) if isinstance(item, Mapping) else item
                note = add_record(built, record, fields, f":{number}", _json)
                if note is not None:
                    yield note
            if built.full:
                yield from built.give()
        yield from built.give()

    def root(self, path: str) -> str:
        """Name the field that holds the one at a path."""
        mappings = (item for item in self.held if isinstance(item, Mapping))
        return _only(path, next((found for item in mappings if (found := roots_of(path, item))), [path]))

    def fields(self, number: int, field: str) -> dict[str, Any]:
        """Give a field of an item; that of a text is the text."""
        item = self.held[number]
        return {field: item.get(field)} if isinstance(item, Mapping) else {}

    def select(self, numbers: list[int]) -> list[Item]:
        """Give some of the items."""
        return [self.held[number] for number in numbers]

    def changed(self, numbers: list[int], field: str, values: Mapping[int, object]) -> list[Item]:
        """Give some of the items, a field of some of them set."""
        return [
            _with(self.held[number], field, values[number]) if number in values else self.held[number]
            for number in numbers
        ]


@dataclass(frozen=True, slots=True)
class Columns:
    """A table, and the object that it came from."""

    table: pa.Table
    shape: Any

    def __len__(self) -> int:
        return len(self.table)

    def rows(self, fields: Fields) -> Rows:
        """Give records in batches, and what is none."""
        if not roots_of(fields.text, self.table.schema.names) and not fields.features:
            raise UsageError(
                f"there is no column {fields.text!r}",
                hint=f"use text_field to name one of {', '.join(self.table.schema.names)}",
            )
        first = -1
        for batch in self.table.to_batches(max_chunksize=4096):
            yield from table_records(batch, "", fields, BATCH_BYTES, first)
            first += len(batch)

    def root(self, path: str) -> str:
        """Name the column that holds the field at a path."""
        return _only(path, roots_of(path, self.table.schema.names) or [path])

    def fields(self, number: int, field: str) -> dict[str, Any]:
        """Give the value of a column in a row."""
        return {field: self.table[field][number].as_py()}

    def select(self, numbers: list[int]) -> object:
        """Give some of the rows as what they came."""
        shape = self.shape
        if shape is None:
            return self.table.take(numbers)
        if hasattr(shape, "iloc"):  # pandas
            return shape.iloc[numbers]
        if hasattr(shape, "with_format"):  # Hugging Face
            return shape.select(numbers)
        return shape[numbers]  # Polars

    def changed(self, numbers: list[int], field: str, values: Mapping[int, object]) -> object:
        """Give some of the rows, a column set or added."""
        old = self.table[field].to_pylist() if field in self.table.column_names else [None] * len(self)
        column = [values.get(number, old[number]) for number in numbers]
        kept: Any = self.select(numbers)
        if self.shape is None:
            made = pa.array(column)
            at = kept.schema.get_field_index(field)
            return kept.append_column(field, made) if at < 0 else kept.set_column(at, field, made)
        if hasattr(kept, "iloc"):
            return kept.assign(**{field: column})
        if hasattr(kept, "with_format"):
            return (kept.remove_columns(field) if field in kept.column_names else kept).add_column(
                field, column
            )
        return kept.with_columns(type(kept)({field: column})[field])


@dataclass(frozen=True, slots=True)
class Lazy(Columns):
    """A lazy frame: its rows are given back as a lazy one."""

    def select(self, numbers: list[int]) -> object:
        """Give some of the rows, lazily."""
        return self.shape[numbers].lazy()

    def changed(self, numbers: list[int], field: str, values: Mapping[int, object]) -> object:
        """Give some of the rows, a column set or added, lazily."""
        made: Any = Columns(self.table, self.shape).changed(numbers, field, values)
        return made.lazy()


def _only(path: str, roots: list[str]) -> str:
    if len(roots) > 1:
        raise UsageError(f"{path} is several fields, of which nothing can be cut", hint="name one text_field")
    return roots[0]


def understood(documents: Documents) -> Paths | Items | Columns:
    """Find out what Python gave."""
    if isinstance(documents, str | os.PathLike):
        return Paths(tuple(expanded(documents)))
    found = columns_of(documents)
    if found is not None:
        return found
    held = items_of(documents)
    paths = [item for item in held if isinstance(item, os.PathLike)]
    if paths and len(paths) < len(held):
        raise UsageError("paths and documents are mixed", hint="give either paths or documents")
    return Paths(tuple(name for path in paths for name in expanded(path))) if paths else Items(held)


def items_of(documents: Any) -> list[Item]:
    """Give what can be iterated over as a list; refuse what is not several documents."""
    if isinstance(documents, bytes | Mapping | Document):
        raise UsageError("one document has no copies", hint="give several: a list, a table or a frame")
    if not isinstance(documents, Iterable):
        raise UsageError(
            f"documents cannot be of type {type(documents).__name__}",
            hint="give paths, a list of texts or mappings, a table or a frame",
        )
    return list(documents)


def columns_of(documents: Any) -> Columns | None:
    """Give what has columns as a table; None for anything else."""
    if isinstance(documents, pa.Table | pa.RecordBatch):
        return Columns(_plain(pa.table(documents)), None)
    if hasattr(documents, "collect") and hasattr(documents, "lazy"):  # a lazy frame of Polars
        made = documents.collect()
        return Lazy(_plain(made.to_arrow()), made)
    if hasattr(documents, "iloc") and hasattr(documents, "columns"):  # pandas
        return Columns(_plain(pa.Table.from_pandas(documents, preserve_index=False)), documents)
    if hasattr(documents, "with_format"):  # Hugging Face; what can only be iterated over is no table
        if not hasattr(documents, "select") or not hasattr(documents, "__len__"):
            return None
        return Columns(_plain(documents.with_format("arrow")[:]), documents)
    if hasattr(documents, "to_arrow") and hasattr(documents, "lazy"):  # a frame of Polars
        return Columns(_plain(documents.to_arrow()), documents)
    if hasattr(documents, "to_arrow_table"):  # a relation of DuckDB
        return Columns(_plain(documents.to_arrow_table()), None)
    if hasattr(documents, "__arrow_c_stream__"):
        return Columns(_plain(pa.RecordBatchReader.from_stream(documents).read_all()), None)
    if hasattr(documents, "to_table"):  # an Arrow data set
        return Columns(_plain(documents.to_table()), None)
    return None


def batches(given: Items | Columns, fields: Fields, bad: set[int] | None = None) -> Rows:
    """Give records in batches; the numbers of those that are left out are added to `bad`."""
    for item in given.rows(fields):
        if isinstance(item, Skipped) and bad is not None and item.reason not in TAKEN:
            bad.add(int(item.name.rpartition(":")[2]))
        yield item


def in_memory(given: Items | Columns, fields: Fields, skipped: list[Skipped]) -> Iterator[Document]:
    """Give documents of different names; what is left out is added to `skipped`."""
    taken: set[str] = set()
    if isinstance(given, Items) and all(isinstance(item, Document) for item in given.held):
        every: Iterable[Document] = given.held  # type: ignore[assignment]  # with their hints and units
    else:
        every = _records(given, fields, skipped)
    for document in every:
        name, number = document.name, 1
        while name in taken:
            number += 1
            name = f"{document.name}~{number}"
        taken.add(name)
        yield document if name == document.name else replace(document, name=name)


def _records(given: Items | Columns, fields: Fields, skipped: list[Skipped]) -> Iterator[Document]:
    for batch in given.rows(fields):
        if isinstance(batch, Skipped):
            skipped.append(batch)
        else:
            yield from records.Documents(batch)


def expanded(place: Place) -> list[str]:
    """Give the paths that a path or a glob names."""
    name = os.fspath(place)
    try:
        there = exists(name)  # not Path.exists, which raises for a long name
        found = [name] if there else sorted(glob.glob(name, recursive=True))  # noqa: PTH207
    except (OSError, ValueError):
        found = []
    if not found:
        shown = name if len(name) <= 80 else f"{name[:60]}…"
        raise InputError(
            f"{shown}: file or folder not found",
            hint="one string is a path or a glob; give texts in a list",
        )
    return found


def several(places: Sequence[Place]) -> list[Place]:
    """Expand the globs among paths; a path that is not there stays, to be named as such."""
    found: list[Place] = []
    for place in places:
        name = os.fspath(place)
        there = is_uri(name) or len(name) > 255 or os.path.lexists(name) or not glob.has_magic(name)
        found += [place] if there else (sorted(glob.glob(name, recursive=True)) or [place])  # noqa: PTH207
    return found


def _plain(table: pa.Table) -> pa.Table:
    """Give a table whose texts are strings: views of them cannot be taken from."""
    views = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    schema = pa.schema([field.with_type(views.get(field.type, field.type)) for field in table.schema])
    return table if schema == table.schema else table.cast(schema)


def _with(item: Item, field: str, value: object) -> Item:
    """Give an item with a field set; the only one of a text is the text."""
    if isinstance(item, Mapping):
        return {**item, field: value}
    text = str(value)
    if isinstance(item, Document):
        return replace(item, content=Memory(text.encode()))
    if isinstance(item, tuple):
        return item[0], text if isinstance(item[1], str) else text.encode()
    return text.encode() if isinstance(item, bytes) else text


def _bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "replace") if isinstance(text, str) else bytes(text)


def _json(fields: object) -> str:
    return json.dumps(fields, default=str)
