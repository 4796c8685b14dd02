"""What Python gives to an index: paths, documents, pairs, mappings and texts, as the engine takes them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from typing import Any

from copysift.errors import UsageError
from copysift.model.document import Document
from copysift.model.values import Skipped
from copysift.runtime.encoding import to_utf8
from copysift.sources.fields import Fields
from copysift.sources.files import DIGEST, load
from copysift.sources.inputs import Inputs
from copysift.sources.places import exists
from copysift.sources.source import Reading
from copysift.sources.spool import Spool
from copysift.sources.submission_files import leave_out
from copysift.sources.submission_intake import Intake
from copysift.workflows.query_document import Part, QueryDocument
from copysift.workflows.reading import Reader

NAMES = ("id", "uri", "name")  # the fields that may hold the name of a document, in this order


def batched(items: Any) -> Iterator[tuple[list[Any], bool]]:
    """Part items into runs of paths and runs of documents, at most a thousand."""
    batch: list[Any] = []
    files = False
    for item in items:
        is_file = isinstance(item, str | os.PathLike)
        if batch and (is_file != files or len(batch) >= 1000):
            yield batch, files
            batch = []
        files = is_file
        batch.append(item)
    if batch:
        yield batch, files


def places_of(place: str | os.PathLike[str]) -> list[str | os.PathLike[str]]:
    """Give the paths that a path or a glob names."""
    if exists(os.fspath(place)):
        return [place]
    from copysift.workflows.python_documents import several  # loads Arrow, which few need here

    return several([place])


def rows_of(
    what: object, id_field: str, text_field: str, skipped: list[Skipped], names: tuple[str, ...] = NAMES
) -> list[Document] | None:
    """Give the rows of a table or a frame as documents, or None for anything else."""
    if isinstance(what, list | tuple):
        return None
    from copysift.workflows.python_documents import columns_of, in_memory  # loads Arrow, which few need here

    table = columns_of(what)
    if table is None:
        return None
    if not id_field and not set(names) & set(table.table.schema.names):
        raise UsageError("the rows have no names", hint="name a column by id_field, or call one id")
    return list(in_memory(table, Fields(id_field, text_field, names=names), skipped))


def document_of(item: Any) -> Document:
    """Make a document of a pair of name and content, a mapping, or a document."""
    if isinstance(item, Document):
        return item
    if isinstance(item, tuple) and len(item) == 2:
        name, content = item
    elif isinstance(item, Mapping) and "text" in item:
        name, content = next((item[key] for key in NAMES if key in item), None), item["text"]
    else:
        raise UsageError(
            f"cannot add {type(item).__name__}", hint="give paths, (name, text) or mappings with text"
        )
    if name is None:
        raise UsageError("a document has no name", hint="give it an id, uri or name")
    return Document.of(str(name), content if isinstance(content, str) else bytes(content))


def question_of(name: str, data: bytes, source: bytes, kind: str, alone: bool = False) -> QueryDocument:
    """Make a question of a readable source and the bytes that it was made from."""
    checksum = hashlib.blake2b(data, digest_size=DIGEST).digest()
    return QueryDocument(name, source, kind, checksum, len(data), alone)


def file_question(reader: Reader, loaded: Document, language: str = "", alone: bool = False) -> QueryDocument:
    """Make a question of a file, a program of a language if one is named."""
    name = loaded.name
    if language:
        data = b"".join(loaded.content.chunks())
        return question_of(name, data, to_utf8(data)[0], reader.kind_in(language), True)
    kind, chunks = reader.opened(loaded)
    return QueryDocument(name, b"".join(chunks), kind, loaded.checksum, loaded.size, alone)


def file_questions(
    reader: Reader,
    reading: Reading,
    path: str | os.PathLike[str],
    language: str = "",
    alone: bool = False,
) -> Iterator[QueryDocument | Skipped]:
    """Make a question of every document at or below a path, programs of a language if one is named."""
    for found in Inputs(reading).documents([path]):
        loaded = found if isinstance(found, Skipped) else load(found, reading.max_seconds)
        if isinstance(loaded, Skipped):
            yield loaded
        else:
            yield file_question(reader, loaded, language, alone)


def submission_questions(
    reader: Reader,
    reading: Reading,
    path: str | os.PathLike[str],
    language: str = "",
    alone: bool = False,
    notes: list[str] | None = None,
) -> Iterator[QueryDocument | Skipped]:
    """Make a question of every submission at a path: a first-level folder or archive with all its files.

    What no student wrote is left out, as in a scan, unless patterns say which files are meant; `notes` gets
    what that is.
    """
    taken = Intake(reading, Spool(), True).take([path])
    left_out = "" if reading.walking.include else leave_out(taken)
    if left_out and notes is not None:
        notes.append(left_out)
    yield from taken.skipped
    files: dict[str, list[Document]] = {group: [] for group in taken.groups}
    for document, group in taken.files:
        files[group].append(document)
    for group, documents in files.items():
        parts, size = [], 0
        for document in documents:
            loaded = load(document, reading.max_seconds)
            if isinstance(loaded, Skipped):
                yield loaded
                continue
            made = file_question(reader, loaded, language, alone)
            parts.append(Part(made.name, made.source, made.kind))
            size += made.bytes
        if parts:
            kinds = {part.kind.partition(":")[0] for part in parts}
            kind = parts[0].kind if len(kinds) == 1 else "mixed"
            yield QueryDocument(group, b"", kind, b"", size, alone or bool(language), tuple(parts))
        else:
            yield Skipped(group, "is a submission without a readable file")
