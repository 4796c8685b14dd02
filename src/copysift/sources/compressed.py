"""Open files that may be packed, by their names; what was unpacked before a damage is given first."""

from __future__ import annotations

import contextlib
import gzip
import io
import sys
import zlib
from typing import IO, Any

import pyarrow as pa

CHUNK = 1 << 22
PIECE = 1 << 18  # bytes of one read of zstd, which gives nothing of a read that meets a damage
LEAST = 1 << 12  # where it cannot be read again
_MAGIC = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
DAMAGED = (EOFError, zlib.error, OSError)  # a packed file that ends early, or is not what it should be


def packing(head: bytes) -> str:
    """Tell how a stream is packed by its first bytes, as the suffix of a name."""
    return next((suffix for magic, suffix in _MAGIC.items() if head.startswith(magic)), "")


def unpacked(place: str, opened: IO[bytes] | None = None) -> IO[bytes]:
    """Open a file, decompressing it by its name; standard input, by its first bytes."""
    name = place
    if place == "-":
        given: Any = sys.stdin.buffer
        opened, name = given, packing(given.peek(4))
    if name.endswith(".gz"):
        return gzip.open(opened or place, "rb")  # type: ignore[return-value]
    if name.endswith((".zst", ".zstd")):
        return io.BufferedReader(_Zstd(opened or open(place, "rb")), PIECE)
    return opened or open(place, "rb", buffering=0)


class _Zstd(io.RawIOBase):
    """A .zst file as a stream, of any number of frames."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed  # closed with this object, unless it is standard input
        self._again = packed.seekable()
        self._stream = self._opened()
        self._given = 0
        self._damage: OSError | None = None

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        if self._packed is not sys.stdin.buffer:
            self._packed.close()
        super().close()

    def readinto(self, into: Any) -> int:
        if self._damage is not None:
            raise self._damage
        most = min(len(into), PIECE if self._again else LEAST)
        try:
            data = self._stream.read(most)
        except OSError as error:
            self._damage = error
            data = self._up_to_the_damage(most) if self._again else b""
            if not data:
                raise
        self._given += len(data)
        into[: len(data)] = data
        return len(data)

    def _opened(self) -> Any:
        return pa.CompressedInputStream(pa.PythonFile(self._packed, "r"), "zstd")

    def _up_to_the_damage(self, most: int) -> bytes:
        """Unpack again as far as it was given, then byte by byte."""
        found = bytearray()
        self._packed.seek(0)
        stream, left = self._opened(), self._given
        while left:
            left -= len(stream.read(min(left, PIECE)))
        with contextlib.suppress(OSError):
            while len(found) < most and (byte := stream.read(1)):
                found += byte
        return bytes(found)
