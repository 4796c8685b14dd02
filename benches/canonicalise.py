"""Canonicalisation on one core against branchy plain C in the same run: python benches/canonicalise.py"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from plain_c import fastest, pointer

from copysift.kernels import _text as kernel
from copysift.kinds import canonicaliser

CHUNK = 1 << 20
EDITIONS = ["avx512", "avx2", "portable"] if kernel.has_avx512() else ["avx2", "portable"]
GERMAN = "Die Straße führt über die große Brücke nach Köln; schöne Grüße an Käthe und Jürgen, später mehr. "
CHINESE = "中文测试文本，这里有一些汉字需要处理。第二句话也在这里，内容与第一句不同。"
TYPESET = "“The quick brown fox” – she said – jumps over the lazy dog’s back; nothing else happened… "


def library() -> ctypes.CDLL:
    source = Path(__file__).with_name("branchy.c")
    target = Path(tempfile.mkdtemp(prefix="copysift-bench-")) / "branchy.so"
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-O3", "-shared", "-fPIC", "-o", str(target), str(source)], check=True)
    return ctypes.CDLL(str(target))


def fill(text: bytes, size: int) -> bytes:
    return (text * (size // len(text) + 1))[:size]


def inputs(size: int) -> dict[str, bytes]:
    letters = np.random.default_rng(1997).integers(97, 123, size).astype(np.uint8).tobytes()
    headers = sorted(Path(sysconfig.get_paths()["include"]).rglob("*.h"))
    code = fill(b"".join(path.read_bytes() for path in headers), size)
    prose = code.decode("ascii", "ignore").split()
    lines = (f"<p class='x'>{word} <b>{word}</b> &amp; {word}</p>\n" for word in prose[:200_000])
    return {
        "random letters": letters,
        "C headers": code,
        "typeset English": fill(TYPESET.encode(), size),
        "German": fill(GERMAN.encode(), size),
        "Chinese": fill(CHINESE.encode(), size),
        "HTML": fill("".join(lines).encode(), size),
    }


def through(kind: str, data: bytes, edition: str) -> Callable[[], None]:
    chunks = [data[i : i + CHUNK] for i in range(0, len(data), CHUNK)]

    def run() -> None:
        kernel.use_avx2(edition != "portable")
        kernel.use_avx512(edition == "avx512")
        for _ in canonicaliser(kind).blocks(chunks):
            pass

    return run


def plain(call: Callable[..., int], data: bytes, *outputs: np.ndarray) -> Callable[[], None]:
    chunks = [np.frombuffer(data[i : i + CHUNK], np.uint8) for i in range(0, len(data), CHUNK)]

    def run() -> None:
        for chunk in chunks:
            call(pointer(chunk), ctypes.c_size_t(len(chunk)), *map(pointer, outputs))

    return run


def main() -> None:
    size = int(sys.argv[1]) << 20 if len(sys.argv) > 1 else 16 << 20
    lib = library()
    narrow, wide = np.zeros(CHUNK, np.uint8), np.zeros(CHUNK, np.uint64)
    one, two = np.zeros(CHUNK, np.uint32), np.zeros(CHUNK, np.uint32)
    print(f"{'MB/s':28}  plain C", *(f"{edition:>9}  ratio" for edition in EDITIONS))
    for name, data in inputs(size).items():
        for kind in ("html", "html-words") if name == "HTML" else ("text", "words"):
            counts_words = kind.endswith("words")
            base = plain(
                *((lib.words, data, wide, one, two) if counts_words else (lib.letters, data, narrow, one))
            )
            seconds = fastest(base, *(through(kind, data, edition) for edition in EDITIONS), rounds=5)
            speed = [size / s / 1e6 for s in seconds]
            ratios = (f"{each:9.0f} {each / speed[0]:6.2f}" for each in speed[1:])
            print(f"{name + ' as ' + kind:28} {speed[0]:8.0f}", *ratios)


if __name__ == "__main__":
    main()
