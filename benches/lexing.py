"""Lexing code on one core, beside a plain C loop that only hashes words: python benches/lexing.py

Files of 32 KB: C headers and Python modules of the running Python, and one line over and over.
"""

from __future__ import annotations

import ctypes
import sysconfig
from pathlib import Path

import numpy as np
from canonicalise import fill, library
from plain_c import fastest, pointer

from copysift.kernels import _lex as kernel
from copysift.kinds import languages

SIZE = 4 << 20
FILE = 32 << 10


def inputs() -> dict[str, bytes]:
    paths = sysconfig.get_paths()
    headers = sorted(Path(paths["include"]).rglob("*.h"))
    modules = sorted(Path(paths["stdlib"]).glob("*.py"))
    made = {
        "c": b"".join(path.read_bytes() for path in headers),
        "python": b"".join(path.read_bytes() for path in modules),
        "javascript": b"function add(first, second) { return first + second * 2.5; } // and so on\n",
        "java": b'/* one */ public int count(String s) { return s.length() == 0 ? 1 : "a b".hashCode(); }\n',
    }
    return {name: fill(text, SIZE) for name, text in made.items()}


def main() -> None:
    lib = library()
    tables = {entry.name: entry.table.arrays() for entry in languages().entries if not entry.language.text}
    outputs = [np.zeros(FILE, kind) for kind in (np.uint64, np.uint32, np.uint32)]
    print("MB/s        plain C  copysift  ratio")
    for name, text in inputs().items():
        files = [np.frombuffer(text[i : i + FILE], np.uint8) for i in range(0, SIZE, FILE)]

        def plain(files: list[np.ndarray] = files) -> None:
            for data in files:
                lib.words(pointer(data), ctypes.c_size_t(len(data)), *map(pointer, outputs))

        def ours(files: list[np.ndarray] = files, name: str = name) -> None:
            for data in files:
                kernel.lex(data, *tables[name])

        speed = [SIZE / seconds / 1e6 for seconds in fastest(plain, ours)]
        print(f"{name:11} {speed[0]:7.0f} {speed[1]:9.0f} {speed[1] / speed[0]:6.2f}")


if __name__ == "__main__":
    main()
