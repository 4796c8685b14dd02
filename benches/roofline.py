"""What each stage costs and what bounds it: python benches/roofline.py

Instructions are counted by callgrind (`valgrind` must be there) in the AVX2 edition, which is what it knows.
Bytes moved are those that a stage reads and writes, not those that stay in the cache. The bandwidth is that
of one core copying 64 MiB.
"""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from canonicalise import GERMAN, fill, inputs
from pipeline import random_prose
from plain_c import fastest

from copysift.kernels import _lex, _selection, _shingle, _text
from copysift.kinds import languages

SIZE, COUNTED = 1 << 20, 1 << 17
COPIED = 64 << 20
WRAPPERS = "__pyx_pw_8copysift_7kernels_"


class Stage(NamedTuple):
    """A kernel with its input; `function` is its name, which callgrind reports."""

    name: str
    function: str
    source: Any
    call: Callable[[], Any]


def texts(size: int) -> dict[str, bytes]:
    made = inputs(size)
    return {"prose": random_prose(size), "German": fill(GERMAN.encode(), size)} | made


def stages(given: dict[str, bytes]) -> list[Stage]:
    prose, page, german = given["prose"], given["HTML"], given["German"]
    letters, code, array = (
        np.frombuffer(given[name], np.uint8) for name in ("random letters", "C headers", "prose")
    )
    table = next(entry.table.arrays() for entry in languages().entries if entry.name == "c")
    bounds = np.array([0, len(prose)])
    return [
        Stage("canonicalise prose", "plain_block", prose, lambda: _text.plain_block(prose, True)),
        Stage("canonicalise German", "unicode_block", german, lambda: _text.unicode_block(german, True)),
        Stage("blank HTML", "markup_block", page, lambda: _text.markup_block(page, 0, 0, True)),
        Stage("hash words", "words_block", prose, lambda: _text.words_block(prose, 0, True)),
        Stage("lex C", "lex", code, lambda: _lex.lex(code, *table)),
        Stage("hash and select", "winnow", letters, lambda: _selection.winnow(letters, 25, 26)),
        Stage("shingles of ten words", "shingles", array, lambda: _shingle.shingles(array, bounds, 10)),
    ]


def size_of(value: Any) -> int:
    if isinstance(value, tuple | list):
        return sum(map(size_of, value))
    return (
        int(value.nbytes) if isinstance(value, np.ndarray) else len(value) if isinstance(value, bytes) else 0
    )


def instructions(given: dict[str, bytes]) -> dict[str, int]:
    """Count the instructions of one call of each kernel, with all that it calls."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "texts").write_bytes(pickle.dumps(given))
        counts = f"{folder}/counts"
        subprocess.run(
            [
                "valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}", "--collect-atstart=no",
                f"--toggle-collect={WRAPPERS}*", sys.executable, __file__, f"{folder}/texts",
            ],
            check=True, capture_output=True,
        )  # fmt: skip
        listed = subprocess.run(
            ["callgrind_annotate", "--inclusive=yes", "--threshold=100", counts],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
    found: dict[str, int] = {}
    for count, name in re.findall(rf"^ *([\d,]+) .*:{WRAPPERS}\d+_[a-z]+_\d+(\w+)", listed, re.M):
        found.setdefault(
            name, int(count.replace(",", ""))
        )  # the first is the largest: the kernel with all inside
    return found


def bandwidth() -> float:
    source, target = np.ones(COPIED, np.uint8), np.zeros(COPIED, np.uint8)
    return 2 * COPIED / fastest(lambda: np.copyto(target, source))[0]


def main() -> None:
    if len(sys.argv) > 1:  # below callgrind
        for stage in stages(pickle.loads(Path(sys.argv[1]).read_bytes())):
            stage.call()
        return
    counts, peak = instructions(texts(COUNTED)), bandwidth()
    print(f"bandwidth of one core: {peak / 1e9:.1f} GB/s")
    print(f"{'a byte of input':22}   MB/s  instructions  bytes moved  GB/s moved  of bandwidth")
    for stage in stages(texts(SIZE)):
        moved = (SIZE + size_of(stage.call())) / SIZE
        speed = SIZE / fastest(stage.call)[0]
        print(
            f"{stage.name:22} {speed / 1e6:6.0f} {counts[stage.function] / COUNTED:13.1f} {moved:12.1f}"
            f" {speed * moved / 1e9:11.1f} {100 * speed * moved / peak:11.0f} %"
        )


if __name__ == "__main__":
    main()
