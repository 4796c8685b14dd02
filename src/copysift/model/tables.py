"""Results as tables of Arrow, pandas and Polars, and as a small table in notebooks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Literal

from copysift.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

Table = Literal["pairs", "documents", "clusters"]
TABLES = ("pairs", "documents", "clusters")
AT_ONCE = 4096  # rows that are made together
SHOWN = 10  # rows in a notebook

PAIRS = {
    "left": "string", "right": "string", "equal": "bool", "similarity": "float64", "resemblance": "float64",
    "containment_left": "float64", "containment_right": "float64", "shared": "int64", "longest": "int64",
    "lines": "int64", "channel": "string",
}  # fmt: skip
OCCURRENCES = {"sif": "float64"}  # a column of pairs whose occurrences were counted
DOCUMENTS = {
    "name": "string", "group": "string", "kind": "string", "bytes": "int64", "fingerprints": "int64",
    "read_as": "string",
}  # fmt: skip
CLUSTERS = {"cluster": "int64", "document": "string"}


class Tabular:
    """What has tables: pairs, documents and clusters."""

    __slots__ = ()

    @abstractmethod
    def to_arrow(self, table: Table = "pairs") -> pa.Table:
        """Give a table as an Arrow table: the pairs, the documents or the clusters.

        >>> copysift.scan("essays").to_arrow("clusters").column_names
        ['cluster', 'document']
        """

    def to_pandas(self, table: Table = "pairs") -> pd.DataFrame:
        """Give a table as a pandas frame; needs pandas.

        >>> copysift.scan("essays").to_pandas().left[0]
        'essays/lighthouse.txt'
        """
        require("pandas")
        return self.to_arrow(table).to_pandas()

    def to_polars(self, table: Table = "pairs") -> pl.DataFrame:
        """Give a table as a Polars frame; needs polars.

        >>> copysift.scan("essays").to_polars("clusters").columns
        ['cluster', 'document']
        """
        require("polars")
        import polars

        return polars.DataFrame(self.to_arrow(table))


def known_table(table: str, names: Sequence[str] = TABLES) -> str:
    """Give the name of a table back, or refuse it."""
    if table not in names:
        raise UsageError(f"there is no table {table!r}", hint=f"choose from {', '.join(names)}")
    return table


def arrow_table(rows: Iterable[Sequence[object]], columns: dict[str, str]) -> pa.Table:
    """Make an Arrow table of rows; `columns` names the type of each column."""
    import pyarrow as pa  # 0.1 s, which most scans do not need

    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in columns.items()])
    batches, left = [], iter(rows)
    while chunk := list(islice(left, AT_ONCE)):
        arrays = [
            pa.array([_encodable(row[at]) for row in chunk], field.type) for at, field in enumerate(schema)
        ]
        batches.append(pa.record_batch(arrays, schema=schema))
    return pa.Table.from_batches(batches, schema)


def html_table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Make a small HTML table; everything in it is escaped."""
    shown = ["".join(f"<td>{_cell(value)}</td>" for value in row) for row in islice(rows, SHOWN)]
    head = "".join(f"<th>{_escaped(name)}</th>" for name in heads)
    body = "".join(f"<tr>{row}</tr>" for row in shown)
    return (
        f"<table><caption>{_escaped(caption)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{100 * value:.0f}%"
    return _escaped(str(_encodable(value)))


def _escaped(text: str) -> str:
    import html  # loads a table of all entities, which only notebooks need

    return html.escape(text)


def _encodable(value: object) -> object:
    """Give a value that UTF-8 can hold: bytes of a name that are not UTF-8 are spelled out."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return value


def require(module: str) -> None:
    """Raise UsageError unless an optional module is installed."""
    try:
        import_module(module)
    except ImportError:
        raise UsageError(f"{module} is not installed", hint=f"pip install {module}") from None
