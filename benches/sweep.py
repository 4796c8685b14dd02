"""What a sweep costs: 100,000 documents, then a sweep that changes 1 % of them, and the reading alone.

    python benches/sweep.py [--documents 100000] [--bytes 4000] [--changed 1%]

Prints seconds of the reading alone (every record of the JSON lines as the sweep takes it, nothing done with
it), of the first sweep, of a sweep that changes some, of one that changes nothing, and the share of the
first that the second takes beyond its reading.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import orjson

import copysift
from copysift.sources.crawl import NAMES, crawl
from copysift.sources.records import Fields
from copysift.sources.walk import WalkSettings

WORDS = 50_000


def write(path: Path, documents: int, size: int, changed: int, vocabulary: list[str]) -> None:
    """Write a sweep; the first `changed` documents differ in a twentieth of their words."""
    length = size // 8
    with path.open("wb") as file:
        for number in range(documents):
            chosen = np.random.default_rng(number).integers(0, WORDS, length)
            if number < changed:
                start = length // 3
                chosen[start : start + length // 20] = np.random.default_rng(documents + number).integers(
                    0, WORDS, length // 20
                )
            text = " ".join([vocabulary[at] for at in chosen.tolist()])
            file.write(orjson.dumps({"uri": f"http://{number % 97}.example/{number}", "text": text}) + b"\n")


def reading(path: Path) -> float:
    """Give the seconds that reading a sweep takes."""
    began = time.perf_counter()
    for _ in crawl(str(path), "auto", Fields(names=NAMES, named=True), WalkSettings()):
        pass
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--bytes", type=int, default=4000)
    parser.add_argument("--changed", type=float, default=0.01)
    parser.add_argument("--folder", type=Path, default=None)
    options = parser.parse_args()
    letters = np.random.default_rng(0).integers(97, 123, (WORDS, 7), dtype=np.uint8)
    vocabulary = [row.tobytes().decode() for row in letters]
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        folder = Path(scratch)
        first, second = folder / "1.jsonl", folder / "2.jsonl"
        changed = int(options.documents * options.changed)
        write(first, options.documents, options.bytes, 0, vocabulary)
        write(second, options.documents, options.bytes, changed, vocabulary)
        read = min(reading(second) for _ in range(2))
        print(
            f"{options.documents:,} documents, "
            f"{first.stat().st_size / 1e6:,.0f} MB; reading alone {read:.2f} s"
        )
        taken = []
        with copysift.Index(folder / "x.sift") as index:
            for date, path in (("2026-01-01", first), ("2026-02-01", second), ("2026-03-01", second)):
                began = time.perf_counter()
                done = index.sweep(path, date=date)
                taken.append(time.perf_counter() - began)
                print(
                    f"{date}: {taken[-1]:.2f} s; {done.new:,} new, {done.changed:,} changed, "
                    f"{done.sketched:,} sketched"
                )
            began = time.perf_counter()
            found = index.locate("http://0.example/0")
            print(f"locate {(time.perf_counter() - began) * 1000:.1f} ms ({found.status})")
            began = time.perf_counter()
            index.changes()
            print(f"changes {time.perf_counter() - began:.2f} s")
    beyond = [each - read for each in taken[1:]]
    print(f"beyond the reading: {beyond[0]:.2f} s, {beyond[0] / taken[0]:.1%} of the first sweep")
    print(f"nothing changed: {beyond[1]:.2f} s, {beyond[1] / taken[0]:.1%} of the first sweep")


if __name__ == "__main__":
    main()
