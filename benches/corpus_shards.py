"""Make a corpus of millions of documents fast, as packed shards that are written by several processes.

usage: corpus_shards.py DOCUMENTS FOLDER [--shards N] [--suffix .jsonl.zst] [--jobs N]

Documents are about 5 KB, 115 runs of seven words of a pool. Neighbours draw from one stretch of the pool, as
pages of a site have a subject. One in four ends with a notice, some of which are in many documents. One in
five is a near-copy of an earlier one; its ID names that one (`g7-120.g7-4`), so it is known what is to be
found. Every tenth batch has its near-copies from the shard before.

Of ten shards or more nine in ten are an earlier one with other letters, which takes a tenth of the time: all
words are new but those of a few letters, and the places and sizes of copies are those of that shard.
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from itertools import accumulate
from pathlib import Path

import numpy as np
import pyarrow as pa

VOCABULARY = 60_000
POOL = 2_000_000  # words
SUBJECT = 20_000  # words of the pool that neighbours draw from
RUN, RUNS = 7, 115
BATCH, COPIES = 500, 100  # documents with one subject, and how many of them are near-copies
CHANGED = 40  # runs of a near-copy that differ, at most
NOTICES = 1000

Runs = list[str]


@lru_cache(maxsize=1)
def pool() -> tuple[list[str], str, list[int], list[str]]:
    """Give the words, the text of all of them and where each starts, and the notices."""
    chance = random.Random(1997)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(VOCABULARY)]
    drawn = chance.choices(words, [1 / (rank + 3) for rank in range(VOCABULARY)], k=POOL)
    starts = [0, *accumulate(len(word) + 1 for word in drawn)]
    notices = [" ".join(chance.choices(words, k=30)) for _ in range(NOTICES)]
    return words, " ".join(drawn) + " ", starts, notices


def originals(shard: int, batch: int) -> list[Runs]:
    """Give the documents of a batch that are no copies, as runs of words."""
    _, text, starts, _ = pool()
    chance = np.random.default_rng([1997, shard, batch])
    first = int(chance.integers(POOL - SUBJECT - RUN))
    drawn = (first + chance.integers(0, SUBJECT, (BATCH - COPIES, RUNS))).tolist()
    return [[text[starts[at] : starts[at + RUN] - 1] for at in row] for row in drawn]


def lines(shard: int, count: int) -> Iterator[str]:
    """Give the documents of a shard as JSON lines; words need no escapes."""
    words, _, _, notices = pool()
    weights = list(accumulate(1 / (rank + 10) for rank in range(NOTICES)))
    chance = random.Random(shard)
    number = 0
    for batch in range(-(-count // BATCH)):
        new = originals(shard, batch)
        far = shard > 0 and batch % 10 == 9
        of, known = (shard - 1, originals(shard - 1, batch)) if far else (shard, new)
        named = [(f"g{shard}-{batch * BATCH + at}", runs) for at, runs in enumerate(new)]
        for at in range(len(new), BATCH):
            base = chance.randrange(len(known))
            runs = list(known[base])
            for place in chance.choices(range(RUNS), k=chance.randint(0, CHANGED)):
                runs[place] = f"{runs[place].partition(' ')[2]} {chance.choice(words)}"
            named.append((f"g{shard}-{batch * BATCH + at}.g{of}-{batch * BATCH + base}", runs))
        for name, runs in named[: count - number]:
            if chance.random() < 0.25:
                runs = [*runs, chance.choices(notices, cum_weights=weights)[0]]
            yield f'{{"id": "{name}", "text": "{" ".join(runs)}"}}\n'
        number += len(named)


def letters(turn: int) -> bytes:
    """Give the letters that those of a text become; the letters of the names of fields stay."""
    plain = bytes(each for each in b"abcdefghijklmnopqrstuvwxyz" if each not in b"gidtex")
    mixed = bytearray(plain)
    random.Random(turn).shuffle(mixed)
    return bytes.maketrans(plain, bytes(mixed) if turn else plain)


def write_shards(folder: Path, suffix: str, count: int, step: int, shards: int, shard: int) -> int:
    """Write a shard, and with other letters those `step`, 2 · `step` … after it; give the bytes of lines."""
    held = []
    some: list[str] = []
    for line in lines(shard, count):
        some.append(line)
        if len(some) == 1000:
            held.append("".join(some).encode())
            some = []
    held.append("".join(some).encode())
    total = 0
    for turn, number in enumerate(range(shard, shards, step)):
        table = letters(turn)
        path = folder / f"part-{number:05d}{suffix}"
        packing = {".gz": "gzip", ".zst": "zstd"}.get(path.suffix)
        with pa.output_stream(path, compression=packing) as file:
            for block in held:
                changed = block.translate(table) if turn else block
                for each in {shard, shard - 1} if turn else ():
                    changed = changed.replace(b"g%d-" % each, b"g%d-" % (each + turn * step))
                total += file.write(changed)
    return total


def made(shards: int) -> int:
    """Give how many shards are no earlier one with other letters."""
    return -(-shards // 10) if shards > 10 else shards


def write(folder: Path, count: int, shards: int, suffix: str, jobs: int) -> int:
    """Write documents into shards of one size; give the bytes of their lines."""
    folder.mkdir(parents=True, exist_ok=True)
    one = partial(write_shards, folder, suffix, count // shards, made(shards), shards)
    with ProcessPoolExecutor(jobs) as workers:
        return sum(workers.map(one, range(made(shards))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", type=int)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--suffix", default=".jsonl.zst", choices=(".jsonl", ".jsonl.gz", ".jsonl.zst"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    size = write(given.folder, given.documents, given.shards, given.suffix, given.jobs)
    print(f"{size / 1e6:,.0f} MB of lines")


if __name__ == "__main__":
    main()
