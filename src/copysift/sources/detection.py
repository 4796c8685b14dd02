"""Which source opens a document: by its content first, then by its name."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING

from copysift import kernels
from copysift.model.document import Content, Document
from copysift.sources.compressed import DAMAGED, PACKED_SUFFIXES, packing, unpacked_stream
from copysift.sources.containers import PACKED, TAR, ZIP, ZIP_MAGIC, office_format, tail_of
from copysift.sources.field_paths import has_field
from copysift.sources.file_content import FileContent, RemoteFile
from copysift.sources.json_array import Element, elements
from copysift.sources.readers.known import MARKS, may_have_reader, reader_name
from copysift.sources.record_sources import (
    ARROW,
    ARROW_FILE,
    CSV,
    JSONL,
    LINES,
    PARQUET,
    TSV,
    WARC,
    RecordSource,
)
from copysift.sources.source import RECORDS, Reading, Source, added, plug_ins, source

if TYPE_CHECKING:
    from copysift.sources.filters import Filters

HEAD = 512  # bytes that say what a file is
FETCHED = 16  # files at URIs that are asked for at once
PEEK = 1 << 16  # bytes of a file that may be JSON lines or a table
_ALWAYS = {
    ".jsonl": JSONL, ".ndjson": JSONL, ".parquet": PARQUET, ".pq": PARQUET, ".warc": WARC, ".wet": WARC,
    ".arrow": ARROW,
}  # fmt: skip
_MAYBE = {".json": JSONL, ".csv": CSV, ".tsv": TSV, ".txt": LINES}
_FORMS = {
    "jsonl": JSONL, "csv": CSV, "tsv": TSV, "parquet": PARQUET, "arrow": ARROW, "warc": WARC, "lines": LINES,
}  # fmt: skip
_OR_RECORDS = ("json", "table")  # readers of files that may hold records
_STREAMED = (JSONL, LINES, CSV, TSV, WARC)  # read from a compressed file without unpacking it first

# Other files begin like an Arrow stream, which therefore is known by its name.
_BY_MAGIC = ((PARQUET, PARQUET.traits.magic), (ARROW, (ARROW_FILE,)), (WARC, WARC.traits.magic))
_MARKS = {magic[:2] for magic in (*ZIP_MAGIC, *(mark for _, marks in _BY_MAGIC for mark in marks))} | {
    b"\x1f\x8b", b"BZ", b"\xfd7", b"\x28\xb5", b"\x04\x22", *MARKS,
}  # fmt: skip
_SUFFIXES = {*_ALWAYS, *_MAYBE, ".zip", ".tar"}
# Containers by their first bytes, loaded for those who have them.
_ARCHIVES = {b"7z\xbc\xaf\x27\x1c": "7z"}
_MARKS |= {magic[:2] for magic in _ARCHIVES}
# Sources that are built in by their file alone.
_MARKS |= {magic[:2] for each in added() for magic in each.magic}
_SUFFIXES |= {os.path.splitext(suffix)[1] or suffix for each in added() for suffix in each.suffixes}
_ALWAYS_ASKED = any(
    not (each.magic or each.suffixes) or any(len(magic) < 2 for magic in each.magic) for each in added()
)

Peek = Callable[[int], bytes]


def heads_of(documents: Sequence[Document]) -> list[bytes]:
    """Give the first bytes of documents; none of one that cannot be read, which reading it will say."""
    contents = [each.content for each in documents]
    files = [each for each in contents if isinstance(each, FileContent) and each.size]
    paths, follow = [os.fsencode(each.path) for each in files], [each.follow for each in files]
    looks = kernels.files.look_at(paths, follow, HEAD)
    read = [None if look is None else look[4] for look in looks]
    if len(files) < len(contents):  # members are in memory, and empty files were not asked for
        of_files = iter(read)
        read = [
            next(of_files) if isinstance(each, FileContent) and each.size else (each.data or b"")[:HEAD]
            for each in contents
        ]
    missing = [each for each, head in zip(contents, read, strict=True) if head is None]
    if any(isinstance(each, RemoteFile) for each in missing):
        heads = iter(_fetched_heads(missing))
    else:
        heads = map(_head, missing)
    return [next(heads) if head is None else head for head in read]


def _fetched_heads(contents: Sequence[Content]) -> list[bytes]:
    """Give the first bytes of files at URIs, several at a time: each waits for an answer."""
    with ThreadPoolExecutor(min(FETCHED, len(contents))) as pool:
        return list(pool.map(_head, contents))


def _head(content: Content) -> bytes:
    """Give the first bytes of a file by itself, where many cannot be read together, or none."""
    try:
        with closing(content.open()) as file:
            return file.read(HEAD)
    except (OSError, ValueError):
        return b""


class Detector:
    """Finds the source of documents, as far as a reading wants it."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._needed = reading.containers or reading.records != "no"
        self._plug_ins = plug_ins() if self._needed else ()
        self._filters = _filters(reading)

    def source(self, document: Document, *, named: bool = False) -> Source | None:
        """Give what opens a document, or None for one that is a document itself.

        `named`: the user named this file itself, so that it is believed to be what its name says.
        """
        return self.sources([document], named=named)[0]

    @property
    def needed(self) -> bool:
        """Whether any file may be opened, so that its first bytes are wanted."""
        return self._needed

    def sources(
        self, documents: Sequence[Document], known: Sequence[bytes | None] = (), *, named: bool = False
    ) -> list[Source | None]:
        """Give what opens each of some documents; first bytes that are not `known` are read together."""
        if not self._needed:
            heads = [b""] * len(documents)
        elif not known:
            heads = heads_of(documents)
        else:
            pairs = zip(documents, known, strict=True)
            missing = iter(heads_of([each for each, head in pairs if head is None]))
            heads = [next(missing) if head is None else head for head in known]
        return [self._source(each, head, named) for each, head in zip(documents, heads, strict=True)]

    def _source(self, document: Document, head: bytes, named: bool) -> Source | None:
        if named and self._reading.form in _FORMS:
            return _FORMS[self._reading.form]
        if self._filters and (chosen := self._filters.source(document.file)) is not None:
            return chosen
        if not self._needed:
            return None
        name = document.file
        if not (self._plug_ins or _ALWAYS_ASKED) and _is_plain(name, head):
            return None
        for each in self._plug_ins:
            if self._wants(each) and each.claims(name, head):
                return each
        for marks in added():
            if marks.may_claim(name, head) and self._claims(marks.name, name, head):
                return source(marks.name)
        how = packing(head)
        if how:
            return self._packed(document, name, how, named)
        if self._reading.containers:
            if head.startswith(ZIP_MAGIC) or (name.lower().endswith(".zip") and _ends_as_zip(document)):
                with closing(document.content.open()) as file:
                    office = office_format(file, self._reading.limits)
                return source(office) if office else ZIP
            if TAR.claims(name, head):
                return TAR
            for magic, archive in _ARCHIVES.items():
                if head.startswith(magic):
                    return source(archive)
        reader = reader_name(name, head) if self._reading.containers else ""
        if reader and reader not in _OR_RECORDS:
            return source(reader)
        records = self._records(name, head, named, lambda size: _beginning(document, "", size))
        return source(reader) if records is None and reader else records

    def _claims(self, which: str, name: str, head: bytes) -> bool:
        """Load a source that may open a file, and ask it."""
        loaded = source(which)
        return self._wants(loaded) and loaded.claims(name, head)

    def _wants(self, added: Source) -> bool:
        gives_records = added.traits.gives == RECORDS
        return self._reading.records != "no" if gives_records else self._reading.containers

    def _packed(self, document: Document, name: str, how: str, named: bool) -> Source | None:
        lower = name.lower()
        stem = next((name[: -len(end)] for end in PACKED_SUFFIXES if lower.endswith(end)), name)
        head = _beginning(document, how, HEAD)
        if self._reading.containers and TAR.claims(f"{stem}", head):
            return TAR
        found = self._records(stem, head, named, lambda size: _beginning(document, how, size))
        if found in _STREAMED:
            return found
        return PACKED if self._reading.containers else None

    def _records(self, name: str, head: bytes, named: bool, peek: Peek) -> RecordSource | None:
        reading = self._reading
        if reading.records == "no":
            return None
        for each, marks in _BY_MAGIC:
            if head.startswith(marks):
                return each
        suffix = os.path.splitext(name.lower())[1]
        always = _ALWAYS.get(suffix)
        if always is not None:
            sure = named or always is not JSONL or reading.records == "yes"
            return always if sure or self._has_lines(peek(PEEK)) else None
        maybe = _MAYBE.get(suffix)
        if maybe is None or reading.records == "yes" or (reading.wide and named):
            return maybe
        if maybe is JSONL:
            return JSONL if self._has_lines(peek(PEEK)) else None
        return maybe if maybe is not LINES and self._has_column(peek(PEEK), maybe) else None

    def _has_lines(self, data: bytes) -> bool:
        """Say whether bytes start JSON lines or an array, of which one at least has the field of texts."""
        fields = self._reading.fields
        data = data.removeprefix(b"\xef\xbb\xbf").lstrip()
        array = data[:1] == b"[" and data[1:].lstrip()[:1] == b"{"
        if not array and not data.startswith(b"{"):
            return False
        for line in (each.data for each in _first_elements(data)) if array else data.splitlines()[:64]:
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict) and has_field(record, fields.features or fields.text):
                return True
        return False

    def _has_column(self, data: bytes, form: RecordSource) -> bool:
        """Say whether the first row of a table names the column of texts."""
        first = data.decode("utf-8-sig", "replace").splitlines()[:1]
        try:
            names = next(csv.reader(first, delimiter="\t" if form is TSV else ","), [])
        except csv.Error:
            return False
        return len(names) > 1 and (self._reading.fields.features or self._reading.fields.text) in names


def _first_elements(data: bytes) -> Iterator[Element]:
    return islice((each for each in elements(data, lambda _: b"") if not each.last), 64)


def _filters(reading: Reading) -> Filters | None:
    if not reading.filters:
        return None
    from copysift.sources.filters import filters_of  # with subprocess, for those who run programs

    return filters_of(reading.filters)


def _is_plain(name: str, head: bytes) -> bool:
    """Say whether a file is surely none of a built-in source: most files are, so this is quick."""
    if head[:2] in _MARKS or head[257:262] == b"ustar":
        return False
    dot = name.rfind(".")
    if dot < 0:
        return True
    suffix = name[dot:].lower()
    return suffix not in _SUFFIXES and not may_have_reader(suffix)


def _beginning(document: Document, how: str, size: int) -> bytes:
    """Give the first bytes of a document, unpacked; fewer where it is damaged."""
    parts: list[bytes] = []
    try:
        with closing(document.content.open()) as file:
            stream = unpacked_stream(file, how, size)  # no more than is asked: it is thrown away
            while size > 0 and (part := stream.read(size)):
                parts.append(part)
                size -= len(part)
    except DAMAGED:
        pass
    return b"".join(parts)


def _ends_as_zip(document: Document) -> bool:
    """Say whether a zip may have a program in front of it."""
    try:
        with closing(document.content.open()) as file:
            return b"PK\5\6" in tail_of(file)
    except OSError:
        return False
