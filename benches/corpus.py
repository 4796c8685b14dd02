"""Clusters of a corpus: right against exact Jaccard, and fast beside others, in one run.

usage: corpus.py CORPUS_DIR [--others] [--scale FILE.jsonl ...] [--scan]. CORPUS_DIR holds corpus.jsonl and
truth.jsonl. `--others`: time gaoya, rensa and datasketch, those that are installed, beside copysift.
`--scale`: cluster generated files and compare the time a document. `--scan`: look for reused
passages with `copysift scan` (minutes).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import orjson
import pyarrow.parquet as pq

from copysift.fingerprints import FingerprintSettings, fingerprinter
from copysift.kinds import canonicaliser

BRODER = 30_000_000, 150e9, 10.5  # documents, bytes, CPU-days


def measured(*arguments: str) -> tuple[float, float, float]:
    """Run copysift; give wall seconds, CPU seconds and peak megabytes."""
    return timed(["-m", "copysift", *arguments])


def timed(arguments: list[str]) -> tuple[float, float, float]:
    """Run Python; give wall seconds, CPU seconds and peak megabytes of the process."""
    told = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    begun = time.perf_counter()
    child = subprocess.Popen([sys.executable, *arguments], env=told)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1, 3):
        raise SystemExit(f"{' '.join(arguments)} failed")
    return time.perf_counter() - begun, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def judge(texts: list[bytes], w: int) -> dict[tuple[int, int], float]:
    """Give r of every pair of documents that share a shingle, exactly: all shingles, all lists, no sample."""
    words, printer = canonicaliser("words"), fingerprinter(FingerprintSettings("all", k=w, w=1))
    sets = [np.unique(printer.fingerprint([words.whole(text)], spans=False).hashes) for text in texts]
    sizes = np.array([len(each) for each in sets])
    hashes = np.concatenate(sets)
    docs = np.repeat(np.arange(len(sets)), sizes)
    order = np.argsort(hashes, kind="stable")
    hashes, docs = hashes[order], docs[order]
    starts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
    lengths = np.diff(np.append(starts, len(hashes)))
    lists: Counter[bytes] = Counter(
        docs[start : start + length].tobytes()
        for start, length in zip(starts[lengths > 1].tolist(), lengths[lengths > 1].tolist(), strict=True)
    )
    keys, weights = [], []
    for packed, count in lists.items():
        members = np.frombuffer(packed, np.int64)
        i, j = np.triu_indices(len(members), 1)
        keys.append(members[i] * len(sets) + members[j])
        weights.append(np.full(len(i), count))
    pairs, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    shared = np.bincount(inverse, np.concatenate(weights)).astype(np.int64)
    left, right = np.divmod(pairs, len(sets))
    r = shared / (sizes[left] + sizes[right] - shared)
    near = r >= 0.3
    return dict(
        zip(zip(left[near].tolist(), right[near].tolist(), strict=True), r[near].tolist(), strict=True)
    )


def found_pairs(run: Path) -> tuple[dict[str, int], dict[str, str], dict[tuple[str, str], dict[str, float]]]:
    documents = pq.read_table(run / "documents.parquet", columns=["document", "same_as"]).to_pylist()
    number = {row["document"]: place for place, row in enumerate(documents)}
    first = {row["document"]: row["same_as"] or row["document"] for row in documents}
    pairs = {(row["left"], row["right"]): row for row in pq.read_table(run / "pairs.parquet").to_pylist()}
    return number, first, pairs


def quality(corpus: Path, run: Path, w: int) -> None:
    records = [orjson.loads(line) for line in (corpus / "corpus.jsonl").open("rb")]
    truth = judge([record["text"].encode() for record in records], w)
    number, first, pairs = found_pairs(run)
    names = [record["id"] for record in records]
    r_of = {frozenset(pair): row["resemblance"] for pair, row in pairs.items()}
    for threshold in (0.5, 0.8):
        true = {pair: r for pair, r in truth.items() if r >= threshold}
        hit = wrong = 0
        for (a, b), r in true.items():
            one, other = first[names[a]], first[names[b]]
            got = 1.0 if one == other else r_of.get(frozenset((one, other)), 0.0)
            hit += got >= threshold
            wrong += bool(got) and abs(got - r) > 1e-9
        reported = [pair for pair, row in pairs.items() if row["resemblance"] >= threshold]
        false = sum(truth.get(tuple(sorted((number[a], number[b]))), 0.0) < threshold for a, b in reported)
        print(
            f"| {w} words, r ≥ {threshold} | {len(true):,} pairs | recall {hit / len(true):.5f} "
            f"| precision {1 - false / max(len(reported), 1):.5f} | {wrong} measures differ |"
        )


def planted(corpus: Path, run: Path) -> None:
    _, first, pairs = found_pairs(run)
    contained = {
        frozenset(pair): max(row["containment_left"], row["containment_right"]) for pair, row in pairs.items()
    }
    total: Counter[str] = Counter()
    hit: Counter[str] = Counter()
    for line in (corpus / "truth.jsonl").open("rb"):
        plant = orjson.loads(line)
        one, other = first[plant["id"]], first[plant["base"]]
        total[plant["kind"]] += 1
        hit[plant["kind"]] += one == other or contained.get(frozenset((one, other)), 0.0) >= 0.5
    for kind, count in total.items():
        print(f"| planted {kind} | {count} | {hit[kind] / count:.4f} of them alike or contained |")


def removed_alone(corpus: Path, work: Path) -> None:
    """Count documents that dedup removed although nothing resembles them."""
    measured("dedup", str(corpus / "corpus.jsonl"), "-o", str(work / "out.jsonl"), "-q")
    records = {
        record["id"]: record["text"].encode()
        for record in map(orjson.loads, (corpus / "corpus.jsonl").open("rb"))
    }
    import copysift

    gone = [json.loads(line) for line in (work / "out.removed.jsonl").open()]
    alone = sum(copysift.resemblance(records[row["document"]], records[row["kept"]]) < 0.5 for row in gone)
    print(f"| dedup | {len(gone):,} removed | {alone} of them without a near-copy that was kept |")


def others(path: Path) -> None:
    """Time what others do end to end, each in a process of its own, beside copysift with their shingles."""
    size = path.stat().st_size / 1e6
    script = str(Path(__file__).with_name("corpus_others.py"))
    with tempfile.TemporaryDirectory(prefix="copysift-bench-", dir=Path.cwd()) as folder:
        ours = ["-m", "copysift", "cluster", str(path), "-o", f"{folder}/run", "-q", "--shingle", "5"]
        tools = {"copysift": ours} | {
            tool: [script, tool, str(path)] for tool in ("gaoya", "rensa", "datasketch") if find_spec(tool)
        }
        found: dict[str, list[tuple[float, float, float]]] = {}
        for name in ("copysift", "gaoya", "copysift", "gaoya", "copysift", "gaoya", "rensa", "datasketch"):
            if name in tools:
                shutil.rmtree(f"{folder}/run", ignore_errors=True)
                found.setdefault(name, []).append(timed(tools[name]))
        for name, times in found.items():
            wall, cpu, peak = min(times)
            every = ", ".join(f"{each[0]:.2f}" for each in times)
            rate = f"{wall:.2f} s ({every}) | {size / wall:.1f} MB/s"
            print(f"| {name} | {rate} | {cpu:.2f} CPU-s | peak {peak:.0f} MB |", flush=True)


def super_recall(run: Path, other: Path) -> None:
    """Tell how many of the pairs of a run another has, by the shingles of the shorter document."""
    sizes = dict(
        zip(
            *(
                column.to_pylist()
                for column in pq.read_table(
                    run / "documents.parquet", columns=["document", "shingles"]
                ).itercolumns()
            ),
            strict=True,
        )
    )
    wanted, known = (found_pairs(path)[2] for path in (run, other))
    for low, high in pairwise((0, 50, 100, 250, 500, 1000, 2000, 1 << 40)):
        cells = []
        for threshold in (0.5, 0.8, 0.95):
            here = [
                pair
                for pair, row in wanted.items()
                if threshold <= row["resemblance"] and low <= min(sizes[pair[0]], sizes[pair[1]]) < high
            ]
            hit = sum(pair in known for pair in here)
            cells.append(f"{hit / len(here):.3f} of {len(here):,}" if here else "none")
        print(f"| super, {low}+ shingles | {' | '.join(cells)} |")


def speed(path: Path, run: Path, *more: str) -> float:
    """Cluster a file and say how fast; give seconds a document."""
    shutil.rmtree(run, ignore_errors=True)
    wall, cpu, peak = measured("cluster", str(path), "-o", str(run), "-q", *more)
    described = json.loads((run / "run.json").read_text())
    count, size = described["counts"]["documents"], path.stat().st_size
    days = BRODER[0] / count * cpu / 86_400
    print(
        f"| {path.name} {' '.join(more)} | {count:,} documents, {size / 1e6:.0f} MB "
        f"| {wall:.2f} s, {size / wall / 1e6:.0f} MB/s "
        f"| {cpu:.2f} CPU-s | peak {peak:.0f} MB | 30 M documents: {days:.2f} CPU-days (1997: {BRODER[2]}) |"
    )
    return wall / count


def reused(corpus: Path, work: Path) -> None:
    """Look for the planted passages, and ask for 90 % of each in the regions of the pair."""
    wall, cpu, peak = measured(
        "scan",
        str(corpus / "corpus.jsonl"),
        "--min-match",
        "200",
        "--format",
        "json",
        "-o",
        str(work / "scan.json"),
        "-q",
    )
    found = json.loads((work / "scan.json").read_text())
    first = {name: each["members"][0] for each in found["equal"] for name in each["members"]}
    regions: dict[frozenset[str], list[tuple[str, int, int]]] = {}
    for pair in found["pairs"]:
        key = frozenset((pair["left"], pair["right"]))
        for region in pair["regions"] or ():
            regions.setdefault(key, []).extend(
                (region[side]["file"], region[side]["start"], region[side]["end"])
                for side in ("left", "right")
            )
    texts = {
        record["id"]: record["text"] for record in map(orjson.loads, (corpus / "corpus.jsonl").open("rb"))
    }
    total = hit = 0
    for line in (corpus / "truth.jsonl").open("rb"):
        plant = orjson.loads(line)
        if plant["kind"] != "reuse":
            continue
        total += 1
        start, end = (len(texts[plant["id"]][:at].encode()) for at in plant["span"])
        # of equal documents one stands for all in the pairs
        here, there = (first.get(name, name) for name in (plant["id"], plant["base"]))
        spans = regions.get(frozenset((here, there)), [])
        covered = sum(max(0, min(end, b) - max(start, a)) for file, a, b in spans if file == here)
        hit += covered >= 0.9 * (end - start)
    print(
        f"| reused passages | {total} | {hit / total:.4f} found with their spans "
        f"| {len(found['pairs']):,} pairs | {wall:.0f} s | {cpu:.0f} CPU-s | peak {peak:.0f} MB |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--others", action="store_true")
    parser.add_argument("--scale", type=Path, nargs="*", default=[])
    parser.add_argument("--scan", action="store_true")
    given = parser.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="copysift-bench-", dir=Path.cwd()) as folder:
        work = Path(folder)
        source = given.corpus / "corpus.jsonl"
        for _ in range(2):
            speed(source, work / "run")
        speed(source, work / "super", "--candidates", "super")
        super_recall(work / "run", work / "super")
        if given.others:
            others(source)
        # Before the judge: Linux counts the memory of a process into the peak of those that it starts.
        for path in given.scale:
            speed(path, work / "scale", "--memory", "1GB")
        if given.scan:
            reused(given.corpus, work)
        planted(given.corpus, work / "run")
        for w in (10, 5):
            measured("cluster", str(source), "-o", str(work / "run"), "-q", "--shingle", str(w))
            quality(given.corpus, work / "run", w)
        removed_alone(given.corpus, work)
    print(f"peak of the judge: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
