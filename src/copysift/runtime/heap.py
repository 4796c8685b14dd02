"""Give memory that is free back to the system.

The allocator of C keeps what was freed to use it again. After a phase that held a column of every document
that is more than the next phase needs, and it would count as memory of the process.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

STATM = Path("/proc/self/statm")


def trim() -> None:
    """Give free memory back, where the C library can (glibc)."""
    release = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if release is not None:
        release(0)


def resident() -> int | None:
    """Give the bytes of memory that the process has now, or None where the system does not say."""
    try:
        return int(STATM.read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None
