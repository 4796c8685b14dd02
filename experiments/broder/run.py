"""The experiments of "Syntactic clustering of the Web": python experiments/broder/run.py [FOLDER|WARC…]

Without a source the pages are those of Debian's documentation packages. Writes results.json beside this file.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from data import PAGES, named

from copysift import kernels
from copysift.kinds.markup import blank_markup
from copysift.kinds.words import Words

HERE = Path(__file__).parent
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SIZES = (25, 50, 100, 200, 400, 800)
SHINGLE = 10


# A run times its phases by the clock on the wall; the paper counts days of processors, so here it is theirs.
ON_PROCESSORS = """
import runpy, time
time.perf_counter = time.process_time
runpy.run_module("copysift", run_name="__main__")
"""


def copysift(*arguments: str | Path) -> None:
    program = [sys.executable, "-c", ON_PROCESSORS, *map(str, arguments), "-q"]
    done = subprocess.run(program, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 3):
        raise SystemExit(f"copysift {' '.join(map(str, arguments))} failed")


def clustered(run: Path) -> dict[str, object]:
    """Clusters by kind: those of identical documents only, and the others."""
    about = json.loads((run / "run.json").read_text())
    table = pq.read_table(run / "clusters.parquet", columns=["cluster", "joined"]).to_pydict()
    sizes = Counter(table["cluster"])
    mixed = {
        c
        for c, how in zip(table["cluster"], table["joined"], strict=True)
        if how not in ("identical", "representative")
    }
    alike = sum(sizes[each] for each in mixed)
    return {
        "counts": about["counts"],
        "seconds": about["seconds"],
        "clusters": len(sizes),
        "clustered": sum(sizes.values()),
        "identical_clusters": len(sizes) - len(mixed),
        "identical_documents": sum(sizes.values()) - alike,
        "other_clusters": len(mixed),
        "other_documents": alike,
        "largest": max(sizes.values(), default=0),
        "boilerplate": [[text, count] for _, count, text in about["ignored"] if text][:12],
        "bytes_on_disk": sum(each.stat().st_size for each in run.rglob("*") if each.is_file()),
    }


def by_threshold(run: Path, folder: Path) -> list[dict[str, float]]:
    rows = []
    for threshold in THRESHOLDS:
        out = folder / "again.parquet"
        copysift("recluster", run, "--threshold", str(threshold), "-o", out)
        sizes = Counter(pq.read_table(out, columns=["cluster"])["cluster"].to_pylist())
        rows.append({"threshold": threshold, "clusters": len(sizes), "documents": sum(sizes.values())})
    return rows


def pairs_of(run: Path) -> dict[tuple[str, str], float]:
    names = ["left", "right", "resemblance"]
    table = pq.read_table(
        run / "pairs.parquet", columns=names, filters=[("resemblance", ">=", 0.5)]
    ).to_pydict()
    return dict(zip(zip(table["left"], table["right"], strict=True), table["resemblance"], strict=True))


def super_recall(run: Path, other: Path) -> list[dict[str, object]]:
    """The pairs that super shingles find, by the length of the shorter document and by resemblance."""
    columns = pq.read_table(run / "documents.parquet", columns=["document", "words"]).to_pydict()
    words = dict(zip(columns["document"], columns["words"], strict=True))
    all_pairs, found = pairs_of(run), pairs_of(other)
    rows: list[dict[str, object]] = []
    for low, high in ((0, 200), (200, 500), (500, 1000), (1000, 2000), (2000, 5000), (5000, 10**9)):
        for least, most in ((0.5, 0.8), (0.8, 0.95), (0.95, 1.01)):
            here = [
                pair
                for pair, value in all_pairs.items()
                if least <= value < most and low <= min(words[pair[0]], words[pair[1]]) < high
            ]
            kept = sum(pair in found for pair in here)
            rows.append({"words": low, "resemblance": least, "pairs": len(here), "found": kept})
    return rows


def shingles(page: Path) -> np.ndarray:
    symbols = Words().whole(blank_markup(page.read_bytes())).symbols
    return np.unique(kernels.selection.hashes(symbols, SHINGLE))


def estimate(one: np.ndarray, two: np.ndarray, size: int) -> float:
    """Broder's estimate from the s smallest of each."""
    left, right = one[:size], two[:size]
    union = np.union1d(left, right)[:size]
    return float(np.isin(union, np.intersect1d(left, right)).mean())


def errors(run: Path) -> list[dict[str, float]]:
    """The error of MIN_s and MOD_m sketches of several sizes on 300 pairs, beside the theory's."""
    rng = random.Random(1997)
    every = sorted(pairs_of(run).items())
    chosen = [pair for pair, value in rng.sample(every, min(len(every), 3000)) if value < 1]
    sets = []
    for left, right in chosen:
        one, two = shingles(Path(left)), shingles(Path(right))
        if min(len(one), len(two)) >= 1000:
            sets.append((one, two, len(np.intersect1d(one, two)) / len(np.union1d(one, two))))
        if len(sets) == 300:
            break
    rows = []
    for size in SIZES:
        found = [(estimate(one, two, size), exact) for one, two, exact in sets]
        theory = float(np.sqrt(np.mean([exact * (1 - exact) / size for *_, exact in sets])))
        error = [a - b for a, b in found]
        row = {"size": size, "pairs": len(sets), "bias": float(np.mean(error)), "theory": theory}
        row["min"] = float(np.sqrt(np.mean(np.square(error))))
        sampled = []
        for one, two, exact in sets:
            modulus = np.uint64(max(1, (len(one) + len(two)) // 2 // size))
            left, right = one[one % modulus == 0], two[two % modulus == 0]
            union = len(np.union1d(left, right))
            sampled.append(len(np.intersect1d(left, right)) / union - exact if union else -exact)
        row["mod"] = float(np.sqrt(np.mean(np.square(sampled))))
        rows.append(row)
    return rows


def main() -> None:
    folders = named(sys.argv[1:], PAGES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run, other = folder / "run", folder / "super"
        copysift("cluster", *folders, "--include", "*.html", "-o", run)
        copysift("cluster", *folders, "--include", "*.html", "--candidates", "super", "-o", other)
        results = {
            "web": clustered(run),
            "super_seconds": json.loads((other / "run.json").read_text())["seconds"],
            "super": super_recall(run, other),
            "thresholds": by_threshold(run, folder),
            "estimators": errors(run),
        }
    (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
