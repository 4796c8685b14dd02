"""Sources cut into segments, each read by one task with the readers of the local engine.

So a record is named, read or left out as on one machine. Files of lines are cut anywhere: a segment has the
lines that begin in it. Everything else is read whole by one task. The files must lie where every executor
sees them; what lies elsewhere is read by Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa

from copysift.engine.corpus.sets import Sets, Sketched
from copysift.engine.spark.columns import Batches
from copysift.engine.spark.sketching import Records, fields_of, rows_of, table_rows
from copysift.errors import InputError
from copysift.read.sources import Source, format_of, jsonl, lines, open_source
from copysift.read.walk import WalkSettings
from copysift.settings_corpus import CorpusSettings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SPLIT = 16 << 20  # bytes of a file of lines in one segment
_LINES = {"jsonl": (".jsonl", ".ndjson", ".json"), "lines": (".txt",)}


@dataclass(frozen=True, slots=True)
class Segment:
    """A source, or the lines that begin in the half-open bytes start:end of it, `before` lines down."""

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
            raise InputError(f"{place}: there is no such file or folder")
        form = format_of(place) if settings.input == "auto" else settings.input
        plain = form in _LINES and place.endswith(_LINES[form])
        size = Path(place).stat().st_size if plain else 0
        if size <= SPLIT:
            found.append(Segment(place))
            continue
        cuts = [*range(0, size, SPLIT), size]
        found += [Segment(place, form, start, end) for start, end in pairwise(cuts)]
    return _counted(spark, found)


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

    every = spark.range(0, len(segments), 1, len(segments)).mapInArrow(count, "number long, lines long")
    ends = {row["number"]: row["lines"] for row in every.collect()}
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
    """The lines that begin in a segment, as a stream."""

    def __init__(self, segment: Segment) -> None:
        self._file = open(segment.place, "rb")  # noqa: SIM115 - closed with this object
        self._left = segment.end - segment.start
        self.skipped = 0  # the line that began before the segment
        if segment.start:
            self._file.seek(segment.start - 1)
            over = self._file.readline()
            self._left -= len(over) - 1
            self.skipped = 1 if len(over) > 1 else 0

    def read(self, size: int) -> bytes:
        """Read on; the last line is read to its end."""
        if self._left <= 0:
            return b""
        chunk = self._file.read(min(size, self._left))
        self._left -= len(chunk)
        if self._left <= 0 and not chunk.endswith(b"\n"):
            chunk += self._file.readline()
        return chunk

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read(segment: Segment, settings: CorpusSettings) -> Source:
    """Give the records of a segment."""
    fields, limit = fields_of(settings), min(4 << 20, settings.memory // 64)
    if not segment.form:
        walking = WalkSettings(hidden=settings.hidden, include=settings.include, exclude=settings.exclude)
        return open_source(segment.place, settings.input, fields, walking, limit)
    stream: Any = Lines(segment)
    before = segment.before + stream.skipped
    opened: IO[bytes] = stream
    if segment.form == "jsonl":
        return jsonl(segment.place, opened, fields, limit, before)
    return lines(segment.place, opened, limit, before)


def sketches(
    spark: SparkSession, segments: list[Segment], settings: CorpusSettings, schema: str
) -> DataFrame:
    """Give the sketched rows of all segments; the part of a row is the number of its segment."""

    def task(batches: Batches) -> Batches:
        for batch in batches:
            for number in batch["id"].to_pylist():
                yield from _rows(segments[number], settings, number)

    count = max(len(segments), 1)
    return spark.range(0, len(segments), 1, count).mapInArrow(task, schema)


def _rows(segment: Segment, settings: CorpusSettings, number: int) -> Iterator[pa.RecordBatch]:
    if segment.part < 0:
        records: Records = ((batch, None) for batch in read(segment, settings))
        yield from rows_of(records, settings, number)
        return
    sets = Sets(Path(segment.place))
    table = sets.table(segment.part, FACTS)
    values, _ = sets.whole(segment.part)
    yield from table_rows(Sketched(table, values[:0], values), number, 0, None)


FACTS = ["id", "date", "other", "bytes", "words", "shingles", "sampled", "content", "lexical", "sets"]


def adopted(folder: Path) -> list[Segment]:
    """Give the sketched parts of an earlier run as segments."""
    return [Segment(str(folder), part=part) for part in range(Sets(folder).parts)]
