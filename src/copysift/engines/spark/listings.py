"""Which files a URI represents, by Hadoop's file systems, and the way that each of them is read."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from copysift.errors import InputError, UsageError
from copysift.sources.formats import format_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LINES, TABLE, WHOLE, STREAM = "lines", "table", "whole", "stream"
TABLES = ("parquet", "orc")
LARGE = 256 << 20  # bytes of a packed WARC file from which on it is streamed
MOST = (1 << 31) - 1 - 64  # bytes that Spark puts into one row


class FileList(NamedTuple):
    """Files of one format that are read in one way; `places` is what represents them."""

    form: str
    way: str
    files: tuple[str, ...]
    places: tuple[str, ...]


File = tuple[str, int, int]  # address, bytes, time of the last change


def stamp(spark: SparkSession, names: list[str]) -> str:
    """Give what changes when a file does."""
    files = [file for name in names for file in _files(spark, name)]
    return hashlib.blake2b(json.dumps(files).encode(), digest_size=16).hexdigest()


def listed(spark: SparkSession, name: str, wanted: str) -> list[FileList]:
    """List the files of a URI: a file, a folder of files, or a pattern."""
    own = wanted if wanted != "auto" else _form(name.rstrip("/"))
    found: dict[tuple[str, str], list[str]] = {}
    files = _files(spark, name)
    for place, size, _ in files:
        form = own if own != "file" else _form(place)
        if form in ("file", "folder", "arrow", "stdin"):
            raise UsageError(
                f"no format for {place}",
                hint="name Parquet, ORC, JSON lines, text, CSV or WARC files, or give a DataFrame to "
                "copysift.spark.cluster",
            )
        found.setdefault((form, _way(form, place, size)), []).append(place)
    if not found:
        raise InputError(f"{name}: no such file, or it is empty")
    alone = len(found) == 1  # the folder itself: its folders may name columns
    return [
        FileList(form, way, tuple(some), (name,) if alone else tuple(some))
        for (form, way), some in found.items()
    ]


def _form(place: str) -> str:
    return "orc" if place.endswith(".orc") else format_of(place)


def _way(form: str, place: str, size: int) -> str:
    if form in TABLES:
        return TABLE
    if form in ("jsonl", "lines") and not place.endswith((".zst", ".zstd")):
        return LINES
    if form == "warc" and place.endswith(".gz") and size > LARGE:
        return STREAM
    if size > MOST:
        raise InputError(
            f"{place} has over 2 GB, and Spark cannot read a part of it",
            hint="pack it with gzip, divide it, or name it as a file that every executor sees",
        )
    return WHOLE


def _files(spark: SparkSession, name: str) -> list[File]:
    """Give the files in order, without those that Spark takes for hidden."""
    path = spark.sparkContext._jvm.org.apache.hadoop.fs.Path(name)  # type: ignore[union-attr]
    system = path.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
    found: list[File] = []
    for status in system.globStatus(path) or ():
        if not status.isDirectory():
            found.append(_file(status))
            continue
        found += _below(system, status.getPath())
    return sorted(found)


def _file(status: Any) -> File:
    return status.getPath().toString(), status.getLen(), status.getModificationTime()


def _below(system: Any, folder: Any) -> list[File]:
    found: list[File] = []
    top = folder.toString()
    each = system.listFiles(folder, True)
    while each.hasNext():
        status = each.next()
        place = status.getPath().toString()
        inside = place.removeprefix(top).split("/")
        if not any(part.startswith(("_", ".")) and "=" not in part for part in inside):
            found.append(_file(status))
    return found
