from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from copysift.model.values import UInt64s

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
) -> tuple[UInt64s, NDArray[np.int64]]: ...
