import numpy as np
from numpy.typing import NDArray

Bytes = bytes | bytearray | memoryview
Int32s = NDArray[np.int32]
UInt32s = NDArray[np.uint32]

RULE_FIELDS: int
OPTION_FIELDS: int

def lexeme_hash(lexeme: Bytes, fold: bool) -> int: ...
def lex(
    data: Bytes,
    classes: NDArray[np.uint8],
    rules: Int32s,
    rule_first: Int32s,
    rule_order: Int32s,
    ops: Int32s,
    op_first: Int32s,
    options: Int32s,
    keywords: NDArray[np.uint64],
    blob: NDArray[np.uint8],
    *,
    brief: UInt32s | None = None,
    most: int = 0,
) -> tuple[UInt32s, UInt32s, UInt32s, NDArray[np.uint64]]: ...
def statements(
    data: Bytes,
    symbols: UInt32s,
    starts: UInt32s,
    ends: UInt32s,
    lexemes: NDArray[np.uint64],
    ending: UInt32s,
    lines: bool,
    shortest: int,
) -> NDArray[np.uint64]: ...
def strings(
    symbols: UInt32s, starts: UInt32s, ends: UInt32s, lexemes: NDArray[np.uint64], longest: int
) -> NDArray[np.uint64]: ...
