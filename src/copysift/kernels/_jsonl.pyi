import numpy as np
from numpy.typing import NDArray

def use_avx2(wanted: bool) -> None: ...
def two_strings(
    block: bytes | memoryview, name: bytes, text: bytes
) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.uint8], NDArray[np.int64]] | None: ...
