from typing import Any

import numpy as np
from numpy.typing import NDArray

UInt8s = NDArray[np.uint8]
UInt32s = NDArray[np.uint32]
UInt64s = NDArray[np.uint64]

ENTRY: np.dtype[Any]
CAN_READ: bool

def use_avx2(wanted: bool) -> None: ...
def pack(
    keys: UInt64s, documents: UInt32s, starts: UInt32s, lengths: UInt32s, page: int, begin: int, version: int
) -> tuple[UInt8s, UInt8s, NDArray[Any]]: ...
def unpack(
    data: UInt8s,
    begin: int,
    end: int,
    tables: UInt8s,
    low: int,
    high: int,
    directory: UInt8s,
    page: int,
    count: int,
    version: int,
    first: int,
    last: int,
) -> tuple[UInt64s, UInt32s, UInt32s, UInt32s, UInt32s]: ...
def find(
    data: UInt8s,
    begin: int,
    end: int,
    tables: UInt8s,
    low: int,
    high: int,
    directory: UInt8s,
    page: int,
    count: int,
    version: int,
    wanted: UInt64s,
) -> tuple[UInt32s, UInt32s, UInt32s, UInt32s, UInt32s]: ...
def find_in(
    descriptor: int,
    begin: int,
    end: int,
    tables: UInt8s,
    low: int,
    high: int,
    directory: UInt8s,
    page: int,
    count: int,
    version: int,
    wanted: UInt64s,
) -> tuple[UInt32s, UInt32s, UInt32s, UInt32s, UInt32s]: ...
