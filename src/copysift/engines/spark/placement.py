"""Small tables that every task looks into: tasks write them to the store, and a worker reads them once.

The driver does not. A folder is one that every executor sees. From any other file system Spark brings the
files to the disk of each executor, and to the driver's, through Hadoop; that lasts only while they are
needed, since an executor that starts later would look for them in vain.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark import SparkFiles

from copysift.engines.spark.columns import unsigned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.engines.spark.storage import Store

    UInt64s = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """A table that tasks read as files: in a folder, or among those that Spark has brought."""

    name: str
    folder: str

    def tables(self) -> Iterator[pa.Table]:
        """Read the files inside a task."""
        folder = Path(self.folder or SparkFiles.get(self.name))
        for path in sorted(folder.glob("*.parquet")):
            yield pq.ParquetFile(path).read()


def named(table: str) -> str:
    """Give a name that no other run of the session has: brought files all lie in one folder."""
    return f"{table}-{uuid4().hex}"


@contextlib.contextmanager
def placed(store: Store, name: str) -> Iterator[PlacedTable | None]:
    """Let tasks read a table of the store; it goes afterwards. None without a name."""
    if not name:
        yield None
        return
    context = store.spark.sparkContext
    folder, uri = store.folder(name), store.uri(name)
    if not folder:
        context.addFile(uri, recursive=True)
    try:
        yield PlacedTable(name, folder)
    finally:
        if not folder:
            context._jsc.sc().addedFiles().get("default").get().remove(uri)  # Spark has no other way
        store.drop(name)


@functools.lru_cache(maxsize=1)
def shingles_of(table: PlacedTable) -> UInt64s:
    """Give the shingles of a table, ascending."""
    return np.sort(
        np.concatenate([np.zeros(0, np.uint64), *(unsigned(t["shingle"]) for t in table.tables())])
    )
