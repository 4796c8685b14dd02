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
from canonicalise import CHINESE, GERMAN, fill, inputs
from pipeline import random_prose
from plain_c import fastest

from copysift.kernels import _lex, _selection, _shingle, _text
from copysift.kinds import languages

SIZE, COUNTED = 1 << 20, 1 << 17
COPIED = 64 << 20


class Stage(NamedTuple):
    """A kernel with its input."""

    name: str
    source: Any
    call: Callable[[], Any]


def texts(size: int) -> dict[str, bytes]:
    made = inputs(size)
    return {
        "prose": random_prose(size), "C": made["C headers"], "HTML": made["HTML"],
        "German": fill(GERMAN.encode(), size), "Chinese": fill(CHINESE.encode(), size),
    }  # fmt: skip


def stages(given: dict[str, bytes]) -> list[Stage]:
    prose, page, german, chinese = (given[name] for name in ("prose", "HTML", "German", "Chinese"))
    letters = _text.plain_block(prose, True)[0]
    wide = _text.unicode_block(german, 0, True)[0]
    code, array = (np.frombuffer(given[name], np.uint8) for name in ("C", "prose"))
    table = next(entry.table.arrays() for entry in languages().entries if entry.name == "c")
    bounds = np.array([0, len(prose)])
    return [
        Stage("canonicalise prose", prose, lambda: _text.plain_block(prose, True)),
        Stage("canonicalise German", german, lambda: _text.unicode_block(german, 0, True)),
        Stage("canonicalise Chinese", chinese, lambda: _text.unicode_block(chinese, 0, True)),
        Stage("blank HTML", page, lambda: _text.markup_block(page, 0, 0, True)),
        Stage("hash words", prose, lambda: _text.words_block(prose, 0, True)),
        Stage("lex C", code, lambda: _lex.lex(code, *table)),
        Stage("select, bytes", letters, lambda: _selection.winnow(letters, 25, 26)),
        Stage("select, wide symbols", wide, lambda: _selection.winnow(wide, 25, 26)),
        Stage("select, open-closed", letters, lambda: _selection.winnow(letters, 25, 26, 0, True, 4)),
        Stage("shingles of ten words", array, lambda: _shingle.shingles(array, bounds, 10)),
    ]


def size_of(value: Any) -> int:
    if isinstance(value, tuple | list):
        return sum(map(size_of, value))
    return (
        int(value.nbytes) if isinstance(value, np.ndarray) else len(value) if isinstance(value, bytes) else 0
    )


def instructions(given: dict[str, bytes], count: int) -> list[int]:
    """Count the instructions of one call of each stage, with all that it calls: a dump after each."""
    kernels = "__pyx_pw_8copysift_7kernels_*"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "texts").write_bytes(pickle.dumps(given))
        subprocess.run(
            [
                "valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counts",
                "--collect-atstart=no", f"--toggle-collect={kernels}", f"--dump-after={kernels}",
                sys.executable, __file__, f"{folder}/texts",
            ],
            check=True, capture_output=True,
        )  # fmt: skip
        dumps = sorted(Path(folder).glob("counts.*"), key=lambda path: int(path.suffix[1:]))
        found = [re.search(r"^(?:summary|totals): (\d+)", path.read_text(), re.M) for path in dumps]
    totals = [int(each[1]) for each in found if each]
    return [each for each in totals if each][-count:]  # what comes before them makes their input


def bandwidth() -> float:
    source, target = np.ones(COPIED, np.uint8), np.zeros(COPIED, np.uint8)
    return 2 * COPIED / fastest(lambda: np.copyto(target, source))[0]


def main() -> None:
    if len(sys.argv) > 1:  # below callgrind
        for stage in stages(pickle.loads(Path(sys.argv[1]).read_bytes())):
            stage.call()
        return
    peak, few = bandwidth(), texts(COUNTED)
    counts = instructions(few, len(stages(few)))
    print(f"bandwidth of one core: {peak / 1e9:.1f} GB/s")
    print(f"{'a byte of input':22}   MB/s  instructions  bytes moved  GB/s moved  of bandwidth")
    for stage, short, count in zip(stages(texts(SIZE)), stages(few), counts, strict=True):
        read = size_of(stage.source)
        moved = (read + size_of(stage.call())) / read
        speed = read / fastest(stage.call)[0]
        print(
            f"{stage.name:22} {speed / 1e6:6.0f} {count / size_of(short.source):13.1f} {moved:12.1f}"
            f" {speed * moved / 1e9:11.1f} {100 * speed * moved / peak:11.0f} %"
        )


if __name__ == "__main__":
    main()
