"""What targets of kernels share: how an input is taken apart, and how answers are compared."""

from __future__ import annotations

import os
import zlib
from typing import Any

import numpy as np

SMALL = 48  # bytes up to which the twin is asked too
TWINS = int(
    os.environ.get("COPYSIFT_FUZZ_TWINS", "1")
)  # it is slow: long runs ask it for one input in so many


class Taken:
    """Takes numbers from the front of an input; the rest is its body."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def number(self, most: int) -> int:
        """Give a number from 0 to `most`, of one byte or two."""
        size = 1 if most < 256 else 2
        value = int.from_bytes(self.data[self.at : self.at + size], "little")
        self.at += size
        return value % (most + 1)

    @property
    def rest(self) -> bytes:
        """The body."""
        return self.data[self.at :]

    def array(self, kind: Any, count: int | None = None) -> Any:
        """Give the body, or the next numbers of it, as an array."""
        width, self.at = np.dtype(kind).itemsize, min(self.at, len(self.data))
        whole = len(self.rest) // width
        count = whole if count is None else min(count, whole)
        found = np.frombuffer(self.data, kind, count, self.at).copy()
        self.at += count * width
        return found


def same(ours: Any, theirs: Any) -> None:
    """Compare what a kernel gives with what its twin gives, types of arrays included."""
    if isinstance(ours, tuple | list):
        assert len(ours) == len(theirs)
        for mine, other in zip(ours, theirs, strict=True):
            same(mine, other)
    elif isinstance(ours, np.ndarray):
        assert ours.tolist() == np.asarray(theirs).tolist()
    else:
        assert ours == theirs, (ours, theirs)


def judged(body: bytes) -> bool:
    """Say whether the twin is asked."""
    return len(body) <= SMALL and zlib.crc32(body) % TWINS == 0
