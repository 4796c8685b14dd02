import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint16] | NDArray[np.uint32]
Int64s = NDArray[np.int64]
UInt64s = NDArray[np.uint64]

def use_avx2(wanted: bool) -> None: ...
def sets(
    codes: Codes, dictionary: UInt64s, starts: Int64s, ends: Int64s, w: int
) -> tuple[UInt64s, Int64s]: ...
def in_order(
    codes: Codes, dictionary: UInt64s, starts: Int64s, ends: Int64s, w: int
) -> tuple[UInt64s, Int64s]: ...
