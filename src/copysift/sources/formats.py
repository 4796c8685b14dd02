"""What names alone say of files: formats of records, archives; `detection` looks at the content."""

from __future__ import annotations

import os

from copysift.sources.places import is_folder

FORMATS = ("auto", "folder", "jsonl", "parquet", "csv", "tsv", "warc", "lines", "arrow")
_SUFFIXES = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".parquet": "parquet", ".pq": "parquet",
    ".csv": "csv", ".tsv": "tsv", ".warc": "warc", ".wet": "warc", ".txt": "lines", ".arrow": "arrow",
}  # fmt: skip
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zstd", ".lz4")
_ARCHIVES = (
    *(".zip", ".whl", ".jar", ".war", ".ear", ".egg", ".7z", ".deb", ".cpio"),
    *(".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".tzst"),
)
RECORDS = (".jsonl", ".ndjson", ".parquet", ".warc", ".wet", ".arrow")  # never anything but records


def format_of(place: str) -> str:
    """Give the format of a source by its name."""
    if place == "-":
        return "stdin"
    if is_folder(place):
        return "folder"
    return _SUFFIXES.get(_suffix(place), "file")


def holds_records_by_name(name: str) -> bool:
    """Say by its name alone whether a file has records."""
    return _suffix(name) in RECORDS


def _suffix(place: str) -> str:
    name = place.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return os.path.splitext(name)[1]


def is_archive(name: str) -> bool:
    """Say by its name alone whether a file is an archive of several files."""
    return name.lower().endswith(_ARCHIVES)


def may_hold_others(name: str) -> bool:
    """Say by its name alone whether a file is a container: --include does not leave it out."""
    return name.lower().endswith((*_ARCHIVES, *_PACKED))
