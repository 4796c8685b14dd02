"""Files of records as sources; what reads them, with Arrow, is loaded when the first is opened."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from copysift.model.document import Document
from copysift.runtime.lazy_dataclass import dataclass
from copysift.sources.source import RECORDS, WHOLE, Given, Part, Reading, SourceTraits, WholeSource


@dataclass(frozen=True)
class RecordSource(WholeSource):
    """Records of one format; `shown` is its name in a sentence."""

    traits: SourceTraits
    shown: str

    def open(self, outer: Document, reading: Reading, part: Part = WHOLE) -> Given:
        """Give the records in batches."""
        found: Given = _readers().given(self, outer, reading, part)
        return found

    def split(self, outer: Document, size: int) -> Sequence[Part]:
        """Cut where the format can be cut: between lines."""
        parts: Sequence[Part] = _readers().parts(self, outer, size)
        return parts


def _readers() -> Any:
    """Load what reads records: Arrow takes longer to load than most scans take."""
    return importlib.import_module("copysift.sources.record_readers")


def _source(
    name: str, shown: str, description: str, magic: tuple[bytes, ...], *suffixes: str
) -> RecordSource:
    return RecordSource(SourceTraits(name, description, RECORDS, magic, suffixes), shown)


JSONL = _source(
    "jsonl",
    "JSON lines",
    "JSON lines, one object with a text per line, or one array of them",
    (),
    ".jsonl",
    ".ndjson",
)
LINES = _source("lines", "lines", "Text of which every line is a document", ())
CSV = _source("csv", "CSV", "Comma-separated values with a column of texts", ())
TSV = _source("tsv", "TSV", "Tab-separated values with a column of texts", ())
PARQUET = _source("parquet", "Parquet", "Parquet with a column of texts", (b"PAR1",), ".parquet", ".pq")
ARROW_FILE, ARROW_STREAM = b"ARROW1\0\0", b"\xff\xff\xff\xff"  # how the two formats begin
ARROW = _source(
    "arrow", "Arrow", "Arrow files and streams with a column of texts", (ARROW_FILE, ARROW_STREAM), ".arrow"
)
WARC = _source("warc", "WARC", "Web archives: WARC and WET", (b"WARC/",), ".warc", ".wet")
