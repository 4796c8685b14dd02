"""What a sweep meets: addresses and contents, of a folder, a git tree, WARC files or records.

Of folders and trees the address is the path below the folder that was named, so that two releases in
two folders have the same addresses. A source that ends before it should is an error here and no note:
all that it has not named would count as gone.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from copysift.errors import InputError
from copysift.model.document import Document, Hint, Memory
from copysift.model.values import CUT, DAMAGED, LIMIT, Skipped
from copysift.runtime.timing import timed
from copysift.sources.documents import Documents
from copysift.sources.file_content import file_at
from copysift.sources.files import load
from copysift.sources.inputs import File, Inputs
from copysift.sources.places import exists, open_place, top_of
from copysift.sources.record_files import open_source
from copysift.sources.record_sources import WARC
from copysift.sources.source import RECORDS, Reading
from copysift.sources.walk import is_index


class Again(NamedTuple):
    """An address that has what `of` had on date `when` (which may be empty): a crawler fetched it once."""

    uri: str
    of: str
    when: str


class Record(NamedTuple):
    """A record of a file of records; `hint` is what its fields say about its kind."""

    uri: str
    data: bytes
    hint: Hint


Met = Iterator[tuple[str, bytes] | Record | Again | Skipped]
NAMES = ("uri", "url", "id")  # the fields that may hold an address, in this order


def crawl(place: str, wanted: str, reading: Reading, avoid: str = "") -> Met:
    """Give the addresses and contents of a source; files below `avoid`, the index itself, are left out."""
    if place != "-" and not exists(place):
        raise InputError(f"{place}: no such file or folder")
    if place == "-" or wanted not in ("auto", "folder", "file"):
        met = _warc(place, reading.binary) if wanted == "warc" else _records(place, wanted, reading)
        return _fitting(_whole(place, met), reading)
    if wanted != "auto":
        reading = replace(reading, records="no")
    return _fitting(_files(place, reading, avoid), reading)


def _fitting(met: Met, reading: Reading) -> Met:
    """Leave out the captures that are too large; files and records are looked at where they are read."""
    for each in met:
        too_large = reading.refuse(each[0], len(each[1])) if type(each) is tuple else None
        yield too_large or each


def _files(place: str, reading: Reading, avoid: str) -> Met:
    """Give what is at or below a path: files by their paths below it, records by their addresses."""
    top = "" if is_index(place) else top_of(place)  # whose documents have the names that it shows
    prefix = len(top.rstrip(os.sep)) + 1 if top else 0
    inputs = Inputs(replace(reading, wide=True))

    def address(path: str) -> str:
        return path[prefix:].replace(os.sep, "/")

    for found in inputs.files([place]):
        path = found.document.name if isinstance(found, File) else found.name
        if avoid and os.path.abspath(path).startswith(avoid):
            continue
        if isinstance(found, Skipped):
            if path == place:
                raise InputError(f"{place}: {found.reason}")
            yield Skipped(address(path), found.reason, found.code)
            continue
        if isinstance(found, Document):  # a further name of a file is another address
            document = Document(path, file_at(path))
            found = File(document, inputs.source_of(document), False)
        if found.source is WARC:
            yield from _whole(path, _warc(path, reading.binary))
        elif found.named or (found.source is not None and found.source.traits.gives == RECORDS):
            yield from _whole(path, _opened(inputs, found, address))
        else:  # an archive in a folder that is damaged is named, as any file is that cannot be read
            yield from _opened(inputs, found, address)


def revision(files: Iterable[tuple[str, bytes] | Skipped], reading: Reading) -> Met:
    """Give the files of a git tree, and what is in those that are containers or files of records."""
    inputs = Inputs(reading)
    for each in files:
        if isinstance(each, Skipped):
            yield each
            continue
        path, data = each
        too_large = reading.refuse(path, len(data))
        document = Document(path, Memory(data), Hint(path))
        source = inputs.source_of(document)
        if source is None:
            yield too_large or each
        else:
            yield from _opened(inputs, File(document, source, False), str)


def _opened(inputs: Inputs, file: File, address: Callable[[str], str]) -> Met:
    """Give the documents in a file; what it should have had and does not is damage to the whole."""
    path = file.document.name
    for each in inputs.opened(file):
        if isinstance(each, Skipped):
            lost = each.code in (CUT, DAMAGED, LIMIT) and file.source is not None
            if lost and each.code == CUT and each.name != path:
                yield Skipped(path, f"ends before it should, in line {each.name.rpartition(':')[2]}", CUT)
            elif lost and each.name == path:
                yield each
            else:
                yield Skipped(address(each.name), each.reason, each.code)
        elif isinstance(each, Document):
            loaded = load(each, inputs.reading.max_seconds)
            if isinstance(loaded, Skipped):
                yield Skipped(address(each.name), loaded.reason)
                continue
            try:
                yield address(each.name), b"".join(timed(loaded.content.chunks(), inputs.reading.max_seconds))
            except InputError as error:
                yield Skipped(address(each.name), error.message.removeprefix(f"{each.name}: "))
        else:
            yield from _rows(each)


def _records(place: str, wanted: str, reading: Reading) -> Met:
    for batch in open_source(place, wanted, reading.fields, reading.walking, reading=reading):
        if isinstance(batch, Skipped):
            line = batch.name.rpartition(":")[2]
            cut = batch.code == CUT and batch.name != place
            yield Skipped(place, f"ends before it should, in line {line}", CUT) if cut else batch
        else:
            yield from _rows(Documents(batch))


def _rows(batch: Documents) -> Iterator[Record]:
    names, texts = batch.table.column("id").to_pylist(), batch.table.column("text").to_pylist()
    yield from map(Record, names, texts, batch.hints())


def _warc(place: str, binary: bool) -> Met:
    try:
        from copysift.sources.warc import CapturedRecord, captures
    except ImportError:
        raise InputError(
            f"{place}: WARC needs the package fastwarc", hint="pip install 'copysift[warc]'"
        ) from None
    digests: dict[str, str] = {}  # of this file: where a revisit names no address, its digest does
    for item in captures(place, binary, open_place(place)):
        if isinstance(item, Skipped):
            yield item
        elif isinstance(item, CapturedRecord):
            if item.digest:
                digests.setdefault(item.digest, item.uri)
            yield item.uri, item.content
        else:
            yield Again(item.uri, digests.get(item.digest, item.of), item.when)


def _whole(place: str, met: Met) -> Met:
    for each in met:
        if isinstance(each, Skipped) and each.name == place:
            raise InputError(
                f"{place} {each.reason}", hint="the crawl is incomplete, so the index was not changed"
            )
        yield each
