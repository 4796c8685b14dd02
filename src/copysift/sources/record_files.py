"""Sources as batches of records, for a corpus: files of records, and texts of folders and containers.

Every source streams: no more than a batch and a chunk are held. A bad record is a `Skipped` with its place
(file and line), and the rest is read; a file that ends early gives what it has.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import IO

import pyarrow as pa

from copysift.errors import InputError, UsageError
from copysift.model.document import Document
from copysift.model.values import LIMIT, REPLACED, Skipped
from copysift.runtime.encoding import SAMPLE, is_damaged, looks_binary
from copysift.runtime.timing import TooSlowDocumentError, timed
from copysift.sources.compressed import unpacked
from copysift.sources.documents import Documents
from copysift.sources.fields import Fields
from copysift.sources.files import load
from copysift.sources.formats import FORMATS, format_of
from copysift.sources.inputs import File, Inputs, ReadAs
from copysift.sources.places import exists, open_place
from copysift.sources.record_readers import read
from copysift.sources.records import Builder
from copysift.sources.source import BATCH_BYTES, Reading
from copysift.sources.standard_input import format_of_input, spooled
from copysift.sources.walk import WalkSettings

Batches = Iterator[pa.RecordBatch | Skipped]
BINARY = "is binary, not text"


def open_source(
    place: str,
    wanted: str,
    fields: Fields,
    walking: WalkSettings,
    limit: int = BATCH_BYTES,
    opened: IO[bytes] | None = None,
    *,
    reading: Reading | None = None,
    read_as: ReadAs | None = None,
) -> Batches:
    """Give the records of a source in batches; `wanted` is a format, or auto: by content and name.

    `opened` is the file, packed as its name says, where it is elsewhere; Parquet and folders must be here.
    What could have been read in another way is added to `read_as`.
    """
    chosen = format_of(place) if wanted == "auto" else wanted
    if chosen not in ("stdin", *FORMATS, "file"):
        raise UsageError(f"there is no format {chosen!r}", hint=f"formats: {', '.join(FORMATS)}")
    if place == "-":
        if chosen in ("folder", "arrow"):
            raise UsageError(f"standard input cannot be read as {chosen}", hint="name the file or the folder")
        found = _standard_input("" if chosen == "stdin" else chosen, fields, limit)
        yield from fitting(found, reading)
        return
    if opened is not None:
        yield from fitting(read(chosen, place, opened, fields, limit), reading)
        return
    if not exists(place):
        raise InputError(f"{place}: no such file or folder")
    if wanted not in ("auto", "folder", "file"):
        with open_place(place) as file:
            binary = reading is not None and reading.binary
            yield from fitting(read(wanted, place, file, fields, limit, binary=binary), reading)
        return
    inputs = inputs_of(wanted, fields, walking, limit, reading)
    yield from batches_of(inputs, place, limit)
    if read_as is not None:
        read_as.add(inputs.read_as)


def inputs_of(
    wanted: str, fields: Fields, walking: WalkSettings, limit: int, reading: Reading | None
) -> Inputs:
    """Give what reads the files at or below a path as a corpus."""
    asked = replace(reading or Reading(), fields=fields, walking=walking, batch=limit, wide=True)
    return Inputs(replace(asked, records="no") if wanted != "auto" else asked)


def fitting(batches: Batches, reading: Reading | None) -> Batches:
    """Leave out the records that are too large."""
    for batch in batches:
        if isinstance(batch, Skipped) or reading is None:
            yield batch
        else:
            left_out, rest = Documents(batch).fitting(reading)
            yield from left_out
            yield rest.table


def batches_of(inputs: Inputs, place: str, limit: int) -> Batches:
    """Give the documents at or below a path in batches: records as they come, texts as bytes."""
    built = Builder(raw=True, limit=limit)
    for found in inputs.files([place]):
        if isinstance(found, Skipped):
            yield found
        if not isinstance(found, File):
            continue
        for each in inputs.opened(found):
            if isinstance(each, Skipped):
                yield each
            elif isinstance(each, Documents):
                yield from built.give()
                yield each.table
            else:
                yield from _text(each, built, inputs.reading)
    yield from built.give()


def _text(document: Document, built: Builder, reading: Reading) -> Batches:
    note = text_of(document, built, reading)
    if note is not None:
        yield note
    if built.full:
        yield from built.give()


def text_of(document: Document, built: Builder, reading: Reading) -> Skipped | None:
    """Take a text, or a file of any bytes (`reading.binary`), as a document, named by its path.

    What it gives says why it was left out, or taken with a change.
    """
    name = document.name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    loaded = load(document, reading.max_seconds)
    if isinstance(loaded, Skipped):
        return loaded
    try:
        data = b"".join(timed(loaded.content.chunks(), reading.max_seconds))
    except TooSlowDocumentError as error:
        return Skipped(name, error.message, LIMIT)
    if not reading.binary and looks_binary(data[:SAMPLE]):
        return Skipped(name, BINARY)
    built.add(name, data)
    return Skipped(name, REPLACED) if not reading.binary and is_damaged(data) else None


def _standard_input(form: str, fields: Fields, limit: int) -> Batches:
    stream = unpacked("-")
    form = form or format_of_input(stream)
    return read(form, "-", spooled(stream) if form in ("parquet", "warc") else stream, fields, limit)
