"""Selection on one core against plain C in the same run: python benches/selection.py"""

from __future__ import annotations

import ctypes
import sys

import numpy as np
from plain_c import Room, fastest, library, pointer

from copysift.kernels import _selection as kernel

BLOCK = 1 << 20


def random_text(size: int) -> np.ndarray:
    return np.random.default_rng(1997).integers(97, 123, size).astype(np.uint8)


def main() -> None:
    size = int(sys.argv[1]) << 20 if len(sys.argv) > 1 else 32 << 20
    text = random_text(size)
    lib, room, n = library(), Room(BLOCK), ctypes.c_size_t
    blocks = [text[i : i + BLOCK] for i in range(0, size, BLOCK)]
    print(
        "MB/s       scalar C  figure 5    robust  ratio  open-closed  ratio    vector  ratio  portable  ratio"
    )
    for k, w in ((50, 100), (50, 50), (20, 20), (25, 26)):

        def plain(name: str, k: int = k, w: int = w) -> None:
            call = getattr(lib, name)
            for block in blocks:
                call(pointer(block), n(len(block)), n(k), n(w), pointer(room.hashes), pointer(room.places))

        def ours(inner: int, edition: str, k: int = k, w: int = w) -> None:
            kernel.use_avx2(edition == "avx2")
            if edition == "vector":
                kernel.use_vector(True)
            for block in blocks:
                kernel.winnow(block, k, w, 0, True, inner)

        seconds = fastest(
            lambda: plain("tuned"),
            lambda: plain("figure5"),
            lambda: ours(0, "avx2"),
            lambda: ours(4, "avx2"),
            lambda: ours(0, "vector"),
            lambda: ours(0, "portable"),
        )
        speed = [size / s / 1e6 for s in seconds]
        print(
            f"{k:>5}, {w:>3} {speed[0]:9.0f} {speed[1]:9.0f} {speed[2]:9.0f} {speed[2] / speed[0]:6.2f}"
            f" {speed[3]:12.0f} {speed[3] / speed[0]:6.2f} {speed[4]:9.0f} {speed[4] / speed[0]:6.2f}"
            f" {speed[5]:9.0f} {speed[5] / speed[0]:6.2f}"
        )


if __name__ == "__main__":
    main()
