"""A gzip file of any number of members as a stream that gives all there is, and tells how it ended.

What reads WARC files takes a file that is cut, or damaged, for one that ends; here it can be asked.
"""

from __future__ import annotations

import io
import zlib
from typing import IO, Any

MAGIC = b"\x1f\x8b"
CHUNK = 1 << 16


class Gunzip(io.RawIOBase):
    """Unpacks a stream; `wrong` says what was wrong with it, once it has been read to its end."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed, self._held = packed, b""
        self._decoder: Any = None
        self._given = 0
        self.wrong = ""

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Tell where the stream is, which is all that readers ask by it."""
        if (offset, whence) not in ((0, io.SEEK_CUR), (self._given, io.SEEK_SET)):
            raise io.UnsupportedOperation("seek")
        return self._given

    def readinto(self, into: Any) -> int:
        while not self.wrong:
            if self._decoder is None and not self._begins():
                break
            if not self._held:
                self._held = self._packed.read(CHUNK)
            if not self._held:
                self.wrong = "ends inside a gzip member"
                break
            try:
                data = self._decoder.decompress(self._held, len(into))
            except zlib.error as error:
                self.wrong = f"is damaged: {error}"
                break
            ended = self._decoder.eof
            self._held = self._decoder.unused_data if ended else self._decoder.unconsumed_tail
            if ended:
                self._decoder = None
            if data:
                into[: len(data)] = data
                self._given += len(data)
                return len(data)
        return 0

    def _begins(self) -> bool:
        """Begin a member; False at the end, after which there may be zeros."""
        while not self._held.lstrip(b"\0"):
            self._held = self._packed.read(CHUNK)
            if not self._held:
                return False
        self._held = self._held.lstrip(b"\0")
        self._decoder = zlib.decompressobj(16 + zlib.MAX_WBITS)
        return True
