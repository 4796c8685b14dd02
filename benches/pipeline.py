"""Canonicalise, hash and select, on one core, against the same in plain C: python benches/pipeline.py

Documents of 64 KB, C source or random text with punctuation; positions are resolved in both.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np
from plain_c import Room, fastest, library, pointer

from copysift.fingerprints import FingerprintSettings, fingerprinter
from copysift.kinds import canonicaliser

DOCUMENT = 64 << 10


def random_prose(size: int) -> bytes:
    rng = np.random.default_rng(1997)
    letters = rng.integers(97, 123, size).astype(np.uint8)
    letters[rng.integers(0, size, size // 6)] = 32
    letters[rng.integers(0, size, size // 60)] = 46
    return letters.tobytes()


def sources(size: int) -> dict[str, bytes]:
    made = {"random prose": random_prose(size)}
    if len(sys.argv) > 1:
        parts = [p.read_bytes() for p in sorted(Path(sys.argv[1]).rglob("*.h"))[:4000]]
        made["C headers"] = bytes(c & 127 for c in b"".join(parts)[:size])
    return made


def main() -> None:
    size = 32 << 20
    lib, room, n = library(), Room(2 * DOCUMENT), ctypes.c_size_t
    print(f"{'':14} {'k, w':>8} {'scalar C':>9} {'copysift':>9} {'ratio':>6}   MB/s of input")
    for name, text in sources(size).items():
        documents = [text[i : i + DOCUMENT] for i in range(0, len(text), DOCUMENT)]
        arrays = [np.frombuffer(document, np.uint8) for document in documents]
        for k, w in ((50, 100), (50, 50), (20, 20), (25, 26)):
            make, text_kind = fingerprinter(FingerprintSettings("robust", k, w)), canonicaliser("text")

            def plain(k: int = k, w: int = w, arrays: list[np.ndarray] = arrays) -> None:
                for array in arrays:
                    lib.pipeline(
                        pointer(array), n(len(array)), n(k), n(w), pointer(room.hashes),
                        pointer(room.places), pointer(room.symbols), pointer(room.where),
                    )  # fmt: skip

            def ours(make=make, kind=text_kind, documents: list[bytes] = documents) -> None:
                for document in documents:
                    make.fingerprint([kind.whole(document)])

            speed = [len(text) / s / 1e6 for s in fastest(plain, ours)]
            print(f"{name:14} {k:>3}, {w:>3} {speed[0]:9.0f} {speed[1]:9.0f} {speed[1] / speed[0]:6.2f}")


if __name__ == "__main__":
    main()
