"""The memory that the C library keeps: give it back to the system.

The allocator of C keeps what was freed to use it again. After a phase that held a column of every document
that is more than the next phase needs, and it would count as memory of the process.

Of itself glibc asks the system for large blocks only, and counts as large what is larger than the largest
block that was ever freed, up to 32 MB. The others stay in heaps, one for each of many threads, and a small
block that is still used keeps all that is below it: a server with six clients grew by 30 MB in that way.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress
from pathlib import Path

STATM = Path("/proc/self/statm")
LARGE = 256 << 10  # bytes of a block that is the system's as soon as it is freed
SPARE = 1 << 20  # bytes at the end of a heap that may stay
HEAPS = 2
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # of mallopt


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


def give_memory_back() -> None:
    """Keep as little freed memory as is needed from now on; other C libraries than glibc stay as they are."""
    with suppress(AttributeError, OSError):
        mallopt = ctypes.CDLL(None).mallopt
        for option, value in ((_MMAP_THRESHOLD, LARGE), (_TRIM_THRESHOLD, SPARE), (_ARENA_MAX, HEAPS)):
            mallopt(option, value)
