from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from copysift.model.values import UInt32s, UInt64s

Parted = tuple[UInt64s, NDArray[np.int64]]  # values of all sources, and where those of each begin and end

def has_avx2() -> bool: ...
def use_avx2(wanted: bool) -> None: ...
def has_vector() -> bool: ...
def use_vector(wanted: bool) -> None: ...
def winnow_texts(
    sources: Sequence[bytes],
    marked: Sequence[bool],
    k: int,
    w: int,
    seed: int = 0,
    robust: bool = True,
    inner: int = 0,
) -> Parted: ...
def winnow_programs(
    sources: Sequence[bytes],
    table: tuple[NDArray[Any], ...],
    ending: UInt32s,
    lines: bool,
    shortest: int,
    longest: int,
    k: int,
    w: int,
    seed: int = 0,
    robust: bool = True,
    inner: int = 0,
    brief: UInt32s | None = None,
    most: int = 0,
) -> tuple[Parted, Parted, Parted]: ...
