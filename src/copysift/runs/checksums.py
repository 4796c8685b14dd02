"""The tables of a run on disk: pages with checksums, and each file compared with run.json before it is read.

Checksums of pages leave out the end of a Parquet file, which says where the pages are and what they hold.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from copysift.errors import RunError

RECREATE = "recreate the run"
_sound: dict[str, tuple[object, ...]] = {}  # files that this process has compared, as they were then


def checksum(path: Path) -> dict[str, object]:
    """Give size and digest of a file, as run.json has them."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
    return {"bytes": path.stat().st_size, "blake2b": digest.hexdigest()}


def digest_of(described: dict[str, Any]) -> str:
    """Give the digest of what run.json says, without the digest itself."""
    said = {key: value for key, value in described.items() if key != "digest"}
    return hashlib.blake2b(json.dumps(said, sort_keys=True).encode(), digest_size=16).hexdigest()


def verify_table(run: Path, name: str) -> None:
    """Raise RunError unless a table is as run.json says.

    A run under way has none yet, and of Spark's folders it says nothing.
    """
    try:
        expected = json.loads((run / "run.json").read_text(encoding="utf-8"))["files"].get(name)
    except FileNotFoundError:
        return
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise RunError(f"{run}: run.json is damaged", hint=RECREATE) from None
    if expected is not None and not is_sound(run / name, expected):
        raise RunError(f"{run}: {name} is missing or damaged", hint=RECREATE)


def is_sound(path: Path, expected: object) -> bool:
    """Say whether a file has this checksum; one that stays the same is read once in a process."""
    try:
        about = path.stat()
        state = (about.st_ino, about.st_size, about.st_mtime_ns, str(expected))
        if _sound.get(str(path.absolute())) == state:
            return True
        if checksum(path) != expected:
            return False
    except OSError:
        return False
    _sound[str(path.absolute())] = state
    return True


def read_table(run: Path, name: str, columns: list[str] | None = None, filters: Any = None) -> pa.Table:
    """Read a table of a run, or some of its columns and rows."""
    verify_table(run, name)
    try:
        if filters is None:  # `pq.read_table` would load Arrow's data sets, and with them pandas
            with pq.ParquetFile(run / name, page_checksum_verification=True) as file:
                table = file.read(columns)
            return table if columns is None else table.select(columns)
        return pq.read_table(run / name, columns=columns, filters=filters, page_checksum_verification=True)
    except (pa.ArrowException, OSError, KeyError) as error:
        raise RunError(f"{run} is damaged: {error}", hint=RECREATE) from None


def batches_of(run: Path, name: str, columns: list[str], rows: int) -> Iterator[pa.RecordBatch]:
    """Read some columns of a table of a run, about `rows` rows at a time."""
    verify_table(run, name)
    try:
        with pq.ParquetFile(run / name, page_checksum_verification=True) as file:
            for batch in file.iter_batches(rows, columns=columns):
                yield batch.select(columns)
    except (pa.ArrowException, OSError, KeyError) as error:
        raise RunError(f"{run} is damaged: {error}", hint=RECREATE) from None


def count_rows(run: Path, name: str) -> int:
    """Count the rows of a table of a run."""
    verify_table(run, name)
    return int(pq.read_metadata(run / name).num_rows)


def open_table(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    """Start a table of a run."""
    return pq.ParquetWriter(path, schema, write_page_checksum=True)


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table of a run."""
    pq.write_table(table, path, write_page_checksum=True)
