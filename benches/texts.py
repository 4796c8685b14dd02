"""Canonicalise, hash and select at the default, text by text, as a share of prose: python benches/texts.py

No text should go at less than half the speed of prose: one of a single letter, where every comparison is a
tie, is as ordinary as a ruler or an empty table.
"""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

from canonicalise import fill, inputs
from pipeline import random_prose
from plain_c import fastest

from copysift.fingerprints import FingerprintSettings, fingerprinter
from copysift.kinds import canonicaliser

DOCUMENT = 64 << 10


def texts(size: int) -> dict[str, tuple[str, bytes]]:
    modules = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    made = {
        "random prose": ("text", random_prose(size)),
        "one letter": ("text", b"a" * size),
        "two letters in turn": ("text", fill(b"ab", size)),
        "a ruler": ("text", fill(b"1---+----2---+----3---+----4---+----\n", size)),
        "Python": ("text", fill(b"".join(path.read_bytes() for path in modules), size)),
    }
    for name, data in inputs(size).items():
        made[name] = ("html" if name == "HTML" else "text", data)
    return made


def main() -> None:
    size = int(sys.argv[1]) << 20 if len(sys.argv) > 1 else 4 << 20
    make = fingerprinter(FingerprintSettings("robust", 25, 26))
    calls = {}
    for name, (kind, data) in texts(size).items():
        documents = [data[i : i + DOCUMENT] for i in range(0, size, DOCUMENT)]

        def run(documents: list[bytes] = documents, kind: str = kind) -> None:
            for document in documents:
                make.fingerprint(canonicaliser(kind).blocks([document]))

        calls[name] = run
    speed = dict(zip(calls, (size / seconds / 1e6 for seconds in fastest(*calls.values())), strict=True))
    print("                        MB/s  of prose")
    for name, each in speed.items():
        print(f"{name:20} {each:7.0f} {each / speed['random prose']:9.2f}")


if __name__ == "__main__":
    main()
