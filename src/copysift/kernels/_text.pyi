from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = bytes | bytearray | memoryview
UNICODE_VERSION: str
MAX_WORD: int

def has_avx2() -> bool: ...
def has_avx512() -> bool: ...
def use_avx2(wanted: bool) -> None: ...
def use_avx512(wanted: bool) -> None: ...
def sound(sources: Sequence[bytes], sample: int) -> list[int]: ...
def plain_block(
    data: Bytes, final: bool
) -> tuple[NDArray[np.uint8], NDArray[np.uint64], NDArray[np.uint32], int] | None: ...
def positions(masks: NDArray[np.uint64], ranks: NDArray[np.uint32], offset: int) -> NDArray[np.uint32]: ...
def plain_spans(
    masks: NDArray[np.uint64],
    ranks: NDArray[np.uint32],
    offset: int,
    first: NDArray[Any],
    last: NDArray[Any],
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...
def unicode_block(
    data: Bytes, final: bool
) -> tuple[
    NDArray[np.uint32],
    NDArray[np.uint64],
    NDArray[np.uint32],
    NDArray[np.uint64],
    NDArray[np.uint32],
    int,
]: ...
def character_spans(
    masks: NDArray[np.uint64],
    ranks: NDArray[np.uint32],
    bounds: NDArray[np.uint64],
    extra: NDArray[np.uint32],
    offset: int,
    first: NDArray[Any],
    last: NDArray[Any],
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...
def merge_characters(
    bounds: NDArray[np.uint64], offset: int, starts: NDArray[np.uint32], ends: NDArray[np.uint32]
) -> None: ...
def words_block(
    data: Bytes, offset: int, final: bool
) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32], int]: ...
def markup_block(
    data: Bytes, offset: int, state: int, final: bool
) -> tuple[bytes, NDArray[np.uint32], NDArray[np.uint32], int, int]: ...
