"""Freed memory goes back to the system: counted by the C library itself."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

GROWTH = """
import ctypes, sys
from copysift.runtime.heap import give_memory_back

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in "a b c d mapped e f used free g".split()]

libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.argtypes, libc.mallinfo2.restype = [ctypes.c_void_p], Info
if sys.argv[1] == "given back":
    give_memory_back()
libc.free(libc.malloc(16 << 20))  # from here on glibc alone keeps all that is smaller
large, small = [], []
for _ in range(20):
    large.append(libc.malloc(2 << 20))
    small.append(libc.malloc(100_000))  # and is still used at the end
for block in large:
    libc.free(block)
print(libc.mallinfo2().free)
"""


def kept(how: str) -> int:
    done = subprocess.run([sys.executable, "-c", GROWTH, how], capture_output=True, text=True, check=True)
    return int(done.stdout)


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="needs glibc 2.33")
def test_freed_memory_is_given_back_though_something_small_is_still_used() -> None:
    assert kept("as glibc does") > 30 << 20  # else this test would show nothing
    assert kept("given back") < 4 << 20
