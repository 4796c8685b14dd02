"""Write what stays of a corpus, with the removed documents beside it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
import pyarrow as pa

from copysift.engines.decision import Decision
from copysift.engines.output_targets import removed_path, target_of, whole
from copysift.engines.record_writers import STANDARD_OUTPUT, Record, SameTable, maker
from copysift.engines.submissions import count_of
from copysift.engines.texts import readable
from copysift.model.values import Skipped
from copysift.runtime.encoding import to_utf8
from copysift.settings.corpus import CorpusSettings
from copysift.sources.field_paths import is_nested
from copysift.sources.fields import TEXT_FIELD
from copysift.sources.record_segments import Origin
from copysift.sources.records import RAW, ROW

if TYPE_CHECKING:
    from copysift.engines.reading import Origins

# id, record (or its line) and text → the record to write, or none
Change = Callable[[str, Record | str, bytes], Record | str | None]


def write_kept(
    batches: Origins,
    stays: np.ndarray[Any, np.dtype[np.bool_]] | None,
    path: Path,
    shards: int,
    settings: CorpusSettings,
    change: Change | None = None,
    sources: Iterable[str] = (),
    *,
    same: bool = True,
    total: int = 0,
) -> int:
    """Read the records again and write those that stay; give how many of these are not text.

    JSON and tables have them as text, with U+FFFD instead of bytes that are none. If the records stay the
    `same` but for their texts, rows of tables with one schema are written as they came to such a table. In a
    folder every `Origin` among the batches starts a file of that name. None as `stays`: all of them, which
    are `total`.
    """
    total = total if stays is None else int(np.count_nonzero(stays))
    number = written = binary = 0
    with contextlib.ExitStack() as stack:
        kept = target_of(path, shards, settings, total, list(sources), stack, same=same)
        for batch in batches:
            if isinstance(batch, Origin):
                kept.begin(batch)
            if isinstance(batch, Skipped | Origin):
                continue
            some = np.ones(len(batch), np.bool_)
            if stays is not None:  # of a submission all or nothing does
                some &= stays[number : number + count_of(batch)]
            places = np.flatnonzero(some).tolist()
            for place, (name, record, text) in zip(places, records_of(batch, some, settings), strict=True):
                made: Record | str | None = record
                if change is not None:
                    made = change(name, record, text)
                writer = kept.writer(written)
                if isinstance(writer, SameTable) and made is not None:
                    changed = made if isinstance(made, dict) and change else None
                    writer.write_row(batch[ROW][place : place + 1], changed)
                elif made is not None:
                    writer.write(made)
                written += 1
            if settings.kind == "bytes" and batch.schema.metadata == RAW:
                binary += sum(to_utf8(batch["text"][at].as_py())[1] is None for at in places)
            number += count_of(batch)
        kept.finish()
    return binary


def drop_kept(
    batches: Origins,
    stays: None,
    path: Path,
    shards: int,
    settings: CorpusSettings,
    change: Change,
    sources: Iterable[str] = (),
    *,
    same: bool = True,
    total: int = 0,
) -> int:
    """Do all that `write_kept` does but write: for a dry run."""
    for batch in batches:
        if not isinstance(batch, Skipped | Origin):
            for name, record, text in records_of(batch, np.ones(len(batch), np.bool_), settings):
                change(name, record, text)
    return 0


def records_of(
    batch: pa.RecordBatch, stays: np.ndarray[Any, np.dtype[np.bool_]], settings: CorpusSettings
) -> Iterator[tuple[str, Record | str, bytes]]:
    """Give ids, records and texts; a record that came with fields of its own is the JSON that it was."""
    raw = batch.schema.metadata == RAW
    columns = [batch[name] for name in ("id", "text", "date", "other")]
    for place in np.flatnonzero(stays).tolist():
        name, text, date, whole = (column[place].as_py() for column in columns)
        shown = readable(text, settings.html) if raw else text
        if whole is not None and not raw:
            yield name, whole, shown
            continue
        record: Record = {
            settings.id_field or "id": name,
            plain_text_field(settings): shown.decode("utf-8", "replace"),
        }
        if date is not None:
            record[settings.date_field or "date"] = date
        if whole is not None:  # what is said about a page
            record |= orjson.loads(whole)
        yield name, record, shown


def plain_text_field(settings: CorpusSettings) -> str:
    """Name the field of a text that came without a record."""
    return TEXT_FIELD if is_nested(settings.text_field) else settings.text_field


def write_removed(
    path: Path,
    decision: Decision,
    first: int = 0,
    skipped: Iterable[Skipped] = (),
    gone: Iterable[Record] = (),
) -> None:
    """Write who was removed, why, and who was kept instead; and the records that could not be read.

    Documents before the `first` are not listed. `gone` are rows of documents of which nothing was left.
    """
    found = decision.measured
    kept = decision.kept.tolist()
    removed = (
        {
            "document": decision.ids[number],
            "kept": decision.ids[kept[number]],
            **({"earlier": kept[number] < decision.earlier} if decision.earlier else {}),
            "reason": decision.reason[place],
            "resemblance": float(found.resemblance[place]),
            "containment": float(found.containment_left[place]),
        }
        for place, number in enumerate(decision.removed.tolist())
        if number >= first
    )
    nothing = dict.fromkeys(("resemblance", "containment"))
    write_list(path, chain(removed, (row | nothing for row in gone), map(skipped_row, skipped)))


def skipped_row(note: Skipped) -> Record:
    """Give a record that could not be read as a row of the list of removed documents."""
    nothing = dict.fromkeys(("resemblance", "containment"))
    return {"document": note.name, "kept": None, "reason": note.reason} | nothing


def write_list(path: Path, removed: Iterable[Record]) -> None:
    """Write the list of removed documents beside an output."""
    write_beside(removed_path(path), removed)


def write_beside(path: Path, rows: Iterable[Record]) -> None:
    """Write a list, whole or not at all; beside standard output there is none."""
    if path == STANDARD_OUTPUT:
        return
    with whole([path]) as parts:
        writer = maker(path)(parts[0])
        for row in rows:
            writer.write(row)
        writer.close()
