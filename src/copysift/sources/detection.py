"""Where records come from: JSONL, Parquet, CSV, WARC, lines of text, folders, standard input.

Every source streams: no more than a batch and a chunk are held. A bad record is a `Skipped` with its place
(file and line), and the rest goes on; a file that ends early gives what it has.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from typing import IO, Any

import pyarrow as pa

from copysift.errors import InputError, UsageError
from copysift.model.values import REPLACED, Skipped
from copysift.runtime.encoding import SAMPLE, is_damaged, looks_binary
from copysift.sources import delimited as tabular
from copysift.sources.columns import id_and_text
from copysift.sources.compressed import CHUNK, DAMAGED, unpacked
from copysift.sources.files import Loaded, load
from copysift.sources.formats import FORMATS, format_of
from copysift.sources.opening import why
from copysift.sources.records import BATCH_BYTES, Builder, Fields, add_record, batches
from copysift.sources.replacement import mended
from copysift.sources.standard_input import format_of_input, spooled
from copysift.sources.walk import Entry, WalkSettings, walk

Source = Iterator[pa.RecordBatch | Skipped]

MISSES = 3  # blocks in a row that are not of the plain shape, after which it is no longer tried
CUT = "and the file ends in it"  # ends the reason: it is the last line, and has no end
ARRAY = "is one JSON array, not JSON lines: write one object a line (jq -c '.[]')"
BINARY = "is binary, not text"
LONGEST = 1 << 30  # bytes of one line; a longer one is no record


def open_source(
    place: str,
    wanted: str,
    fields: Fields,
    walking: WalkSettings,
    limit: int = BATCH_BYTES,
    opened: IO[bytes] | None = None,
) -> Source:
    """Give the records of a source in batches; `wanted` is a format, or auto: by name.

    `opened` is the file, packed as its name says, where it lies elsewhere; Parquet and folders must be here.
    """
    chosen = format_of(place) if wanted == "auto" else wanted
    if chosen not in ("stdin", *FORMATS, "file"):
        raise UsageError(f"there is no format {chosen!r}", hint=f"formats: {', '.join(FORMATS)}")
    if place != "-" and opened is None and not os.path.exists(place):
        raise InputError(f"{place}: there is no such file or folder")
    if place == "-" and chosen in ("folder", "arrow"):
        raise UsageError(f"standard input cannot be read as {chosen}", hint="name the file or the folder")
    if place == "-" and chosen in ("parquet", "warc"):
        opened = spooled(unpacked(place))
    readers: dict[str, Callable[[], Source]] = {
        "folder": lambda: _folder(place, walking, limit),
        "file": lambda: _folder(place, walking, limit),
        "stdin": lambda: _stdin(fields, limit),
        "jsonl": lambda: jsonl(place, unpacked(place, opened), fields, limit),
        "lines": lambda: lines(place, unpacked(place, opened), limit),
        "csv": lambda: tabular.csv_records(place, unpacked(place, opened), fields, limit, ","),
        "tsv": lambda: tabular.csv_records(place, unpacked(place, opened), fields, limit, "\t"),
        "parquet": lambda: tabular.parquet_records(place, fields, limit, opened),
        "arrow": lambda: tabular.arrow_records(place),
        "warc": lambda: _warc(place, limit, opened),
    }
    try:
        yield from readers[chosen]()
    except DAMAGED as error:
        if isinstance(error, OSError) and error.errno:
            yield Skipped(place, why(error))
        else:
            yield Skipped(place, f"ends early or is damaged: {tabular.first_line(error)}")


def jsonl(place: str, stream: IO[bytes], fields: Fields, limit: int = BATCH_BYTES, before: int = 0) -> Source:
    """Give the records of JSON lines; `before` lines of the file came before the stream."""
    built = Builder(limit=limit)
    plain = not (fields.date or fields.features or fields.whole)
    misses, number = 0, before + 1
    rest: list[int] = []
    try:
        for block in blocks(stream, min(CHUNK, limit), rest):
            batch = None
            if number == 1:
                block = block[3:] if bytes(block[:3]) == BOM_UTF8 else block
                if _is_array(bytes(block)):
                    yield Skipped(place, ARRAY)
                    return
            if plain and misses < MISSES:  # nothing but ids and texts: the way of many corpora
                batch = id_and_text(block, fields.id or fields.names[0], fields.text)
                misses = 0 if batch is not None else misses + 1
            if batch is None:
                lines = bytes(block).split(b"\n")
                yield from _json_lines(place, number, lines, fields, built, cut=bool(rest))
                number += len(lines)
                continue
            yield from built.give()
            yield batch
            number += len(batch)
    except DAMAGED:
        yield from built.give()
        raise
    yield from built.give()


def _is_array(block: bytes) -> bool:
    """Tell whether lines begin a JSON array of records, rather than with a bad line before good ones."""
    import orjson

    if not block[:64].lstrip().startswith(b"["):
        return False
    first, _, rest = block.partition(b"\n")
    try:
        return any(isinstance(each, dict) for each in orjson.loads(first))
    except orjson.JSONDecodeError:
        pass
    try:
        return not isinstance(orjson.loads(rest.partition(b"\n")[0]), dict)
    except orjson.JSONDecodeError:
        return True


def _json_lines(
    place: str, first: int, lines: list[bytes], fields: Fields, built: Builder, *, cut: bool
) -> Source:
    """Give the records of some lines; `cut`: they have no line end, and are the last."""
    import orjson

    def spelled(rest: dict[str, Any]) -> str:
        if fields.whole:
            return line.decode("utf-8", "replace").strip()
        try:
            return orjson.dumps(rest, option=orjson.OPT_SORT_KEYS).decode()
        except TypeError:  # an integer of over 64 bits
            return json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    for number, line in enumerate(lines, first):
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError:
            if not line.strip():
                continue
            record, note = _forgiven(line, f"{place}:{number}")
            if note is not None:
                yield Skipped(note.name, f"{note.reason}, {CUT}") if cut and record is None else note
            if record is None:
                continue
        note = add_record(built, record, fields, f"{place}:{number}", spelled)
        if note is not None:
            yield note
        elif built.full:
            yield from built.give()


def _forgiven(line: bytes, place: str) -> tuple[Any, Skipped | None]:
    """Read a line again that is not strict JSON: bytes that are not UTF-8, or half a surrogate pair."""
    text = line.decode("utf-8", "replace")
    try:
        found = json.loads(text)
        record = mended(found)
    except (ValueError, RecursionError) as error:
        return None, Skipped(place, f"broken JSON: {str(error).split(':')[0]}")
    damaged = record != found or text.encode() != line
    return record, Skipped(place, REPLACED) if damaged else None


def lines(place: str, stream: IO[bytes], limit: int = BATCH_BYTES, before: int = 0) -> Source:
    """Give every line that is not empty as a document."""
    built = Builder(limit=limit)
    try:
        for number, line in numbered_lines(stream, before):
            if line.strip():
                text = line.decode("utf-8", "replace")
                if "\ufffd" in text and text.encode() != line:
                    yield Skipped(f"{place}:{number}", REPLACED)
                built.add(f"{place}:{number}", text)
                if built.full:
                    yield from built.give()
    except DAMAGED:
        yield from built.give()
        raise
    yield from built.give()


def numbered_lines(stream: IO[bytes], before: int = 0) -> Iterator[tuple[int, bytes]]:
    """Give the lines of a stream with their numbers, without the line end."""
    number = before + 1
    for block in blocks(stream):
        lines = bytes(block).split(b"\n")
        yield from enumerate(lines, number)
        number += len(lines)


def blocks(stream: IO[bytes], size: int = CHUNK, rest: list[int] | None = None) -> Iterator[memoryview]:
    """Give whole lines of a stream, many at a time, without the last line end.

    A last line that has no end is given by itself, after its length was put into `rest`. A block is good
    until the next is asked for: they lie in one place, whose pages are there already.
    """
    held = bytearray(size)
    filled = 0
    read: Callable[[memoryview], int] = getattr(stream, "readinto1", None) or stream.readinto  # type: ignore[attr-defined]
    with contextlib.nullcontext() if stream is sys.stdin.buffer else contextlib.closing(stream):
        while got := read(memoryview(held)[filled:]):
            end = held.rfind(b"\n", filled, filled + got)
            filled += got
            if end >= 0:
                yield memoryview(held)[:end]
                held[: filled - end - 1] = memoryview(held)[end + 1 : filled]
                filled -= end + 1
            elif filled == len(held):  # a line that is longer than all this
                if filled > LONGEST:
                    raise OSError("a line of over a gigabyte is no record")
                held = held + bytearray(filled)
    if filled:
        if rest is not None:
            rest.append(filled)
        yield memoryview(held)[:filled]


def fields_of(place: str) -> list[str]:
    """Name the fields of the first record of JSON lines; none where that cannot be told."""
    import orjson

    if place == "-" or format_of(place) != "jsonl":
        return []
    try:
        with contextlib.closing(unpacked(place)) as stream:
            first = stream.read(CHUNK).removeprefix(BOM_UTF8).partition(b"\n")[0]
        record = orjson.loads(first)
    except (*DAMAGED, orjson.JSONDecodeError):
        return []
    return list(record) if isinstance(record, dict) else []


def _stdin(fields: Fields, limit: int) -> Source:
    stream = unpacked("-")
    form = format_of_input(stream)
    if form == "parquet":
        return tabular.parquet_records("-", fields, limit, spooled(stream))
    if form == "warc":
        return _warc("-", limit, spooled(stream))
    return jsonl("-", stream, fields, limit) if form == "jsonl" else lines("-", stream, limit)


def _folder(place: str, walking: WalkSettings, limit: int) -> Source:
    """Give every file of text as a document, named by its path."""
    built = Builder(raw=True, limit=limit)
    for found in walk([place], walking):
        loaded = load(found) if isinstance(found, Entry) else found
        if isinstance(loaded, Skipped):
            yield loaded
        elif isinstance(loaded, Loaded):
            name = loaded.entry.path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
            data = b"".join(loaded.open())
            if looks_binary(data[:SAMPLE]):
                yield Skipped(name, BINARY)
                continue
            if is_damaged(data):
                yield Skipped(name, REPLACED)
            built.add(name, data)
            if built.full:
                yield from built.give()
    yield from built.give()


def _warc(place: str, limit: int, opened: IO[bytes] | None) -> Source:
    try:
        from copysift.sources.warc import warc_records
    except ImportError:
        raise InputError(
            f"{place}: WARC needs the package fastwarc", hint="pip install 'copysift[warc]'"
        ) from None
    items: list[tuple[str, bytes | str, str | None]] = []
    size = 0
    for item in warc_records(place, opened):
        if isinstance(item, Skipped):
            yield item
            continue
        items.append(item)
        size += len(item[1])
        if size >= limit:
            yield from batches(items, raw=True, limit=limit)
            items, size = [], 0
    yield from batches(items, raw=True, limit=limit)
