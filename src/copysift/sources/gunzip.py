"""A gzip file of any number of members as a stream that gives all there is, and says how it ended.

What reads WARC files takes a file that is cut, or damaged, for one that ends; here it can be checked. Other
readers want an error where it ends: `strict`. A read gives as much as fits, not 8 KB as in the standard
library.
"""

from __future__ import annotations

import contextlib
import io
import sys
import zlib
from typing import IO, Any

MAGIC = b"\x1f\x8b"
CHUNK = 1 << 18


class ForwardStream(io.RawIOBase):
    """A stream that can only be read on; `_given` counts the bytes that were read."""

    _given = 0

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Give the place in the stream, which is all that readers need."""
        if (offset, whence) not in ((0, io.SEEK_CUR), (self._given, io.SEEK_SET)):
            raise io.UnsupportedOperation("seek")
        return self._given


class Gunzip(ForwardStream):
    """Unpacks a stream; `wrong` says what was wrong with it, once it has been read to its end."""

    def __init__(self, packed: IO[bytes], *, strict: bool = False) -> None:
        self._packed, self._held, self._strict = packed, b"", strict
        self._decoder: Any = None
        self._saved = b""  # unpacked and not given yet
        self._error: Exception | None = None
        self.wrong = ""

    def close(self) -> None:
        if self._strict and self._packed is not sys.stdin.buffer:
            self._packed.close()
        super().close()

    def readinto(self, into: Any) -> int:
        if self._saved:
            return self._give(into, self._saved)
        while not self.wrong:
            if self._decoder is None and not self._begins():
                break
            if not self._held:
                self._held = self._packed.read(CHUNK)
            if not self._held:
                self.wrong = "ends inside a gzip member"
                self._error = EOFError("Compressed file ended before the end-of-stream marker was reached")
                break
            before = self._decoder.copy()
            try:
                data = self._decoder.decompress(self._held, len(into))
            except zlib.error as error:
                self.wrong = f"is damaged: {error}"
                self._error = error
                self._saved = _up_to_the_damage(before, self._held)
                if self._saved:
                    return self._give(into, self._saved)
                break
            ended = self._decoder.eof
            self._held = self._decoder.unused_data if ended else self._decoder.unconsumed_tail
            if ended:
                self._decoder = None
            if data:
                return self._give(into, data)
        if self._strict and self._error is not None:
            raise self._error
        return 0

    def _give(self, into: Any, data: bytes) -> int:
        """Give what fits, and save the rest."""
        count = min(len(into), len(data))
        into[:count] = data[:count]
        self._saved = data[count:]
        self._given += count
        return count

    def _begins(self) -> bool:
        """Start a member; False at the end, after which there may be zeros."""
        while not self._held.lstrip(b"\0"):
            self._held = self._packed.read(CHUNK)
            if not self._held:
                return False
        self._held = self._held.lstrip(b"\0")
        self._decoder = zlib.decompressobj(16 + zlib.MAX_WBITS)
        return True


def _up_to_the_damage(decoder: Any, packed: bytes) -> bytes:
    """Unpack again, byte by byte, as far as that goes."""
    found = bytearray()
    with contextlib.suppress(zlib.error):
        for at in range(len(packed)):
            found += decoder.decompress(packed[at : at + 1])
    return bytes(found)
