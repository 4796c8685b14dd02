"""Make a corpus of any size for benches: documents of about 5 KB of made-up words, one in five a near-copy.

usage: corpus_generator.py DOCUMENTS OUT.jsonl [--cluster N] [--shared] [--identical] [--templates N]
`--cluster N`: the last N documents are near-copies of one another; `--shared`: all documents share one
shingle; `--identical`: all documents are the same; `--templates N`: short records of N templates instead,
30 to 60 words with four fields of two words.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

WORDS = 800
VOCABULARY = 60_000
POOL = 2_000_000
RUN = 7


def documents(count: int, seed: int = 1997) -> Iterator[str]:
    """Give texts of runs of seven words, cut from a pool at random: shingles of ten repeat hardly ever."""
    chance = random.Random(seed)
    vocabulary = [
        "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9)))
        for _ in range(VOCABULARY)
    ]
    weights = [1 / (rank + 3) for rank in range(VOCABULARY)]
    pool = chance.choices(vocabulary, weights, k=POOL)
    text = " ".join(pool)
    starts = [0, *accumulate(len(word) + 1 for word in pool)]
    earlier: list[list[str]] = []
    places, pieces = range(POOL - RUN), WORDS // RUN + 1
    for number in range(count):
        if number % 5 == 4:
            runs = list(chance.choice(earlier))
            for at in chance.choices(range(pieces), k=chance.randint(0, 40)):
                runs[at] = f"{runs[at].partition(' ')[2]} {chance.choice(vocabulary)}"
        else:
            runs = [text[starts[at] : starts[at + RUN] - 1] for at in chance.choices(places, k=pieces)]
            if len(earlier) < 2000:
                earlier.append(runs)
            else:
                earlier[chance.randrange(2000)] = runs
        yield " ".join(runs)


def near_copies(count: int, seed: int = 3) -> Iterator[str]:
    chance = random.Random(seed)
    base = [f"n{chance.randrange(10**6)}" for _ in range(WORDS)]
    for _ in range(count):
        words = list(base)
        for _ in range(8):
            words[chance.randrange(WORDS)] = f"e{chance.randrange(10**9)}"
        yield " ".join(words)


def records(count: int, templates: int, seed: int = 5) -> Iterator[str]:
    """Give short records: a template each, with fields that are filled in at random."""
    chance = random.Random(seed)
    vocabulary = [
        "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(2, 9)))
        for _ in range(VOCABULARY)
    ]
    made = []
    for _ in range(templates):
        words = chance.choices(vocabulary, k=chance.randint(30, 60))
        for at in chance.sample(range(len(words)), 4):
            words[at] = "{} {}"
        made.append(" ".join(words))
    for _ in range(count):
        yield chance.choice(made).format(*chance.choices(vocabulary, k=8))


def write(
    path: Path,
    count: int,
    cluster: int = 0,
    shared: bool = False,
    identical: bool = False,
    templates: int = 0,
) -> None:
    with path.open("w", encoding="utf-8") as file:
        number = 0
        one = next(documents(1))
        plain = (one for _ in range(count)) if identical else documents(count - cluster)
        plain = records(count - cluster, templates) if templates else plain
        for text in plain:
            text = f"one two three four five six seven eight nine ten {text}" if shared else text
            file.write(json.dumps({"id": f"g{number}", "text": text}) + "\n")
            number += 1
        for text in near_copies(cluster):
            file.write(json.dumps({"id": f"g{number}", "text": text}) + "\n")
            number += 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", type=int)
    parser.add_argument("out", type=Path)
    parser.add_argument("--cluster", type=int, default=0)
    parser.add_argument("--shared", action="store_true")
    parser.add_argument("--identical", action="store_true")
    parser.add_argument("--templates", type=int, default=0)
    given = parser.parse_args()
    write(given.out, given.documents, given.cluster, given.shared, given.identical, given.templates)
