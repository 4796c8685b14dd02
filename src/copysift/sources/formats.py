"""Which format a source of records has, by its name; what reads it is loaded only when it is read."""

from __future__ import annotations

import os

FORMATS = ("auto", "folder", "jsonl", "parquet", "csv", "tsv", "warc", "lines", "arrow")
_SUFFIXES = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".parquet": "parquet", ".pq": "parquet",
    ".csv": "csv", ".tsv": "tsv", ".warc": "warc", ".wet": "warc", ".txt": "lines", ".arrow": "arrow",
}  # fmt: skip
_PACKED = (".gz", ".zst", ".zstd")
RECORDS = (".jsonl", ".ndjson", ".parquet", ".warc", ".wet", ".arrow")  # never anything but records


def format_of(place: str) -> str:
    """Tell the format of a source by its name."""
    if place == "-":
        return "stdin"
    if os.path.isdir(place):
        return "folder"
    return _SUFFIXES.get(_suffix(place), "file")


def holds_records(place: str) -> bool:
    """Tell whether a file is a collection of records by its name alone."""
    return _suffix(place) in RECORDS and not os.path.isdir(place)


def _suffix(place: str) -> str:
    name = place.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return os.path.splitext(name)[1]
