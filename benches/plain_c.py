"""Compile benches/scalar.c and call it: the plain C loops that the kernels are measured against."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).with_name("scalar.c")


def library() -> ctypes.CDLL:
    folder = tempfile.mkdtemp(prefix="copysift-bench-")
    target = Path(folder) / "scalar.so"
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-O3", "-shared", "-fPIC", "-o", str(target), str(SOURCE)], check=True)
    lib = ctypes.CDLL(str(target))
    for name in ("tuned", "figure5", "canonical", "pipeline"):
        getattr(lib, name).restype = ctypes.c_size_t
    return lib


class Room:
    """Output arrays that are written once before anything is timed, so that no page fault is."""

    def __init__(self, symbols: int) -> None:
        self.hashes = np.zeros(symbols, np.uint64)
        self.places = np.zeros(symbols, np.uint32)
        self.symbols = np.zeros(symbols, np.uint8)
        self.where = np.zeros(symbols, np.uint32)


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def fastest(*calls: Callable[[], object], rounds: int = 7) -> list[float]:
    """Processor seconds of the fastest of several rounds of each call, the calls taking turns."""
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            start = time.thread_time()
            call()
            best[i] = min(best[i], time.thread_time() - start)
    return best
