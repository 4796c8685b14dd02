"""Read a whole file that an option names; one that never ends is refused."""

from __future__ import annotations

import errno
import os

MOST = 64 << 20  # bytes


def read_small(path: str | os.PathLike[str], most: int = MOST) -> bytes:
    """Give the bytes of a file; an OSError says that it has more than `most`."""
    with open(path, "rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes")
    return content
