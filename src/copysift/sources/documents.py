"""Many records at once, as columns: no Python object for a record until it is wanted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import overload

import numpy as np
import orjson
import pyarrow as pa

from copysift.model.document import INSIDE, NO_HINT, Document, Hint, Memory
from copysift.model.values import Skipped
from copysift.runtime.lazy_dataclass import dataclass
from copysift.sources.fields import FILE_FIELDS, LANGUAGE_FIELD
from copysift.sources.records import RAW
from copysift.sources.source import Reading


@dataclass(frozen=True, slots=True)
class Documents:
    """Records in the order of input; `table` has the columns id, text, date, other and features.

    `outer` is the name of the file that they are in, `read_as` says how it was read.
    """

    table: pa.RecordBatch
    outer: str = ""
    read_as: str = ""

    @property
    def raw(self) -> bool:
        """Whether texts are bytes of any encoding; else they are UTF-8."""
        return bool(self.table.schema.metadata == RAW)

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Iterator[Document]:
        for row in range(len(self)):
            yield self[row]

    @overload
    def __getitem__(self, row: int) -> Document: ...
    @overload
    def __getitem__(self, row: slice) -> Documents: ...
    def __getitem__(self, row: int | slice) -> Document | Documents:
        if isinstance(row, slice):
            start, end, _ = row.indices(len(self))
            return Documents(self.table.slice(start, max(0, end - start)), self.outer, self.read_as)
        name, text, date, other = (self.table[column][row] for column in ("id", "text", "date", "other"))
        fields = other.as_py()
        return Document(
            name.as_py(),
            Memory(text.as_py() or b""),
            hint_of(fields),
            date=date.as_py() or "",
            fields=fields,
            read_as=self.read_as,
        )

    def fitting(self, reading: Reading) -> tuple[list[Skipped], Documents]:
        """Give the records that are not too large, and the others by name."""
        if reading.max_bytes is None:
            return [], self
        buffers = (text.as_buffer() if text.is_valid else b"" for text in self.table["text"])
        sizes = np.fromiter(map(len, buffers), np.int64, len(self))
        names = self.table["id"]
        found = [
            reading.refuse(self.qualified(name) if self.outer else name, int(sizes[row]))
            for row in np.flatnonzero(sizes > reading.max_bytes).tolist()
            for name in [names[row].as_py()]
        ]
        left_out = [each for each in found if each is not None]
        if not left_out:
            return [], self
        kept = self.table.filter(pa.array(sizes <= reading.max_bytes))
        return left_out, replace(self, table=kept)

    def hints(self) -> list[Hint]:
        """Give the hint of every record: a field `language`, and one with a file name."""
        other = self.table["other"]
        if other.null_count == len(self):
            return [NO_HINT] * len(self)
        return [hint_of(fields) for fields in other.to_pylist()]

    def qualified(self, name: str) -> str:
        """Give the name of a record behind that of its file; a record without an id has its number."""
        return f"{self.outer}{INSIDE}{name.removeprefix(f'{self.outer}:')}"


def hint_of(fields: str | None) -> Hint:
    """Give what the other fields of a record say about its kind."""
    if fields is None or not any(f'"{name}"' in fields for name in (LANGUAGE_FIELD, *FILE_FIELDS)):
        return NO_HINT
    try:
        record = orjson.loads(fields)
    except orjson.JSONDecodeError:  # integers of over 64 bits
        return NO_HINT
    if not isinstance(record, dict):
        return NO_HINT
    file = next((record[name] for name in FILE_FIELDS if isinstance(record.get(name), str)), "")
    language = record.get(LANGUAGE_FIELD)
    return Hint(file, language if isinstance(language, str) else "")
