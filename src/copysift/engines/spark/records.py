"""Records read again, whole, to be written: each with its row, which is that of its sketch, and its shard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa

from copysift.engines.phases import OptionFiles
from copysift.engines.record_output import records_of
from copysift.engines.record_writers import encoded
from copysift.model.values import Skipped
from copysift.settings.corpus import CorpusSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

RECORDS = "row long, shard int, record string"


class RecordSources(Protocol):
    """Sources that are read by tasks, twice the same: a record has the same row both times."""

    files: OptionFiles  # what the options say that name files

    def sketches(self, folder: str) -> DataFrame:
        """Give the sketched rows; with a folder the tasks also write the sets of a run there."""

    def records(self, edges: NDArray[np.int64]) -> DataFrame:
        """Give all records as they came; `edges` are the first rows of all shards but the first."""


def written(
    batches: Iterable[pa.RecordBatch | Skipped], settings: CorpusSettings, part: int, edges: NDArray[np.int64]
) -> Iterator[pa.RecordBatch]:
    """Give the records of a part as JSON."""
    place = 0
    for batch in batches:
        if isinstance(batch, Skipped):
            continue
        every = np.ones(len(batch), np.bool_)
        texts = [
            record if isinstance(record, str) else encoded(record).decode()
            for _, record, _ in records_of(batch, every, settings)
        ]
        row = (part << 32) + np.arange(place, place + len(batch), dtype=np.int64)
        shard = np.searchsorted(edges, row, side="right").astype(np.int32)
        yield pa.RecordBatch.from_pydict(
            {"row": pa.array(row), "shard": pa.array(shard), "record": pa.array(texts, pa.string())}
        )
        place += len(batch)
