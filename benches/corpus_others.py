"""What others do with a corpus, end to end from the JSON lines, one tool in one process.

    corpus_others.py TOOL CORPUS.jsonl [threshold] [--list]

TOOL is datasketch, gaoya, rensa, text-dedup or datatrove. All take shingles of 5 words and a resemblance of
.5 or threshold, and are called as their documentation recommends for many documents: datasketch with
`update_batch` and 128 permutations, gaoya with its own shingles in Rust on all cores, rensa with 128
permutations, text-dedup by its command with the faster hash, datatrove as its four steps one after another.
The `id` of a record is its number. Prints how many documents have a near-copy, or which.
"""

from __future__ import annotations

import pickle
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson

WORDS = 5


def bands(threshold: float) -> tuple[int, int]:
    """Give how many bands of how many of 128 values: two of the usual choices."""
    return (32, 4) if threshold < 0.7 else (16, 8)


def texts(path: Path) -> Iterator[str]:
    with path.open("rb") as file:
        for line in file:
            yield orjson.loads(line)["text"]


def shingles(text: str) -> set[str]:
    words = re.findall(r"\w+", text.lower())
    return {" ".join(words[at : at + WORDS]) for at in range(len(words) - WORDS + 1)}


def datasketch(path: Path, threshold: float) -> set[int]:
    from datasketch import MinHash, MinHashLSH

    lsh = MinHashLSH(threshold=threshold, num_perm=128)
    found = set()
    for place, text in enumerate(texts(path)):
        sketch = MinHash(num_perm=128)
        sketch.update_batch([each.encode() for each in shingles(text)])
        near = lsh.query(sketch)
        if near:
            found.update((place, *near))
        lsh.insert(place, sketch)
    return found


def gaoya(path: Path, threshold: float) -> set[int]:
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=threshold,
        num_bands=42 if threshold < 0.7 else 16,
        band_size=3 if threshold < 0.7 else 8,
        analyzer="word",
        lowercase=True,
        ngram_range=(WORDS, WORDS),
    )
    held = list(texts(path))
    index.par_bulk_insert_docs(list(range(len(held))), held)
    return {number for number, near in enumerate(index.par_bulk_query(held)) if len(near) > 1}


def rensa(path: Path, threshold: float) -> set[int]:
    from rensa import RMinHash, RMinHashLSH

    lsh = RMinHashLSH(threshold=threshold, num_perm=128, num_bands=bands(threshold)[0])
    found = set()
    for place, text in enumerate(texts(path)):
        sketch = RMinHash(num_perm=128, seed=42)
        sketch.update(list(shingles(text)))
        near = lsh.query(sketch)
        if near:
            found.update((place, *near))
        lsh.insert(place, sketch)
    return found


def text_dedup(path: Path, threshold: float) -> set[int]:
    from text_dedup.minhash import main

    with TemporaryDirectory() as folder:
        kept = Path(folder) / "kept"
        main(
            [
                *("--path", "json", "--data_files", str(path), "--split", "train", "--debug"),
                *("--cache_dir", str(Path(folder) / "cache"), "--output", str(kept), "--column", "text"),
                *("--ngram", str(WORDS), "--threshold", str(threshold), "--num_perm", "128"),
                *("--hash_func", "xxh3", "--hash_bits", "32"),
            ],
            standalone_mode=False,
        )
        sets = pickle.loads((kept / "uf.pkl").read_bytes())
        root = {each: sets.find(each) for each in list(sets.parent)}
        size = Counter(root.values())
        return {int(each) for each in root if size[root[each]] > 1}


def datatrove(path: Path, threshold: float) -> set[int]:
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import (
        MinhashDedupBuckets,
        MinhashDedupCluster,
        MinhashDedupFilter,
        MinhashDedupSignature,
    )
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter

    many, values = bands(threshold)
    config = MinhashConfig(n_grams=WORDS, num_buckets=many, hashes_per_bucket=values)
    with TemporaryDirectory() as folder:
        part = {
            name: str(Path(folder) / name) for name in ("signatures", "buckets", "removed", "kept", "not")
        }
        reader = JsonlReader(str(path.parent), glob_pattern=path.name)
        kept, gone = (JsonlWriter(part[name], compression=None) for name in ("kept", "not"))
        steps = [
            [reader, MinhashDedupSignature(part["signatures"], config=config)],
            [MinhashDedupBuckets(part["signatures"], part["buckets"], config=config)],
            [MinhashDedupCluster(part["buckets"], part["removed"], config=config, save_cluster_size=True)],
            [reader, MinhashDedupFilter(part["removed"], gone, load_cluster_sizes=True), kept],
        ]
        for number, step in enumerate(steps):
            logs = str(Path(folder) / f"log{number}")
            tasks = many if number == 1 else 1
            LocalPipelineExecutor(step, tasks=tasks, workers=1, logging_dir=logs).run()
        found = set()
        for name in ("kept", "not"):
            for written in Path(part[name]).glob("*.jsonl"):
                for line in written.read_bytes().splitlines():
                    record = orjson.loads(line)
                    if name == "not" or record["metadata"].get("minhash_cluster_size", 1) > 1:
                        found.add(int(record["id"]))
        return found


TOOLS = {
    "datasketch": datasketch, "gaoya": gaoya, "rensa": rensa, "text-dedup": text_dedup,
    "datatrove": datatrove,
}  # fmt: skip

if __name__ == "__main__":
    words = [each for each in sys.argv[1:] if each != "--list"]
    found = TOOLS[words[0]](Path(words[1]).resolve(), float(words[2]) if len(words) > 2 else 0.5)
    print(sorted(found) if "--list" in sys.argv else len(found))
