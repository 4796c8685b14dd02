"""Word shingles of corpora on one core: python benches/shingles.py

Documents of 5 KB and of 100 KB of made-up words, German, Chinese, and two words over and over. The plain
C loop (branchy.c) only hashes the words; copysift also shingles them, sorts the shingles and drops repeats.
"""

from __future__ import annotations

import ctypes
from functools import partial

import numpy as np
from canonicalise import CHINESE, GERMAN, library
from corpus_generator import documents
from plain_c import fastest, pointer

from copysift.kernels import _shingle as kernel
from copysift.kernels._text import has_avx512

WORDS_A_SHINGLE = 10
EDITIONS = ["avx512", "avx2", "portable"] if has_avx512() else ["avx2", "portable"]


def packed(texts: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    return np.frombuffer(b"".join(texts), np.uint8), offsets


def inputs() -> dict[str, list[bytes]]:
    made = [text.encode() for text in documents(600)]
    whole = b" ".join(made)
    rng = np.random.default_rng(1997)

    def shuffled(text: str, size: int) -> bytes:
        words = np.array(text.split() if " " in text else list(text))
        return (" " if " " in text else "").join(rng.choice(words, size)).encode()

    return {
        "5 KB of words": made,
        "100 KB of words": [whole[i : i + 100_000] for i in range(0, len(whole), 100_000)],
        "capitals and commas": [text.title().replace(b" T", b", T") for text in made],
        "German": [shuffled(GERMAN, 800) for _ in range(300)],
        "Chinese": [shuffled(CHINESE, 2000) for _ in range(300)],
        "two words": [b"one word " * 600 for _ in range(300)],
    }


def main() -> None:
    lib = library()
    print("MB/s                    plain C", *(f"{edition:>9}  ratio" for edition in EDITIONS))
    for name, texts in inputs().items():
        data, offsets = packed(texts)
        outputs = [np.zeros(len(data), kind) for kind in (np.uint64, np.uint32, np.uint32)]

        def plain(data=data, outputs=outputs) -> None:
            lib.words(pointer(data), ctypes.c_size_t(len(data)), *map(pointer, outputs))

        def ours(edition: str, data=data, offsets=offsets) -> None:
            kernel.use_avx2(edition != "portable")
            kernel.use_avx512(edition == "avx512")
            kernel.shingles(data, offsets, WORDS_A_SHINGLE)

        seconds = fastest(plain, *(partial(ours, edition) for edition in EDITIONS), rounds=20)
        speed = [len(data) / s / 1e6 for s in seconds]
        print(f"{name:22} {speed[0]:8.0f}", *(f"{s:9.0f} {s / speed[0]:6.2f}" for s in speed[1:]))


if __name__ == "__main__":
    main()
