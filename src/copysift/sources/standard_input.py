"""Standard input: its first bytes say what it holds, as a name does of a file."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import IO, Any

from copysift.errors import InputError
from copysift.runtime.encoding import looks_binary
from copysift.sources.compressed import CHUNK, DAMAGED, packing, unpacked
from copysift.sources.opening import why

_SUFFIXES = {"jsonl": ".jsonl", "parquet": ".parquet", "warc": ".warc", "lines": ".txt"}
_PACKED = {"gzip": ".gz", "bz2": ".bz2", "lzma": ".xz", "zstd": ".zst"}
_BOM = b"\xef\xbb\xbf"


def format_by(head: bytes) -> str:
    """Give the format of records by their first bytes; "" for what is binary and none that is known."""
    for begin, name in ((b"PAR1", "parquet"), (b"WARC/", "warc")):
        if head.startswith(begin):
            return name
    plain = head.removeprefix(_BOM).lstrip()
    if plain.startswith(b"{") or (plain.startswith(b"[") and plain[1:].lstrip().startswith(b"{")):
        return "jsonl"
    return "" if looks_binary(head) else "lines"


def format_of_input(stream: Any) -> str:
    """Give the format of an open standard input, without taking anything from it."""
    found = format_by(stream.peek(64))
    if not found:
        raise InputError(
            "standard input is binary, and not of a format that is known",
            hint="give JSON lines, lines, Parquet or WARC, packed by gzip or zstd or not",
        )
    return found


def spooled(stream: IO[bytes]) -> IO[bytes]:
    """Copy a stream that can be read only once to a temporary file without a name."""
    file = tempfile.TemporaryFile(prefix="copysift-", buffering=0)  # noqa: SIM115 - lives as long as its reader
    _copy(stream, file)
    file.seek(0)
    return file


def kept_in(folder: Path) -> str:
    """Copy standard input to a file, as packed as it is, whose name says its format."""
    path = folder / "stdin"
    with path.open("wb") as file:
        _copy(sys.stdin.buffer, file)
    with path.open("rb") as file:
        packed = _PACKED.get(packing(file.read(16)), "")
    named = path.rename(folder / f"stdin{packed}")
    try:
        with unpacked(str(named)) as stream:
            found = format_by(getattr(stream, "read1", stream.read)(1 << 13))
    except DAMAGED:
        found = "lines"
    return str(named.rename(folder / f"stdin{_SUFFIXES.get(found, '.bin')}{packed}"))


def _copy(stream: Any, file: IO[bytes]) -> None:
    """Copy a stream as far as it can be unpacked: what is read from the copy says that it ends early."""
    while True:
        try:
            chunk = stream.read1(CHUNK)
        except DAMAGED:
            return
        if not chunk:
            return
        try:
            file.write(chunk)
        except OSError as error:
            raise InputError(f"standard input cannot be kept in a file: {why(error)}") from error
