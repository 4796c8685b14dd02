import numpy as np
from numpy.typing import NDArray

UInt32s = NDArray[np.uint32]
UInt64s = NDArray[np.uint64]

MEASURES: dict[str, int]

def partition(hashes: UInt64s, groups: UInt32s, bits: int) -> tuple[UInt64s, UInt32s, NDArray[np.int64]]: ...
def sort_pairs(hashes: UInt64s, groups: UInt32s) -> None: ...
def shared_runs(
    hashes: UInt64s, groups: UInt32s, max_shared: int, sizes: UInt32s
) -> tuple[UInt64s, UInt32s, UInt32s, UInt64s, UInt32s, UInt32s]: ...
def transpose(
    offsets: NDArray[np.int64], groups: UInt32s, n_groups: int
) -> tuple[NDArray[np.int64], UInt32s]: ...
def row_candidates(
    first: int,
    last: int,
    offsets: NDArray[np.int64],
    groups: UInt32s,
    row_offsets: NDArray[np.int64],
    row_hashes: UInt32s,
    weights: NDArray[np.float64],
    sizes: UInt32s,
    totals: NDArray[np.float64],
    side: UInt32s,
    kin: UInt32s,
    measure: str,
    threshold: float,
    min_shared: int,
) -> tuple[UInt32s, UInt32s, UInt32s, NDArray[np.float64]]: ...
def shared_of(
    row_offsets: NDArray[np.int64],
    row_hashes: UInt32s,
    worth: NDArray[np.float64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
