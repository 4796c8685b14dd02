"""Open compressed files, by their first bytes; what was unpacked before a damage is given first."""

from __future__ import annotations

import contextlib
import io
import sys
import zlib
from typing import IO, Any, BinaryIO, cast

from copysift.sources.gunzip import Gunzip

try:
    from lzma import LZMAError
except ImportError:  # a Python that was built without the library cannot raise it either
    LZMAError = zlib.error  # type: ignore[misc,assignment]

CHUNK = 1 << 22
PIECE = 1 << 18  # bytes of one read of zstd, which gives nothing of a read that meets a damage
LEAST = 1 << 12  # where it cannot be read again
PACKED_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".zstd", ".lz4")
_MAGIC = {
    b"\x1f\x8b\x08": "gzip", b"\xfd7zXZ\0": "lzma", b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4",
}  # fmt: skip
_BZIP2 = (b"1AY&SY", b"\x17rE8P\x90")  # a block, or the end of an empty file, behind BZh1 to BZh9
_BY_NAME = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma", ".zst": "zstd", ".zstd": "zstd", ".lz4": "lz4"}
DAMAGED = (EOFError, zlib.error, LZMAError, OSError)  # a file that ends early, or is not what it should be
UNPACK_ERRORS: tuple[type[Exception], ...] = (EOFError, zlib.error, LZMAError)


def packing(head: bytes) -> str:
    """Say by its first bytes how a stream is compressed: gzip, bz2, lzma, zstd, lz4, or "" for not at all."""
    if head.startswith(b"BZh") and head[4:10] in _BZIP2:
        return "bz2"
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), "")


def unpacked(place: str, opened: IO[bytes] | None = None) -> IO[bytes]:
    """Open a file, decompressing it by its first bytes, or by its name where it cannot be read twice."""
    if place == "-":
        given: Any = sys.stdin.buffer
        return unpacked_stream(given, packing(given.peek(16)))
    stream = opened or open(place, "rb", buffering=0)  # noqa: SIM115 - closed by its reader
    if opened is not None and not opened.seekable():
        how = next((how for end, how in _BY_NAME.items() if place.endswith(end)), "")
    else:
        how = packing(stream.read(16))
        stream.seek(0)
    return unpacked_stream(cast("BinaryIO", stream), how)


def unpacked_stream(file: BinaryIO, how: str, piece: int = PIECE) -> BinaryIO:
    """Give the unpacked bytes of an open file; `how` is as `packing` gives it.

    At least `piece` bytes are unpacked at once.
    """
    if not how:
        return file
    if how == "gzip":
        return io.BufferedReader(Gunzip(file, strict=True), piece)
    if how in ("zstd", "lz4"):
        return io.BufferedReader(_ByArrow(file, how), piece)
    try:
        if how == "bz2":
            import bz2

            return cast("BinaryIO", bz2.BZ2File(file))
        import lzma

        return cast("BinaryIO", lzma.LZMAFile(file))
    except ImportError as error:  # a Python that was built without the library
        raise OSError(f"is compressed by {how}, which this Python does not have") from error


class _ByArrow(io.RawIOBase):
    """A .zst or .lz4 file as a stream, of any number of frames."""

    def __init__(self, packed: IO[bytes], how: str) -> None:
        self._packed = packed  # closed with this object, unless it is standard input
        self._how = how
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
        import pyarrow as pa  # the standard library has zstd from Python 3.14

        return pa.CompressedInputStream(pa.PythonFile(self._packed, "r"), self._how)

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
