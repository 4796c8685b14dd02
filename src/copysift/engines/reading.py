"""How the sources of a corpus are read: records, walks through folders, and functions of --features."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from copysift.engines.phases import Features
from copysift.engines.submissions import submission_records
from copysift.errors import UsageError
from copysift.model.traits import is_raw
from copysift.model.values import Skipped
from copysift.settings.corpus import CorpusSettings
from copysift.sources.fields import Fields
from copysift.sources.formats import format_of
from copysift.sources.inputs import ReadAs
from copysift.sources.record_files import inputs_of, open_source
from copysift.sources.record_segments import Origin, Segment, origins, read_segment, segments
from copysift.sources.source import BATCH_BYTES, WHOLE, Reading
from copysift.sources.walk import WalkSettings, walk_settings

Batches = Iterable[pa.RecordBatch | Skipped]
Origins = Iterable[pa.RecordBatch | Skipped | Origin]


def records(
    sources: Iterable[str], settings: CorpusSettings, whole: bool = False, read_as: ReadAs | None = None
) -> Iterator[pa.RecordBatch | Skipped]:
    """Give the records of all sources, one source after the other; `whole`: with all their fields.

    Markup that does not count is part of what is written, so it stays in texts that are `whole`.
    What could have been read in another way is added to `read_as`.
    """
    fields, walking, reading, limit = _wishes(settings, whole)
    if settings.by == "dir":
        asked = replace(reading, fields=fields, walking=walking, form=settings.input)
        yield from submission_records(list(sources), asked, read_as)
        return
    for source in sources:
        yield from open_source(
            source, settings.input, fields, walking, limit, reading=reading, read_as=read_as
        )


def files_of(sources: Iterable[str], settings: CorpusSettings) -> list[tuple[Origin, Segment]]:
    """List the files of records of sources; refuse files of other things, and two of one name."""
    fields, walking, reading, limit = _wishes(settings, whole=True)
    found: list[tuple[Origin, Segment]] = []
    taken: dict[str, str] = {}
    for source in sources:
        for origin, segment in origins(inputs_of("auto", fields, walking, limit, reading), source):
            other = taken.setdefault(origin.name, origin.place)
            if other != origin.place:
                raise UsageError(
                    f"{other} and {origin.place} would be written to one file",
                    hint="name the folder above them, or a file with -o",
                )
            found.append((origin, segment))
    return found


def records_by_file(
    sources: Iterable[str], settings: CorpusSettings
) -> Iterator[pa.RecordBatch | Skipped | Origin]:
    """Give the records of all sources with all their fields, and before those of a file which one it is."""
    fields, walking, reading, limit = _wishes(settings, whole=True)
    for origin, segment in files_of(sources, settings):
        yield origin
        if segment.found:
            yield from read_segment(inputs_of("auto", fields, walking, limit, reading), segment, ReadAs())
        else:
            yield from open_source(segment.place, settings.input, fields, walking, limit, reading=reading)


def segments_of(sources: Iterable[str], settings: CorpusSettings) -> list[Segment]:
    """Cut sources into segments that can be read in any order; those of submissions are one each.

    A source without any is one segment, which says why when it is read.
    """
    if settings.by == "dir":
        return [Segment(source) for source in sources]
    found: list[Segment] = []
    for source in sources:
        inputs = inputs_of("auto", *_wishes(settings)[:2], BATCH_BYTES, _wishes(settings)[2])
        found += (segments(inputs, source) if settings.input == "auto" else []) or [Segment(source)]
    return found


def whole_files(sources: Iterable[str], settings: CorpusSettings) -> list[Segment]:
    """List the files of sources, or the sources, as segments."""
    if settings.by == "dir":
        return [Segment(source) for source in sources]
    fields, walking, reading, limit = _wishes(settings)
    found: list[Segment] = []
    for source in sources:
        inputs = inputs_of("auto", fields, walking, limit, reading)
        found += segments(inputs, source, split=False) if settings.input == "auto" else [Segment(source)]
    return found


def segment_records(segment: Segment, settings: CorpusSettings, read_as: ReadAs) -> Batches:
    """Give the records of a segment."""
    if not segment.found and segment.part == WHOLE:
        return records([segment.place], settings, read_as=read_as)
    fields, walking, reading, limit = _wishes(settings)
    return read_segment(inputs_of("auto", fields, walking, limit, reading), segment, read_as)


def fields_of(settings: CorpusSettings, whole: bool = False) -> Fields:
    """Name the fields of a record; `whole`: what is carried through is the record as it came."""
    named = settings.features if ":" not in settings.features else ""
    return Fields(settings.id_field, settings.text_field, settings.date_field, named, whole=whole)


def _wishes(settings: CorpusSettings, whole: bool = False) -> tuple[Fields, WalkSettings, Reading, int]:
    """Give which fields are read, which files, what of them, and how much at a time."""
    reading = Reading(
        containers=not settings.no_containers, records=settings.records, binary=is_raw(settings.kind),
        max_bytes=settings.max_bytes_per_file, max_seconds=settings.max_seconds_per_file, blank=not whole,
        filters=settings.filter,
    )  # fmt: skip
    return (
        fields_of(settings, whole),
        walk_settings(settings),
        reading,
        min(BATCH_BYTES, settings.memory // 64),
    )


def plain_size(sources: Iterable[str], settings: CorpusSettings) -> int | None:
    """Give the size of files that hold little but their texts; None if there are others among the sources."""
    total = 0
    for source in sources:
        form = format_of(source) if settings.input == "auto" else settings.input
        if form not in ("jsonl", "csv", "tsv", "lines") or source.endswith((".gz", ".zst", ".zstd")):
            return None
        if not Path(source).is_file():
            return None
        total += Path(source).stat().st_size
    return total or None


def feature_function(features: str) -> Features | None:
    """Load module:function of --features, from the current folder if no module that is installed has it."""
    if ":" not in features:
        return None
    if not {"", str(Path.cwd())} & {*sys.path}:
        sys.path.append(str(Path.cwd()))
    module, _, name = features.partition(":")
    try:
        found: Any = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"cannot load --features {features}: {error}", hint="name it module:function"
        ) from None
    loaded: Features = found
    return loaded
