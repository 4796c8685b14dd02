"""Read files of records: each format by its reader, in batches of Arrow columns."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import IO, TYPE_CHECKING, cast

import orjson
import pyarrow as pa

from copysift.errors import InputError
from copysift.model.document import Document
from copysift.model.values import CUT, DAMAGED, LIMIT, Skipped
from copysift.sources import delimited
from copysift.sources.compressed import CHUNK, packing, unpacked
from copysift.sources.compressed import DAMAGED as BROKEN
from copysift.sources.container_limits import ArchiveLimits, Budget, LimitReachedError
from copysift.sources.csv_rows import csv_records
from copysift.sources.documents import Documents
from copysift.sources.fields import Fields
from copysift.sources.json_array import is_array
from copysift.sources.jsonl import jsonl, lines
from copysift.sources.opening import why
from copysift.sources.records import LANGUAGE, Builder
from copysift.sources.source import WHOLE, Part, Reading

if TYPE_CHECKING:
    from copysift.sources.record_sources import RecordSource

Batches = Iterator[pa.RecordBatch | Skipped]
_CUTTABLE = ("jsonl", "lines")
RECORD_BYTES = 16  # that a record costs besides its text


def given(
    source: RecordSource, outer: Document, reading: Reading, part: Part
) -> Iterator[Documents | Skipped]:
    """Give the records of a document, or of a part of it."""
    read_as = f"record of {source.shown}"
    try:
        with contextlib.closing(outer.content.open()) as file:
            form, binary = source.traits.name, reading.binary
            found = read(form, outer.name, file, reading.fields, reading.batch, part, binary=binary)
            for each in counted(found, outer.size, reading.limits):
                yield each if isinstance(each, Skipped) else Documents(each, outer.name, read_as)
    except LimitReachedError as error:
        yield Skipped(outer.name, str(error), LIMIT)
    except OSError as error:
        yield Skipped(outer.name, why(error), DAMAGED)


def counted(batches: Batches, packed: int, limits: ArchiveLimits) -> Batches:
    """Count what comes out of a file of `packed` bytes: a few bytes may claim a billion records.

    There is no limit on the size of a corpus, only on how much larger it is than its file.
    """
    budget = Budget(replace(limits, total_bytes=sys.maxsize), packed)
    for each in batches:
        if packed and not isinstance(each, Skipped):
            texts = sum(each[name].nbytes for name in ("text", "other"))  # names have the path in each
            budget.unpack(texts + RECORD_BYTES * len(each))
        yield each


def read(
    form: str,
    place: str,
    file: IO[bytes],
    fields: Fields,
    limit: int,
    part: Part = WHOLE,
    *,
    binary: bool = False,
) -> Batches:
    """Give the records of an open file of a format; `place` is its name in messages and names.

    `binary`: of a web archive, give what is not text too.
    """
    try:
        if form == "warc":
            yield from warc(place, limit, file, binary)
        else:
            yield from _records(form, place, file, fields, limit, part)
    except BROKEN as error:
        if isinstance(error, OSError) and error.errno:
            yield Skipped(place, why(error), DAMAGED)
        else:
            yield Skipped(place, f"ends early or is damaged: {delimited.first_line(error)}", CUT)


def _records(form: str, place: str, file: IO[bytes], fields: Fields, limit: int, part: Part) -> Batches:
    if form == "parquet":
        return delimited.parquet_records(place, fields, limit, file)
    if form == "arrow":
        return delimited.arrow_records(place, fields, limit, file)
    stream: IO[bytes] = file
    if part == WHOLE:
        stream = file if place == "-" else unpacked(place, file)  # standard input is unpacked already
    else:
        stream = cast("IO[bytes]", _Span(file, part))
    if form == "jsonl":
        return jsonl(place, stream, fields, limit, part.before)
    if form == "lines":
        return lines(place, stream, limit, part.before)
    return csv_records(place, stream, fields, limit, "\t" if form == "tsv" else ",")


class _Span(io.RawIOBase):
    """The bytes of a part of a file."""

    def __init__(self, file: IO[bytes], part: Part) -> None:
        self._file, self._left = file, part.end - part.start
        file.seek(part.start)

    def readable(self) -> bool:
        return True

    def readinto(self, into: memoryview) -> int:  # type: ignore[override]
        data = self._file.read(min(len(into), self._left))
        into[: len(data)] = data
        self._left -= len(data)
        return len(data)


def parts(source: RecordSource, outer: Document, size: int) -> Sequence[Part]:
    """Cut lines that are not compressed into parts of about `size` bytes, each with the lines before it."""
    if source.traits.name not in _CUTTABLE or outer.size <= size:
        return [WHOLE]
    cuts: list[Part] = []
    with outer.content.open() as file:
        head = file.read(4096)
        if packing(head) or is_array(head):
            return [WHOLE]
        start = before = 0
        while start < outer.size:
            file.seek(start)
            count, end = 0, start
            while end < outer.size:
                chunk = file.read(min(CHUNK, max(1, size - (end - start))))
                count, end = count + chunk.count(b"\n"), end + len(chunk)
                if not chunk or end - start >= size:
                    break
            rest = file.readline()
            count, end = count + rest.count(b"\n"), end + len(rest)
            cuts.append(Part(start, end, before))
            start, before = end, before + count
    return cuts


def warc(place: str, limit: int, opened: IO[bytes] | None, binary: bool) -> Batches:
    """Give the pages and texts of a web archive; `binary`: everything else too."""
    try:
        from copysift.sources.warc import warc_records
    except ImportError:
        raise InputError(
            f"{place}: WARC needs the package fastwarc", hint="pip install 'copysift[warc]'"
        ) from None
    built = Builder(raw=True, limit=limit)
    for item in warc_records(place, opened, binary):
        if isinstance(item, Skipped):
            yield item
            continue
        fields = orjson.dumps({LANGUAGE: item.language}).decode() if item.language else None
        built.add(item.uri, item.content, item.date, fields)
        if built.full:
            yield from built.give()
    yield from built.give()
