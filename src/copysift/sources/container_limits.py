"""How much an archive may unpack to, counted while it is unpacked: headers may lie."""

from __future__ import annotations

import struct
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator

from copysift.errors import UsageError
from copysift.runtime.lazy_dataclass import dataclass
from copysift.runtime.timing import too_slow

try:
    from lzma import LZMAError
except ImportError:  # a Python that was built without the library cannot raise it either
    LZMAError = zlib.error  # type: ignore[misc,assignment]

# What the libraries raise on archives that are damaged or were made to break them.
BROKEN: tuple[type[Exception], ...] = (
    *(
        zipfile.BadZipFile,
        tarfile.TarError,
        zlib.error,
        LZMAError,
        struct.error,
        EOFError,
        OSError,
        ValueError,
    ),
    *(OverflowError, NotImplementedError, RuntimeError, IndexError),
)

_SLACK = 64 << 20  # bytes that any archive may unpack to, however small it is


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """What is too much; archives inside an archive count towards the same limits."""

    member_bytes: int = 128 << 20  # of one member, which is held in memory
    total_bytes: int = 4 << 30  # of all members
    ratio: int = 100  # unpacked to packed, beyond the first 64 MiB
    members: int = 100_000
    depth: int = 3  # 1 opens no archive inside an archive

    def __post_init__(self) -> None:
        if min(self.member_bytes, self.total_bytes, self.ratio, self.members, self.depth) < 1:
            raise UsageError("the limits of an archive must be 1 or more")


class LimitReachedError(Exception):
    """The archive, with all that lies in it, is left as it is here; the text says why."""


class TooSlowMemberError(LimitReachedError):
    """One member took too long; the others can still be read."""


class DamagedError(Exception):
    """The rest of the archive cannot be read; the text says why."""


@dataclass(frozen=True, slots=True)
class Item:
    """A member that is not read yet; `reason` says why it cannot be, `chunks` gives its bytes.

    The chunks must be taken before the next item is wanted.
    """

    name: str
    mtime_ns: int
    reason: str
    chunks: Callable[[], Iterator[bytes]]


class Budget:
    """What is left of the limits of one archive of `packed` bytes and all archives in it.

    Each member may take `seconds` to unpack; None: any time.
    """

    def __init__(self, limits: ArchiveLimits, packed: int, seconds: float | None = None) -> None:
        self.limits = limits
        self._most = min(limits.total_bytes, max(_SLACK, limits.ratio * packed))
        self._unpacked = 0
        self._members = 0
        self._seconds = seconds
        self._began = time.thread_time()

    def unpack(self, count: int) -> None:
        """Count bytes that were unpacked."""
        self._unpacked += count
        if self._unpacked > self._most:
            raise LimitReachedError(f"unpacks to more than {self._most:,} bytes, which may be an attack")
        if self._seconds is not None and time.thread_time() - self._began > self._seconds:
            raise TooSlowMemberError(too_slow(self._seconds))

    def restart(self) -> None:
        """Start the time of another member: what was done with the last one does not count."""
        self._began = time.thread_time()

    def member(self, count: int = 1) -> None:
        """Count members that were found."""
        self._members += count
        self.restart()
        if self._members > self.limits.members:
            raise LimitReachedError(f"has more than {self.limits.members:,} members")
