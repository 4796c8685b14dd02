"""Overwrite markup in place, so that offsets in the text are those of the file.

Spaces part words; joiners (0x7F) do not, as in HTML without its markup. Ends of lines stay.
"""

from __future__ import annotations

import re

JOINER = 0x7F
_NOT_LINES = re.compile(rb"[^\r\n]")


class Canvas:
    """A text whose parts are overwritten."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._made = bytearray(data)

    def blank(self, start: int, end: int) -> None:
        """Overwrite a part with spaces."""
        self._made[start:end] = _NOT_LINES.sub(b" ", self.data[start:end])

    def join(self, start: int, end: int) -> None:
        """Overwrite a part in the middle of a word."""
        self._made[start:end] = _NOT_LINES.sub(b"\x7f", self.data[start:end])

    def put(self, start: int, end: int, text: str) -> None:
        """Overwrite a part with a text that means the same; one that is longer becomes a space."""
        value = text.encode("utf-8", "replace")
        if len(value) > end - start:
            self.blank(start, end)
        else:
            self._made[start:end] = value.ljust(end - start, b"\x7f")

    def made(self) -> bytes:
        """Give the text, as long as it was."""
        return bytes(self._made)
