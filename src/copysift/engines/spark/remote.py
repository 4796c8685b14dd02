"""Sources named by URIs: Spark reads them, and the readers of the local engine take them inside the tasks.

So a record is named, read or left out as on one machine, and documents are in order of input. Files of lines
are read as Spark splits them; tables row by row; everything else as whole files, which Spark holds in a row
of at most 2 GB, but for large packed WARC files: they are unpacked by Spark and streamed.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.engines.phases import OptionFiles
from copysift.engines.reading import fields_of
from copysift.engines.spark.columns import Batches
from copysift.engines.spark.kept_sets import SetsWriter
from copysift.engines.spark.listings import LINES, STREAM, TABLE, WHOLE, FileList, listed
from copysift.engines.spark.records import RECORDS, written
from copysift.engines.spark.session import CONF
from copysift.engines.spark.sketch_tasks import SKETCHES, rows_of
from copysift.engines.spark.streams import Lines, splits
from copysift.errors import InputError
from copysift.settings.corpus import CorpusSettings
from copysift.sources.delimited import table_records
from copysift.sources.field_paths import roots_of
from copysift.sources.jsonl import Batches as Source
from copysift.sources.jsonl import jsonl, lines
from copysift.sources.record_files import fitting, open_source
from copysift.sources.source import Reading
from copysift.sources.walk import WalkSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pyspark.sql import Column, DataFrame, SparkSession

SPLIT = 16 << 20  # bytes of a file in one split
SPLIT_COLUMNS = ("__path", "__start", "__size", "__key")  # named so that no column of a table is
Emit = Callable[[Source, int], Iterator[pa.RecordBatch]]  # records of a part → rows


class Split(NamedTuple):
    """What Spark reads together of a file: the part that it is, and how many lines or rows come before."""

    part: int
    place: str
    form: str
    way: str
    before: int
    open_end: bool


@dataclass(slots=True)
class Remote:
    """Sources at URIs. A session of its own holds how files are split, so that it is the same every time."""

    spark: SparkSession
    names: list[str]
    settings: CorpusSettings
    files: OptionFiles = field(default_factory=OptionFiles)
    _frames: list[DataFrame] = field(default_factory=list)
    _plan: dict[int, Split] = field(default_factory=dict)

    def sketches(self, folder: str) -> DataFrame:
        """Give the sketched rows; with a folder the tasks also write the sets of a run there."""
        settings, files = self.settings, self.files

        def emit(source: Source, part: int) -> Iterator[pa.RecordBatch]:
            records = ((batch, None) for batch in source)
            if not folder:
                yield from rows_of(records, settings, part, files=files)
                return
            with SetsWriter(Path(folder), part) as writer:
                yield from rows_of(records, settings, part, writer.add, files)

        return self._mapped(emit, SKETCHES, whole=False)

    def records(self, edges: NDArray[np.int64]) -> DataFrame:
        """Give all records as they came, with their rows and shards."""
        settings = self.settings

        def emit(source: Source, part: int) -> Iterator[pa.RecordBatch]:
            return written(source, settings, part, edges)

        return self._mapped(emit, RECORDS, whole=True)

    def _mapped(self, emit: Emit, schema: str, whole: bool) -> DataFrame:
        frames, plan = self._planned()
        task = _task(self.spark.sparkContext.broadcast(plan), self.settings, whole, emit)
        return reduce(lambda some, more: some.union(more), (each.mapInArrow(task, schema) for each in frames))

    def _planned(self) -> tuple[list[DataFrame], dict[int, Split]]:
        if not self._frames:
            spark = self.spark.newSession()
            given = {"spark.sql.files.maxPartitionBytes": str(SPLIT), "spark.sql.files.minPartitionNum": "1"}
            for key, value in (CONF | given).items():
                spark.conf.set(key, value)
            seen: list[tuple[FileList, Any]] = []
            for name in self.names:
                found: list[tuple[FileList, Any]] = []
                for group in listed(spark, name, self.settings.input):
                    frame = _frame(spark, group, self.settings)
                    self._frames.append(frame.drop("__path", "__start", "__size"))
                    if group.way == STREAM:  # not unpacked to be counted
                        frame = _frame(spark, group._replace(way=WHOLE), self.settings)
                    found += [(group, row) for row in _counted(frame, group)]
                seen += sorted(found, key=lambda each: (_shown(each[1]["__path"]), each[1]["__start"]))
            self._plan = _numbered(seen)
        return self._frames, self._plan


def _frame(spark: SparkSession, group: FileList, settings: CorpusSettings) -> DataFrame:
    """Let Spark read files; `key` names the split that a row is of."""
    if group.way in (LINES, STREAM):
        found = spark.read.option("lineSep", "\n").text(list(group.files))
    elif group.way == TABLE:
        found = spark.read.format(group.form).load(list(group.places))
        if not roots_of(settings.text_field, found.columns) and not settings.features:
            raise InputError(
                f"{group.places[0]} has no column {settings.text_field!r}",
                hint=f"choose one by --text-field: {', '.join(found.columns)}",
            )
    else:
        found = spark.read.format("binaryFile").load(list(group.files)).select("content")
    path, start = F.col("_metadata.file_path"), F.col("_metadata.file_block_start")
    return found.select(
        "*",
        path.alias("__path"),
        start.alias("__start"),
        F.col("_metadata.file_size").alias("__size"),
        F.xxhash64(path, start).alias("__key"),
    )


def _counted(frame: DataFrame, group: FileList) -> list[Any]:
    """Count the lines, or rows, of every split; whole files are not read for that."""
    columns = list(SPLIT_COLUMNS)
    length: Column = F.lit(0)
    if group.way == LINES:
        length = F.octet_length("value") + 1
        columns.append("value")
    counted = frame.select(*columns).groupBy(*SPLIT_COLUMNS)
    return counted.agg(F.count("__key").alias("rows"), F.sum(length.cast("long")).alias("bytes")).collect()


def _numbered(seen: list[tuple[FileList, Any]]) -> dict[int, Split]:
    plan: dict[int, Split] = {}
    read: dict[str, int] = {}  # bytes of lines of every file, a line end for every line
    for _, row in seen:
        read[row["__path"]] = read.get(row["__path"], 0) + row["bytes"]
    path, before = "", 0
    for part, (group, row) in enumerate(seen):
        before = before if row["__path"] == path else 0
        path = row["__path"]
        last = part + 1 == len(seen) or seen[part + 1][1]["__path"] != path
        plan[row["__key"]] = Split(
            part, _shown(path), group.form, group.way, before, last and read[path] == row["__size"] + 1
        )
        before += row["rows"]
    return plan


def _shown(path: str) -> str:
    """Give the address of a file as people write it."""
    scheme, _, rest = unquote(path).partition(":/")
    return f"{scheme}:///{rest.lstrip('/')}" if scheme == "file" else f"{scheme}:/{rest}"


def _task(plan: Any, settings: CorpusSettings, whole: bool, emit: Emit) -> Callable[[Batches], Batches]:
    reading = Reading(max_bytes=settings.max_bytes_per_file)

    def task(batches: Batches) -> Batches:
        for key, rows in splits(batches):
            split = plan.value[key]
            found = fitting(_read(split, rows, settings, whole), reading)
            yield from emit(found, split.part)

    return task


def _read(split: Split, rows: Batches, settings: CorpusSettings, whole: bool) -> Source:
    """Give the records of a split."""
    fields, limit = fields_of(settings, whole), min(4 << 20, settings.memory // 64)
    if split.way == TABLE:
        done = split.before
        for batch in rows:
            yield from table_records(batch, split.place, fields, limit, done)
            done += len(batch)
        return
    if split.way == LINES:
        stream: IO[bytes] = Lines(rows, split.open_end)  # type: ignore[assignment] # all that is asked of it
        if split.form == "jsonl":
            yield from jsonl(split.place, stream, fields, limit, split.before)
        else:
            yield from lines(split.place, stream, limit, split.before)
        return
    if split.way == STREAM:
        opened: Any = Lines(rows, open_end=False)
        yield from open_source(split.place, split.form, fields, WalkSettings(), limit, opened)
        return
    for batch in rows:
        for content in batch["content"]:
            opened = io.BytesIO(content.as_buffer())
            yield from open_source(split.place, split.form, fields, WalkSettings(), limit, opened)
