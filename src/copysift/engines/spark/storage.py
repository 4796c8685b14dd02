"""Where a run keeps what its phases leave: a folder of any file system that Spark knows.

A table is a folder of Parquet; `PHASE.json` says that a phase is done. Through Hadoop's file systems, so
that s3a://, hdfs:// and plain paths are the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from pyspark.sql import Observation

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructType


class Store:
    """A folder of tables and markers."""

    def __init__(self, spark: SparkSession, place: str) -> None:
        self.spark = spark
        self.place = place.rstrip("/")
        self._left: dict[str, dict[str, Any]] = {}
        self._schemas: dict[str, StructType] = {}  # Spark need not look for what was just written

    def begin(self, job: dict[str, Any]) -> bool:
        """Start a job, or resume it; say whether the folder was free for it."""
        system, path = self._hadoop(self.place)
        if system.exists(path) and len(system.listStatus(path)):
            return self.left("job") == job
        self.mark("job", job)
        return True

    def path(self, name: str) -> str:
        """Give the place of a table."""
        return f"{self.place}/{name}"

    def uri(self, name: str) -> str:
        """Give the place of a table with its file system."""
        system, path = self._hadoop(self.path(name))
        return str(system.makeQualified(path).toUri().toString())

    def folder(self, name: str) -> str:
        """Give the place of a table as a path, where its files are those of the machine; else ""."""
        system, path = self._hadoop(self.path(name))
        uri = system.makeQualified(path).toUri()
        return str(uri.getPath()) if uri.getScheme() == "file" else ""

    def write(self, frame: DataFrame, name: str, **counts: Column) -> dict[str, Any]:
        """Write a table; what was there goes. Give sums over its rows, counted while they are written."""
        self._schemas[name] = frame.schema

        def write(rows: DataFrame) -> None:
            written = rows.write.mode("overwrite").option("parquet.enable.dictionary", "false")
            if "values" in frame.columns:
                written = written.option("compression", "none")  # hashes neither repeat nor pack
            written.parquet(self.path(name))

        return self.counted(frame, counts, write)

    def counted(
        self, frame: DataFrame, counts: dict[str, Column], write: Callable[[DataFrame], None]
    ) -> dict[str, Any]:
        """Give sums over the rows of a table, counted while they are written."""
        seen = Observation()
        if counts:
            frame = frame.observe(seen, *(column.alias(key) for key, column in counts.items()))
        write(frame)
        return {key: _plain(value) for key, value in seen.get.items()} if counts else {}

    def read(self, name: str) -> DataFrame:
        """Read a table."""
        reader = self.spark.read
        if name in self._schemas:
            reader = reader.schema(self._schemas[name])
        return reader.parquet(self.path(name))

    def keep(self, frame: DataFrame, name: str) -> DataFrame:
        """Write a table and read it back."""
        self.write(frame, name)
        return self.read(name)

    def done(self, phase: str) -> bool:
        """Say whether a phase is done."""
        return bool(self.left(phase))

    def left(self, phase: str) -> dict[str, Any]:
        """Give what a phase has left beside its tables; nothing when it is still to do."""
        if phase not in self._left:
            loaded = self.text(f"{phase}.json")
            if not loaded:
                return {}
            self._left[phase] = json.loads(loaded)
        return self._left[phase]

    def mark(self, phase: str, left: dict[str, Any]) -> None:
        """Mark a phase as done."""
        self.put(f"{phase}.json", json.dumps(left))
        self._left[phase] = left

    def text(self, name: str) -> str:
        """Read a small file; "" when it is not there."""
        system, path = self._hadoop(self.path(name))
        if not system.exists(path):
            return ""
        stream = system.open(path)
        try:
            read: str = self._java().org.apache.commons.io.IOUtils.toString(stream, "UTF-8")
            return read
        finally:
            stream.close()

    def put(self, name: str, content: str) -> None:
        """Write a small file whole: beside its place first."""
        system, part = self._hadoop(self.path(f".{name}.{uuid4().hex}.part"))
        stream = system.create(part, True)
        stream.write(bytearray(content.encode()))
        stream.close()
        _, path = self._hadoop(self.path(name))
        system.delete(path, False)
        system.rename(part, path)

    def drop(self, *names: str) -> None:
        """Remove tables or files; without names everything."""
        for name in names or ("",):
            system, path = self._hadoop(self.path(name) if name else self.place)
            system.delete(path, True)

    def exists(self, name: str = "") -> bool:
        """Say whether something is there."""
        system, path = self._hadoop(self.path(name) if name else self.place)
        return bool(system.exists(path))

    def _java(self) -> Any:
        return self.spark.sparkContext._jvm

    def _hadoop(self, place: str) -> tuple[Any, Any]:
        path = self._java().org.apache.hadoop.fs.Path(place)
        return path.getFileSystem(self.spark.sparkContext._jsc.hadoopConfiguration()), path


def _plain(value: Any) -> Any:
    return value if isinstance(value, bytes | bytearray) else int(value or 0)
