"""Read lists of names, one to a line or separated by NUL as `find -print0` writes them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO

_CHUNK = 1 << 16


def files_from(stream: BinaryIO, *, nul: bool) -> Iterator[str]:
    """Give the names in a binary stream as they arrive; empty ones are passed over."""
    separator = b"\0" if nul else b"\n"
    read = getattr(stream, "read1", stream.read)  # read1 does not wait for a full chunk of a pipe
    rest = b""
    while chunk := read(_CHUNK):
        *names, rest = (rest + chunk).split(separator)
        yield from (os.fsdecode(name) for name in names if name)
    if rest:
        yield os.fsdecode(rest)
