import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Int64s = NDArray[np.int64]
UInt32s = NDArray[np.uint32]
UInt64s = NDArray[np.uint64]

def lists(
    hashes: UInt64s, docs: UInt32s, moduli: UInt32s, most: int, sizes: UInt32s
) -> tuple[Int64s, Int64s, NDArray[np.bool_], UInt64s, Bytes]: ...
def all_pairs(
    docs: UInt32s, own: Bytes, starts: Int64s, lengths: Int64s, weights: UInt32s
) -> tuple[UInt64s, UInt32s]: ...
def few_pairs(docs: UInt32s, own: Bytes, starts: Int64s, lengths: Int64s) -> UInt64s: ...
def long_pairs(
    keys: UInt64s, places: UInt32s, members: UInt64s, starts: Int64s, lengths: Int64s, weights: UInt32s
) -> tuple[UInt64s, UInt32s]: ...
