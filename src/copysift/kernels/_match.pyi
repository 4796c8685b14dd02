from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Symbols = NDArray[np.uint8] | NDArray[np.uint32] | NDArray[np.uint64]
UInt8s = NDArray[np.uint8]
UInt32s = NDArray[np.uint32]
Offsets = NDArray[np.integer[Any]]

WIDE: int

def tiles(
    a: Symbols,
    b: Symbols,
    k: int,
    mask_a: UInt8s | None = None,
    mask_b: UInt8s | None = None,
    room: int = ...,
) -> tuple[UInt32s, UInt32s, UInt32s]: ...
def tiles_among(
    sequences: Sequence[Symbols],
    lefts: NDArray[Any],
    rights: NDArray[Any],
    k: int,
    masks: Sequence[UInt8s | None] | None = None,
    room: int = ...,
) -> tuple[NDArray[np.int64], UInt32s, UInt32s, UInt32s]: ...
def seed_tiles(
    a: Symbols,
    b: Symbols,
    k: int,
    stride: int,
    mask_a: UInt8s | None = None,
    mask_b: UInt8s | None = None,
    allocate: Callable[[int, type], NDArray[Any]] | None = None,
) -> tuple[Offsets, Offsets, Offsets]: ...
def line_starts(data: bytes | bytearray | memoryview) -> UInt32s: ...
