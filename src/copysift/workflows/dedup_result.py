"""What `copysift.dedup` gives for files: counts, the records that stay, and those that go with the reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from copysift.engines.output_targets import removed_path
from copysift.engines.record_writers import columns_of, fitted
from copysift.model.contamination import Contamination
from copysift.model.tables import html_table, known_table, require
from copysift.model.values import Skipped
from copysift.runtime.plurals import plural
from copysift.sources.replacement import parsed

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Part = Literal["kept", "removed"]


@dataclass(frozen=True, slots=True, repr=False)
class DedupResult:
    """What stays of some files, and what goes.

    `documents`, `kept` and `removed` are counts, `reasons` counts why documents go. The tables are
    those of the output, or in memory where no output was named.

    >>> done = copysift.dedup("essays")
    >>> done
    <DedupResult: 15 documents, 9 kept, 6 removed>
    >>> done.to_arrow("removed").column_names
    ['document', 'kept', 'reason', 'resemblance', 'containment']
    """

    documents: int
    kept: int
    removed: int
    reasons: dict[str, int]
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()
    output: Path | None = None
    tables: dict[str, pa.Table] = field(default_factory=dict, compare=False)
    contamination: Contamination | None = None  # what the files have of benchmarks, where asked for

    def to_arrow(self, part: Part = "kept") -> pa.Table:
        """Give the kept records, or the removed documents with the reason, as an Arrow table.

        >>> copysift.dedup("essays").to_arrow("removed").num_rows
        6
        """
        known_table(part, ("kept", "removed"))
        if self.output is None:
            return self.tables[part]
        return read_output(self.output if part == "kept" else removed_path(self.output))

    def to_pandas(self, part: Part = "kept") -> pd.DataFrame:
        """Give them as a pandas frame; needs pandas.

        >>> copysift.dedup("essays").to_pandas("removed").document[0]
        'essays/bees.txt'
        """
        require("pandas")
        return self.to_arrow(part).to_pandas()

    def to_polars(self, part: Part = "kept") -> pl.DataFrame:
        """Give them as a Polars frame; needs polars.

        >>> copysift.dedup("essays").to_polars("removed")["document"][0]
        'essays/bees.txt'
        """
        require("polars")
        import polars

        return polars.DataFrame(self.to_arrow(part))

    def __repr__(self) -> str:
        return f"<DedupResult: {self._summary()}>"

    def _repr_html_(self) -> str:
        return html_table(self._summary(), ("reason", "removed"), self.reasons.items())

    def _summary(self) -> str:
        return f"{plural(self.documents, 'document')}, {self.kept:,} kept, {self.removed:,} removed"


def read_output(path: Path) -> pa.Table:
    """Read what dedup wrote; a column for further fields that none has is left out."""
    if path.suffix == ".parquet":
        table = pq.read_table(path)
    else:
        rows = [parsed(line) for line in path.read_text(encoding="utf-8").splitlines()]
        schema = columns_of(rows)
        table = pa.Table.from_pylist([fitted(row, schema) for row in rows], schema)
    empty = "other" in table.column_names and table["other"].null_count == len(table)
    return table.drop_columns("other") if empty else table
