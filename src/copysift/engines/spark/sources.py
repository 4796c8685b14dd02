"""Sources cut into segments, each read by one task with the readers of the local engine.

So a record is named, read or left out as on one machine. Files of lines are cut anywhere: a segment has the
lines that start in it. Everything else is read whole by one task; a task takes small files together. The
files must lie where every executor sees them; what lies elsewhere is read by Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa

from copysift.engines.phases import OptionFiles
from copysift.engines.reading import fields_of, records
from copysift.engines.spark.columns import Batches
from copysift.engines.spark.kept_sets import SetsWriter
from copysift.engines.spark.records import RECORDS, written
from copysift.engines.spark.sketch_tasks import (
    SKETCHES,
    Keep,
    Records,
    Summary,
    rows_of,
    table_rows,
)
from copysift.errors import InputError
from copysift.model.traits import is_raw
from copysift.runs import tables
from copysift.runs.sets import Sets
from copysift.runs.sketches import SketchedPart
from copysift.settings.corpus import CorpusSettings
from copysift.sources.formats import format_of
from copysift.sources.json_array import is_array
from copysift.sources.jsonl import Batches as Source
from copysift.sources.jsonl import jsonl, lines
from copysift.sources.record_files import fitting, open_source
from copysift.sources.source import Reading
from copysift.sources.walk import walk_settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame, SparkSession

SPLIT = 16 << 20  # bytes of a file of lines in one segment
HERE = 256 << 20  # bytes whose lines are counted faster than a job would start
_LINES = {"jsonl": (".jsonl", ".ndjson", ".json"), "lines": (".txt",)}


@dataclass(frozen=True, slots=True)
class Segment:
    """A source, or the lines that start in the half-open bytes start:end of it, `before` lines down."""

    place: str
    form: str = ""
    start: int = 0
    end: int = 0
    before: int = 0
    part: int = -1  # of an earlier run, whose folder is the place


def plan(spark: SparkSession, sources: Iterable[str], settings: CorpusSettings) -> list[Segment]:
    """Cut sources into segments, in order."""
    found: list[Segment] = []
    for place in sources:
        if place != "-" and not Path(place).exists():
            raise InputError(f"{place}: no such file or folder")
        form = format_of(place) if settings.input == "auto" else settings.input
        plain = settings.by != "dir" and form in _LINES and place.endswith(_LINES[form])
        size = Path(place).stat().st_size if plain else 0
        if size <= SPLIT or (form == "jsonl" and _is_array(place)):
            found.append(Segment(place))
            continue
        cuts = [*range(0, size, SPLIT), size]
        found += [Segment(place, form, start, end) for start, end in pairwise(cuts)]
    return _counted(spark, found)


def _is_array(place: str) -> bool:
    with open(place, "rb") as file:
        return is_array(file.read(4096))


def _counted(spark: SparkSession, segments: list[Segment]) -> list[Segment]:
    """Count the lines before every segment."""
    if not any(segment.form for segment in segments):
        return segments

    def count(batches: Batches) -> Batches:
        for batch in batches:
            for number in batch["id"].to_pylist():
                yield pa.RecordBatch.from_pydict(
                    {"number": [number], "lines": [_line_ends(segments[number])]}
                )

    if sum(segment.end - segment.start for segment in segments) <= HERE:
        return _with_lines(segments, [_line_ends(segment) for segment in segments])
    tasks = min(len(segments), 4 * spark.sparkContext.defaultParallelism)
    every = spark.range(0, len(segments), 1, tasks).mapInArrow(count, "number long, lines long")
    ends = {row["number"]: row["lines"] for row in every.collect()}
    return _with_lines(segments, [ends[number] for number in range(len(segments))])


def _with_lines(segments: list[Segment], ends: list[int]) -> list[Segment]:
    out, seen, place = [], 0, ""
    for number, segment in enumerate(segments):
        seen = 0 if segment.place != place or not segment.start else seen
        place = segment.place
        out.append(replace(segment, before=seen))
        seen += ends[number]
    return out


def _line_ends(segment: Segment) -> int:
    if not segment.form:
        return 0
    found, left = 0, segment.end - segment.start
    with open(segment.place, "rb") as file:
        file.seek(segment.start)
        while left and (chunk := file.read(min(left, 1 << 22))):
            found += chunk.count(b"\n")
            left -= len(chunk)
    return found


class Lines:
    """The lines that start in a segment, as a stream."""

    def __init__(self, segment: Segment) -> None:
        self._file = open(segment.place, "rb")  # noqa: SIM115 - closed with this object
        self._left = segment.end - segment.start
        self.skipped = 0  # the line that began before the segment
        if segment.start:
            self._file.seek(segment.start - 1)
            over = self._file.readline()
            self._left -= len(over) - 1
            self.skipped = 1 if len(over) > 1 else 0
        self._ended = self._left <= 0

    def readinto(self, buffer: memoryview) -> int:
        """Read on; the last line is read to its end."""
        if self._ended:
            return 0
        if self._left > 0:
            got = self._file.readinto(buffer[: self._left])
            self._left -= got
            self._ended = not got or (self._left <= 0 and buffer[got - 1] == ord("\n"))
            return got
        rest = self._file.readline(len(buffer))
        buffer[: len(rest)] = rest
        self._ended = not rest or rest.endswith(b"\n")
        return len(rest)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read(segment: Segment, settings: CorpusSettings, whole: bool = False) -> Source:
    """Give the records of a segment; `whole`: with all their fields."""
    if settings.by == "dir":
        return records([segment.place], settings, whole)
    fields, limit = fields_of(settings, whole), min(4 << 20, settings.memory // 64)
    if not segment.form:
        walking = walk_settings(settings)
        reading = Reading(
            containers=not settings.no_containers, records=settings.records, binary=is_raw(settings.kind),
            max_bytes=settings.max_bytes_per_file, max_seconds=settings.max_seconds_per_file,
            blank=not whole, filters=settings.filter,
        )  # fmt: skip
        return open_source(segment.place, settings.input, fields, walking, limit, reading=reading)
    stream: Any = Lines(segment)
    before = segment.before + stream.skipped
    opened: IO[bytes] = stream
    if segment.form == "jsonl":
        found = jsonl(segment.place, opened, fields, limit, before)
    else:
        found = lines(segment.place, opened, limit, before)
    return fitting(found, Reading(max_bytes=settings.max_bytes_per_file))


Part = tuple[Segment, ...]  # what one task reads


def parts_of(segments: Iterable[Segment]) -> list[Part]:
    """Put small files that follow each other together, up to the size of a segment."""
    parts: list[Part] = []
    size = SPLIT
    for segment in segments:
        own = segment.end - segment.start if segment.form else _size(segment)
        if parts and size + own <= SPLIT and segment.part < 0 and parts[-1][-1].part < 0:
            parts[-1] += (segment,)
            size += own
        else:
            parts.append((segment,))
            size = own
    return parts


def _size(segment: Segment) -> int:
    path = Path(segment.place)
    return path.stat().st_size if segment.part < 0 and path.is_file() else SPLIT


def sketches(
    spark: SparkSession,
    parts: list[Part],
    settings: CorpusSettings,
    schema: str,
    folder: str = "",
    files: OptionFiles | None = None,
) -> DataFrame:
    """Give the sketched rows of all parts; with a folder the tasks also write the sets of a run there."""

    def task(batches: Batches) -> Batches:
        for batch in batches:
            for number in batch["id"].to_pylist():
                if not folder:
                    yield from _rows(parts[number], settings, number, None, files)
                    continue
                with SetsWriter(Path(folder), number) as writer:
                    yield from _rows(parts[number], settings, number, writer.add, files)

    return spark.range(0, len(parts), 1, max(len(parts), 1)).mapInArrow(task, schema)


def _rows(
    part: Part, settings: CorpusSettings, number: int, keep: Keep | None, files: OptionFiles | None = None
) -> Iterator[pa.RecordBatch]:
    if part[0].part < 0:
        records: Records = ((batch, None) for segment in part for batch in read(segment, settings))
        yield from rows_of(records, settings, number, keep, files)
        return
    sets = Sets(Path(part[0].place))
    places, order = sets.order(part[0].part)
    table = sets.table(part[0].part, FACTS).append_column("places", pa.array(places))
    table = table.append_column("kind", sets.kinds(part[0].part))
    values, _ = sets.full(part[0].part)
    sketched, summary = SketchedPart(table, values, order), Summary(number, settings.modulus)
    if keep is not None:
        keep(sketched)
    yield from table_rows(sketched, number, 0, None, settings.modulus, keep is None)
    summary.add(sketched)
    yield summary.row(None)


FACTS = ["id", "date", "other", "bytes", "words", "shingles", "content", "lexical", "sets"]


@dataclass(slots=True)
class Files:
    """Files that every executor sees, after the sketched parts of an earlier run."""

    spark: SparkSession
    names: list[str]
    settings: CorpusSettings
    segments: tuple[Segment, ...] = ()
    files: OptionFiles = field(default_factory=OptionFiles)
    _parts: list[Part] = field(default_factory=list)
    _earlier: int = 0

    def sketches(self, folder: str) -> DataFrame:
        """Give the sketched rows; with a folder the tasks also write the sets of a run there."""
        return sketches(self.spark, self._planned(), self.settings, SKETCHES, folder, self.files)

    def records(self, edges: NDArray[np.int64]) -> DataFrame:
        """Give all records as they came, with their rows and shards."""
        parts, settings = self._planned(), self.settings

        def task(batches: Batches) -> Batches:
            for batch in batches:
                for number in batch["id"].to_pylist():
                    found = (
                        each for segment in parts[number] for each in read(segment, settings, whole=True)
                    )
                    yield from written(found, settings, number, edges)

        new = [number for number, part in enumerate(parts) if part[0].part < 0]
        first = new[0] if new else len(parts)  # those of an earlier run come first, and are not read
        tasks = max(len(parts) - first, 1)
        return self.spark.range(first, len(parts), 1, tasks).mapInArrow(task, RECORDS)

    def earlier_parts(self) -> int:
        """Count the parts of earlier documents (--earlier), which come before the others."""
        self._planned()
        return self._earlier

    def _planned(self) -> list[Part]:
        if not self._parts:
            of_run = any(tables.is_corpus(Path(each)) for each in self.settings.earlier)
            past = [] if of_run else plan(self.spark, self.settings.earlier, self.settings)
            before = parts_of(self.segments if of_run else past)
            self._earlier = len(before)
            others = [] if of_run else self.segments
            self._parts = before + parts_of([*others, *plan(self.spark, self.names, self.settings)])
        return self._parts


def adopted(folder: Path) -> list[Segment]:
    """Give the sketched parts of an earlier run as segments."""
    return [Segment(str(folder), part=part) for part in range(Sets(folder).parts)]
