"""Records as lines: JSON lines (or one JSON array), and plain text of which every line is a document.

Lines are streamed: no more than a block and a batch are held. A bad line is a `Skipped` with its place
(file and line), and the rest is read; a file that ends early gives what it has.
"""

from __future__ import annotations

import contextlib
import json
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from typing import IO, Any

import orjson
import pyarrow as pa

from copysift import kernels
from copysift.model.values import CUT, REPLACED, Skipped
from copysift.sources.compressed import CHUNK, DAMAGED, unpacked
from copysift.sources.fields import Fields
from copysift.sources.formats import format_of
from copysift.sources.json_array import elements, is_array
from copysift.sources.records import DEEPEST, SCHEMA, TOO_DEEP, Builder, add_record, is_too_deep
from copysift.sources.replacement import mended
from copysift.sources.source import BATCH_BYTES

Batches = Iterator[pa.RecordBatch | Skipped]

MISSES = 3  # blocks in a row that are not of the plain shape, after which it is no longer tried
ENDS = "and the file ends in it"  # ends the reason: it is the last line, and has no end
LONGEST = 1 << 30  # bytes of one line; a longer one is no record


def jsonl(
    place: str, stream: IO[bytes], fields: Fields, limit: int = BATCH_BYTES, before: int = 0
) -> Batches:
    """Give the records of JSON lines, or of one array; `before` lines of the file came before the stream."""
    built = Builder(limit=limit)
    plain = not (fields.date or fields.features or fields.whole)
    misses, number = 0, before + 1
    rest: list[int] = []
    try:
        head = b"" if before else _read(stream, min(CHUNK, limit)).removeprefix(BOM_UTF8)
        if is_array(head):
            yield from _array(place, head, stream, fields, built)
            yield from built.give()
            return
        for block in blocks(stream, min(CHUNK, limit), rest, head):
            batch = None
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


def _array(place: str, head: bytes, stream: IO[bytes], fields: Fields, built: Builder) -> Batches:
    """Give the records of a JSON array, named by their number in it where they have no id."""
    with contextlib.nullcontext() if stream is sys.stdin.buffer else contextlib.closing(stream):
        for each in elements(head, lambda size: _read(stream, size)):
            if each.reason:
                yield Skipped(f"{place}:{each.number}", each.reason, *([CUT] if each.last else []))
            else:
                yield from _json_lines(place, each.number, [each.data], fields, built, cut=each.last)


def _read(stream: IO[bytes], size: int) -> bytes:
    """Give up to `size` bytes of a stream: as many as can be had before it turns out to be damaged."""
    held = bytearray(size)
    got = _into(stream)(memoryview(held))
    return bytes(memoryview(held)[:got])


def _into(stream: IO[bytes]) -> Callable[[memoryview], int]:
    read: Callable[[memoryview], int] = getattr(stream, "readinto1", None) or stream.readinto  # type: ignore[attr-defined]
    return read


def _json_lines(
    place: str, first: int, lines: list[bytes], fields: Fields, built: Builder, *, cut: bool
) -> Batches:
    """Give the records of some lines; `cut`: they have no line end, and are the last."""

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
                yield Skipped(note.name, f"{note.reason}, {ENDS}", CUT) if cut and record is None else note
            if record is None:
                continue
        if line.count(b"[") + line.count(b"{") > DEEPEST and is_too_deep(record):
            yield Skipped(f"{place}:{number}", TOO_DEEP)
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
    except RecursionError:
        return None, Skipped(place, TOO_DEEP)
    except ValueError as error:
        return None, Skipped(place, f"broken JSON: {str(error).split(':')[0]}")
    damaged = record != found or text.encode() != line
    return record, Skipped(place, REPLACED) if damaged else None


def lines(place: str, stream: IO[bytes], limit: int = BATCH_BYTES, before: int = 0) -> Batches:
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


def blocks(
    stream: IO[bytes], size: int = CHUNK, rest: list[int] | None = None, head: bytes = b""
) -> Iterator[memoryview]:
    """Give whole lines of a stream, many at a time, without the last line end; `head` comes before it.

    A block is almost `size`, however little a read gives: what is done with each has a cost of
    its own. A last line that has no end is given by itself, after its length was put into `rest`. A block is
    good until the next is wanted: they lie in one place, whose pages are there already.
    """
    held = bytearray(max(size, 2 * len(head)))
    held[: len(head)] = head
    filled, got, end = 0, len(head), -1
    read = _into(stream)
    damage: Exception | None = None
    with contextlib.nullcontext() if stream is sys.stdin.buffer else contextlib.closing(stream):
        while True:
            try:
                got = got or read(memoryview(held)[filled:])
            except DAMAGED as error:
                damage = error
            end = max(end, held.rfind(b"\n", filled, filled + got))
            filled, more, got = filled + got, got > 0, 0
            if end >= 0 and (filled >= len(held) // 16 * 15 or not more):
                yield memoryview(held)[:end]
                held[: filled - end - 1] = memoryview(held)[end + 1 : filled]
                filled, end = filled - end - 1, -1
            elif filled == len(held):  # a line that is longer than all this
                if filled > LONGEST:
                    raise OSError("a line is longer than 1 GiB")
                held = held + bytearray(filled)
            if damage is not None:
                raise damage
            if not more:
                break
    if filled:
        if rest is not None:
            rest.append(filled)
        yield memoryview(held)[:filled]


def fields_of(place: str) -> list[str]:
    """Name the fields of the first record of JSON lines; none where that is unknown."""
    if place == "-" or format_of(place) != "jsonl":
        return []
    try:
        with contextlib.closing(unpacked(place)) as stream:
            head = stream.read(CHUNK).removeprefix(BOM_UTF8)
        array = is_array(head)
        first = next(elements(head, lambda _: b"")).data if array else head.partition(b"\n")[0]
        record = orjson.loads(first)
    except (*DAMAGED, orjson.JSONDecodeError):
        return []
    return list(record) if isinstance(record, dict) else []


def id_and_text(block: bytes | memoryview, name: str, text: str) -> pa.RecordBatch | None:
    """Give the records of whole lines, or None when one of them is anything but two strings.

    No Python object is made for a record, so the threads that shingle continue meanwhile. Lines that are not
    exactly so are left to the reader that takes them one by one, which is the definition.
    """
    found = kernels.jsonl.two_strings(block, name.encode(), text.encode())
    if found is None:
        return None
    ids, id_ends, texts, text_ends = (pa.py_buffer(column) for column in found)
    lines = len(found[1]) - 1
    columns = [
        pa.StringArray.from_buffers(lines, id_ends, ids),
        pa.LargeBinaryArray.from_buffers(pa.large_binary(), lines, [None, text_ends, texts]),
    ]
    empty = [pa.nulls(lines, kind) for kind in SCHEMA.types[2:]]
    return pa.record_batch([*columns, *empty], schema=SCHEMA)
