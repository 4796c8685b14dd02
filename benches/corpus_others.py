"""What others do with a corpus, end to end from the JSON lines, one tool in one process.

usage: corpus_others.py TOOL CORPUS.jsonl [DOCUMENTS]. TOOL is datasketch, gaoya or rensa. All take shingles
of 5 words and a resemblance of .5, and are called as their documentation recommends for many documents:
datasketch with `update_batch` and 128 permutations, gaoya with its own shingles in Rust on all cores (42
bands of 3), rensa with 128 permutations in 32 bands. Prints how many documents have a near-copy.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import orjson

WORDS = 5
THRESHOLD = 0.5


def texts(path: Path, count: int | None) -> Iterator[str]:
    with path.open("rb") as file:
        for line in islice(file, count):
            yield orjson.loads(line)["text"]


def shingles(text: str) -> set[str]:
    words = re.findall(r"\w+", text.lower())
    return {" ".join(words[at : at + WORDS]) for at in range(len(words) - WORDS + 1)}


def datasketch(path: Path, count: int | None) -> int:
    from datasketch import MinHash, MinHashLSH

    lsh = MinHashLSH(threshold=THRESHOLD, num_perm=128)
    found = set()
    for place, text in enumerate(texts(path, count)):
        sketch = MinHash(num_perm=128)
        sketch.update_batch([each.encode() for each in shingles(text)])
        near = lsh.query(sketch)
        if near:
            found.update((place, *near))
        lsh.insert(place, sketch)
    return len(found)


def gaoya(path: Path, count: int | None) -> int:
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=THRESHOLD,
        num_bands=42,
        band_size=3,
        analyzer="word",
        lowercase=True,
        ngram_range=(WORDS, WORDS),
    )
    held = list(texts(path, count))
    index.par_bulk_insert_docs(list(range(len(held))), held)
    return sum(len(near) > 1 for near in index.par_bulk_query(held))


def rensa(path: Path, count: int | None) -> int:
    from rensa import RMinHash, RMinHashLSH

    lsh = RMinHashLSH(threshold=THRESHOLD, num_perm=128, num_bands=32)
    found = set()
    for place, text in enumerate(texts(path, count)):
        sketch = RMinHash(num_perm=128, seed=42)
        sketch.update(list(shingles(text)))
        near = lsh.query(sketch)
        if near:
            found.update((place, *near))
        lsh.insert(place, sketch)
    return len(found)


TOOLS = {"datasketch": datasketch, "gaoya": gaoya, "rensa": rensa}

if __name__ == "__main__":
    most = int(sys.argv[3]) if len(sys.argv) > 3 else None
    print(TOOLS[sys.argv[1]](Path(sys.argv[2]), most))
