"""What stays and who goes, written by tasks: files as the local engine names them, or folders at a URI."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import functions as F  # noqa: N812 - the name that every PySpark program uses

from copysift.engines.output_targets import removed_path, shard_paths, whole
from copysift.engines.record_writers import ROWS, columns_of, encoded, fitted, maker
from copysift.engines.spark import limits, tables
from copysift.engines.spark import shards as sharding
from copysift.engines.spark.columns import Batches
from copysift.engines.spark.records import RecordSources
from copysift.engines.spark.storage import Store
from copysift.errors import UsageError
from copysift.model.values import TAKEN
from copysift.sources.replacement import parsed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from copysift.engines.spark.corpus import SparkCorpus

LISTED = ("document", "kept", "reason", "resemblance", "containment")


def kept(
    corpus: SparkCorpus, reading: RecordSources, removed: DataFrame, gone: int, first: int, shards: int
) -> DataFrame:
    """Give (number, shard, record) of what stays; few that go are sent to all tasks."""
    edges = sharding.edges(corpus, removed, first, shards)
    whole = corpus.numbers.give(reading.records(edges))
    numbers = removed.select("number")
    others = F.broadcast(numbers) if gone <= limits.SENT else numbers
    return whole.join(others, "number", "left_anti").select("number", "shard", "record")


def listed(corpus: SparkCorpus, removed: DataFrame) -> DataFrame:
    """Give who goes for which, by their names; after them the records that were left out, for nobody."""
    ids = tables.names(corpus)
    named = removed.join(ids.toDF("number", "document"), "number").withColumnRenamed("kept", "other")
    gone = named.join(ids.toDF("other", "kept"), "other").select(F.lit(0).alias("rank"), "number", *LISTED)
    unread = corpus.left_out().where(~F.col("reason").isin(*TAKEN))
    name, nobody, nothing = F.col("id"), F.lit(None).cast("string"), F.lit(None).cast("double")
    return gone.union(unread.select(F.lit(1), "row", name, nobody, "reason", nothing, nothing))


class Files:
    """OUT.jsonl or OUT.parquet in a folder that every executor sees, and OUT.removed beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        maker(self.path)

    def write_kept(self, records: DataFrame, shards: int, store: Store) -> None:
        """Write the shards, one task each; they are put in place when all are written."""
        with whole(shard_paths(self.path, shards)) as parts:
            _written(sharding.divided(records.sparkSession, records, shards).select("record"), parts)

    def write_removed(self, rows: DataFrame) -> None:
        """Write the list of who goes."""
        with whole([removed_path(self.path)]) as parts:
            ordered = rows.repartition(1).sortWithinPartitions("rank", "number")
            _written(ordered.select(*LISTED), parts)


def _written(frame: DataFrame, paths: list[Path]) -> None:
    """Write partition n to path n; a task that is repeated writes again, the same."""
    names = [str(path) for path in paths]

    def task(batches: Batches) -> Batches:
        context = TaskContext.get()
        assert context is not None
        path = Path(names[context.partitionId()])
        own = path.with_name(f"{path.name}.{uuid4().hex}")
        try:
            writer = maker(path.with_suffix("") if path.suffix == ".part" else path)(own)
            for batch in batches:
                for record in _rows(batch):
                    writer.write(record)
            writer.close()
            own.replace(path)
        finally:
            own.unlink(missing_ok=True)
        yield pa.RecordBatch.from_pydict({"done": [1]})

    frame.mapInArrow(task, "done long").count()
    for path in paths:
        if not path.exists():  # a partition without a row has no task
            maker(path.with_suffix(""))(path).close()


def _rows(batch: pa.RecordBatch) -> Iterator[dict[str, Any] | str]:
    if batch.schema.names == ["record"]:
        yield from batch["record"].to_pylist()
    else:
        yield from batch.to_pylist()


class Folders:
    """The same as folders of part files, by Spark's own writers, in whatever file system it knows."""

    def __init__(self, spark: SparkSession, target: str) -> None:
        self._target = target.rstrip("/")
        name = Path(self._target.rpartition("/")[2])
        maker(name)
        self._suffix = name.suffix
        self._removed = self._target.removesuffix(name.name) + removed_path(name).name
        for place in (self._target, self._removed):
            if Store(spark, place).exists():
                raise UsageError(f"{place} exists", hint="name another by -o, or remove it")

    def write_kept(self, records: DataFrame, shards: int, store: Store) -> None:
        """Write as many files as there are tasks, or this many shards."""
        spark, schema = records.sparkSession, None
        if self._suffix == ".parquet":  # the columns follow from the first records
            records = store.keep(records, "kept")
            schema = _schema(records)
        frame = sharding.divided(spark, records, shards) if shards > 1 else records
        lines = frame.select("record")
        if schema is None:
            lines.write.text(self._target)
        else:
            lines.mapInArrow(_fitted(schema), _spelled(schema)).write.parquet(self._target)

    def write_removed(self, rows: DataFrame) -> None:
        """Write the list of who goes."""
        ordered = rows.orderBy("rank", "number").select(*LISTED)
        if self._suffix == ".parquet":
            empty = F.lit(None).cast("string")  # the column that every Parquet file of records has
            ordered.withColumn("other", empty).write.parquet(self._removed)
        else:
            ordered.mapInArrow(_lines, "record string").write.text(self._removed)


def _lines(batches: Batches) -> Batches:
    for batch in batches:
        lines = [encoded(row).decode() for row in batch.to_pylist()]
        yield pa.RecordBatch.from_pydict({"record": pa.array(lines, pa.string())})


def _schema(records: DataFrame) -> pa.Schema:
    """Give the columns of the first few thousand records, as the local engine has them."""

    def task(batches: Batches) -> Batches:
        rows = [parsed(record) for batch in batches for record in batch["record"].to_pylist()]
        spelled = columns_of(rows).serialize().to_pybytes()
        yield pa.RecordBatch.from_pydict({"schema": pa.array([spelled], pa.binary())})

    first = records.orderBy("number").limit(ROWS).select("record").repartition(1)
    told = first.mapInArrow(task, "schema binary").collect()
    return pa.ipc.read_schema(pa.py_buffer(told[0]["schema"])) if told else columns_of([])


def _fitted(schema: pa.Schema) -> Any:
    packed = schema.serialize().to_pybytes()

    def task(batches: Batches) -> Batches:
        known = pa.ipc.read_schema(pa.py_buffer(packed))
        for batch in batches:
            rows = [fitted(parsed(record), known) for record in batch["record"].to_pylist()]
            yield from pa.Table.from_pylist(rows, known).to_batches()

    return task


def _spelled(schema: pa.Schema) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)
