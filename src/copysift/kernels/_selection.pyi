import numpy as np
from numpy.typing import NDArray

from copysift.model.values import Symbols, UInt32s, UInt64s

MAX_WINDOW: int
MAX_GRAM: int

def has_avx2() -> bool: ...
def use_avx2(wanted: bool) -> None: ...
def hashes(symbols: Symbols, k: int, seed: int = 0) -> UInt64s: ...
def orders(symbols: Symbols, k: int, seed: int = 0, inner: int = 0) -> UInt32s: ...
def minima(values: NDArray[np.uint64], w: int, robust: bool = True) -> UInt32s: ...
def winnow(
    symbols: Symbols,
    k: int,
    w: int,
    seed: int = 0,
    robust: bool = True,
    inner: int = 0,
    resumed: bool = False,
    whole: bool = True,
) -> tuple[UInt32s, UInt64s]: ...
def sample(
    symbols: Symbols, k: int, modulus: int, seed: int = 0, skip: int = 1, start: int = 0
) -> tuple[UInt32s, UInt64s, int]: ...
