from typing import Any

import numpy as np
from numpy.typing import NDArray

UInt32s = NDArray[np.uint32]
UInt64s = NDArray[np.uint64]

MEASURES: dict[str, int]

def partition(hashes: UInt64s, groups: UInt32s, bits: int) -> tuple[UInt64s, UInt32s, NDArray[np.int64]]: ...
def sort_pairs(hashes: UInt64s, groups: UInt32s) -> None: ...
def sum_pairs(pairs: UInt64s, counts: UInt32s) -> int: ...
def shared_runs(
    hashes: UInt64s, groups: UInt32s, max_shared: int, sizes: UInt32s
) -> tuple[UInt64s, UInt32s, UInt32s, UInt64s, UInt32s, UInt32s]: ...
def distinct(offsets: NDArray[np.int64], groups: UInt32s, labels: UInt32s) -> UInt32s: ...
def transpose(
    offsets: NDArray[np.int64], groups: UInt32s, n_groups: int
) -> tuple[NDArray[np.int64], UInt32s]: ...
def row_candidates(
    first: int,
    last: int,
    postings: tuple[NDArray[Any], ...],
    sizes: UInt32s,
    side: UInt32s,
    kin: UInt32s,
    measure: str,
    threshold: float,
    min_shared: int,
    added: tuple[NDArray[Any], ...] | None = None,
    apart: tuple[NDArray[Any], ...] | None = None,
    verbatim: float = 0.0,
    founded: float = 0.0,
    plenty: int = 0,
    likeness: float = 0.0,
    most: int = 0,
) -> tuple[UInt32s, UInt32s, UInt32s, NDArray[np.float64]]: ...
def rarest_first(
    offsets: NDArray[np.int64], groups: UInt32s, n_groups: int
) -> tuple[UInt32s, NDArray[np.int64], UInt32s]: ...
def alike(
    first: int,
    last: int,
    postings: tuple[NDArray[Any], ...],
    order: UInt32s,
    sizes: UInt32s,
    side: UInt32s,
    kin: UInt32s,
    founded: float,
    least: float,
    most: int = 0,
) -> tuple[UInt32s, UInt32s, UInt32s, NDArray[np.float64]]: ...
