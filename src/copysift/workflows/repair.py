"""Repair an index: save the good postings of damaged segments, and reread the documents that lost some."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from copysift.errors import InputError, StoreError
from copysift.model.values import Skipped
from copysift.store.catalog import FOLDER
from copysift.store.catalog_rows import ContentRow
from copysift.store.check import Verification
from copysift.store.losses import shrink
from copysift.store.segment import Columns, Segment, sorted_columns
from copysift.store.snapshot import Snapshot
from copysift.store.timeline import holders
from copysift.store.writer import Entry, Writer
from copysift.workflows.stored_settings import StoredReader


@dataclass(slots=True)
class Repairs:
    """Documents that had lost fingerprints: names read again, and those that could not be."""

    again: list[str] = field(default_factory=list)
    lost: list[Skipped] = field(default_factory=list)


def repair(snapshot: Snapshot, verified: Verification, reader: StoredReader, writer: Writer) -> Repairs:
    """Repair in one commit; a document that cannot be read again keeps the fingerprints that are left."""
    done = Repairs()
    contents = snapshot.contents(list(verified.short))
    for number, left in sorted(verified.short.items()):
        _mend(contents[number], left, int(verified.distinct[number]), snapshot, reader, writer, done)
    for row in writer.catalog.segments():
        path = writer.catalog.segment_path(row.number)
        if f"{FOLDER}/{path.name}" not in verified.segments:
            continue
        columns = _sound(path, row.low, row.high)
        writer.drop_segment(row)
        if columns is not None and len(columns.keys):
            writer.write_run(sorted_columns(columns), writer.number("run"), row.low, row.high)
    writer.catalog.run(
        "DELETE FROM merges WHERE run NOT IN (SELECT target FROM segments WHERE target IS NOT NULL)"
    )
    writer.commit(merge=False)
    return done


def _sound(path: Path, low: int, high: int) -> Columns | None:
    try:
        segment = Segment(path, low, high)
    except (FileNotFoundError, StoreError):
        return None
    columns, _ = segment.read(0, segment.pages)
    tops = (columns.keys >> np.uint64(32)).astype(np.int64)
    return columns.take((tops >= low) & (tops < high))


def _mend(
    content: ContentRow, left: int, distinct: int, snapshot: Snapshot, reader: StoredReader, writer: Writer,
    done: Repairs,
) -> None:  # fmt: skip
    documents = holders(snapshot.catalog, content.number)
    found, why = None, ""
    for document in documents:
        try:
            found = reader.views(
                content.kind,
                lambda document=document: reader.content(document, content, content.kind),  # type: ignore[misc]
            )
            break
        except InputError as error:
            why = error.message
    if found is None:
        shrink(writer, content.number, left, distinct)
        some = "" if content.lost else f"{content.fingerprints - left:,} "
        done.lost += [Skipped(document.name, f"lost {some}fingerprints: {why}") for document in documents]
        return
    text = snapshot.text(content.number)
    entry = Entry("", content.original, content.kind, content.bytes)
    writer.replace_content(content.number, left, entry, found, None if text is None else [text])
    done.again += [document.name for document in documents]
