"""The numbers of the index: python benches/index.py TREE [--scratch FOLDER] [--documents N]

TREE is a folder of real files. Prints size, speed of adding, of one-document adds and of queries
in an index of a million synthetic documents (100 fingerprints each on average, shared as real text
shares them: winnowing, section 5.1), sif's random test, and the same job done by other tools.
Needs about 4 GB in the scratch folder, and removes what it made.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from copysift.engine.indexing import Index
from copysift.index.catalog import short
from copysift.index.segment import Columns, keys_of

BATCH = 40_000
ONCE, TWICE = (
    0.70,
    0.985,
)  # of the fingerprints of a document: fresh ones, ones of a pool that gives about two each
PROGRAM = [sys.executable, "-m", "copysift"]


def timed(command: list[str]) -> tuple[float, subprocess.CompletedProcess[bytes]]:
    begun = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False)
    return time.perf_counter() - begun, done


def synthetic(rng: np.random.Generator, documents: int, pool: int) -> tuple[np.ndarray, Columns]:
    """Give the sizes of documents and their postings: log-normal sizes, hashes that recur as in real text."""
    sizes = np.maximum(1, rng.lognormal(4.1, 1.0, documents)).astype(np.int64)
    n = int(sizes.sum())
    kind = rng.random(n)
    hashes = rng.integers(0, 2**63, n, dtype=np.uint64) | np.uint64(1 << 63)
    twice = (kind >= ONCE) & (kind < TWICE)
    hashes[twice] = rng.integers(0, pool, int(twice.sum())).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    common = kind >= TWICE
    ranks = np.minimum(np.exp(rng.random(int(common.sum())) * np.log(pool)), pool).astype(np.uint64)
    hashes[common] = ranks * np.uint64(0xD1B54A32D192ED03)
    within = np.arange(n) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    starts = (within * 14 + rng.integers(0, 10, n)).astype(np.uint32)
    lengths = (28 + rng.geometric(0.25, n)).astype(np.uint32)
    return sizes, Columns(keys_of(hashes), np.zeros(n, np.uint32), starts, lengths)


def fill(path: Path, documents: int) -> tuple[float, int]:
    """Make the index through the writer's own commits and merges; rows of the catalog in bulk."""
    rng = np.random.default_rng(1)
    pool = documents * 100 * 14 // 100
    total = 0
    begun = time.perf_counter()
    with Index(path) as index:
        writer = index._writing()
        for first in range(0, documents, BATCH):
            count = min(BATCH, documents - first)
            sizes, columns = synthetic(rng, count, pool)
            numbers = np.array([writer.number("content") for _ in range(count)], np.uint32)
            rows = zip(numbers.tolist(), sizes.tolist(), strict=True)
            writer.catalog.run_many(
                "INSERT INTO contents VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                ((n, short(b"%d" % n), os.urandom(16), "text", s * 14, s, s, s * 13) for n, s in rows),
            )
            names = [f"crawl/{n % 5000:04d}/page-{n:07d}.txt".encode() for n in numbers.tolist()]
            writer.catalog.run_many(
                "INSERT INTO documents VALUES (?, ?, ?, ?, 1, ?)",
                ((writer.number("document"), short(name), name, n, 10**18 + n)
                 for n, name in zip(numbers.tolist(), names, strict=True)),
            )  # fmt: skip
            writer._buffer.append(columns._replace(documents=np.repeat(numbers, sizes)))
            writer._changed = True
            writer.commit()
            total += len(columns.keys)
    return time.perf_counter() - begun, total


def disk_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def real_files(tree: Path, low: int, high: int, count: int, seed: int = 1) -> list[Path]:
    found = [
        p
        for p in sorted(tree.rglob("*"))
        if p.is_file() and not p.is_symlink() and low <= p.stat().st_size <= high
    ]
    return random.Random(seed).sample(found, min(count, len(found)))


def large(tree: Path, scratch: Path, documents: int) -> None:
    path = scratch / "million.sift"
    seconds, total = fill(path, documents)
    print(f"synthetic: {documents:,} documents, {total:,} fingerprints made in {seconds:.0f} s")
    sources = real_files(tree, 4800, 5200, 300)
    with Index(path) as index:
        index.add([str(file) for file in sources[:200]])
    size = disk_bytes(path)
    segments = list((path / "postings").iterdir())
    postings = sum(file.stat().st_size for file in segments)
    print(
        f"size: {postings / total:.2f} bytes a fingerprint, {size / total:.2f} in all, "
        f"{len(segments)} segments"
    )
    queries(path, sources)
    one_by_one(path, tree)
    begun = time.perf_counter()
    with Index(path) as index:
        index.compact()
    print(
        f"compact: {time.perf_counter() - begun:.0f} s, "
        f"then {disk_bytes(path) / total:.2f} bytes a fingerprint in all"
    )
    queries(path, sources)
    shutil.rmtree(path)


def queries(path: Path, sources: list[Path]) -> None:
    times = []
    with Index(path) as index:
        for file in sources:
            data = file.read_bytes()
            begun = time.perf_counter()
            hits = list(index.query(data))
            times.append((time.perf_counter() - begun) * 1000)
            assert file not in sources[:200] or any(hit.equal for hit in hits)
    ordered = sorted(times)
    print(
        f"query of a 5 KB file, in the process: median {ordered[len(ordered) // 2]:.1f} ms, "
        f"95% {ordered[len(ordered) * 95 // 100]:.1f} ms, first {times[0]:.1f} ms, worst {ordered[-1]:.1f} ms"
    )
    runs = [timed([*PROGRAM, "query", str(path), str(file)]) for file in sources[:9]]
    assert all(done.returncode == 0 for _, done in runs)
    code = (
        "import re, sys; from copysift.cli.main import main; main(sys.argv[1:]);"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1], file=sys.stderr)"
    )  # ru_maxrss would count the memory of the process that forked
    _, done = timed([sys.executable, "-c", code, "query", str(path), str(sources[0])])
    memory = int(done.stderr.split()[-1]) / 1024
    wall = sorted(seconds for seconds, _ in runs)
    print(
        f"query, the command: median {wall[len(wall) // 2]:.2f} s, worst {wall[-1]:.2f} s; "
        f"memory {memory:.0f} MB"
    )


def one_by_one(path: Path, tree: Path) -> None:
    """Add a thousand documents, each with an opening, a commit and a closing of its own."""
    times = []
    for file in real_files(tree, 1000, 20_000, 1000, seed=2):
        begun = time.perf_counter()
        with Index(path) as index:
            index.add(str(file))
        times.append((time.perf_counter() - begun) * 1000)
    print(
        f"adding one document to the million, {len(times)} times: "
        f"{sum(times) / len(times):.0f} ms on average, {max(times):.0f} ms at worst "
        f"(opening and closing included)"
    )


def trees(tree: Path, scratch: Path) -> None:
    scans = [timed([*PROGRAM, "scan", "-q", str(tree), "-o", str(scratch / "scan.csv")])[0] for _ in range(2)]
    path = scratch / "tree.sift"
    seconds, _ = timed([*PROGRAM, "index", "add", str(path), str(tree)])
    print(
        f"adding {tree.name}: {seconds:.1f} s, scan {min(scans):.1f} s: "
        f"{min(scans) / seconds:.2f} × the speed of scan"
    )
    seconds, _ = timed([*PROGRAM, "index", "update", str(path), str(tree)])
    print(f"updating it when nothing changed: {seconds:.1f} s")
    print(timed([*PROGRAM, "index", "info", str(path)])[1].stdout.decode())
    path = scratch / "sif.sift"
    options = ["--kind", "bytes", "--scheme", "mod", "--modulus", "256"]
    timed([*PROGRAM, "index", "add", str(path), str(tree), *options])
    text = json.loads(timed([*PROGRAM, "index", "info", str(path), "--format", "json"])[1].stdout)
    print(f"mod 1 in 256 of the bytes: {disk_bytes(path) / text['text_bytes']:.2%} of the text in all\n")


def substituted(data: bytes, rng: random.Random) -> bytes:
    out = bytearray(data)
    for _ in range(300):
        at = rng.randrange(0, len(out) - 50)
        out[at : at + 50] = bytes(rng.choices(range(32, 127), k=50))
    return bytes(out)


def random_test(tree: Path, scratch: Path) -> None:
    """sif, section 5: 50 C files of 30 KB, 300 random substitutions of 50 bytes in each, among 4,000."""
    rng = random.Random(1994)
    folder = scratch / "files"
    folder.mkdir()
    originals: dict[str, Path] = {}
    for path in real_files(tree, 27_000, 33_000, 10**6):
        if path.suffix in (".c", ".h"):
            originals.setdefault(path.name, path)
    chosen = list(originals.values())[:50]
    others = [p for p in real_files(tree, 1, 10**7, 10**6, seed=4) if p.name not in originals][
        : 4000 - len(chosen)
    ]
    for number, path in enumerate([*chosen, *others]):
        shutil.copyfile(path, folder / f"{number}-{path.name}")
    with Index(scratch / "random.sift") as index:
        index.add(str(folder))
        found = only = 0
        shares, times = [], []
        for number, path in enumerate(chosen):
            changed = substituted(path.read_bytes(), rng)
            begun = time.perf_counter()
            hits = list(index.query(changed, threshold=0.05))
            times.append(time.perf_counter() - begun)
            right = [hit for hit in hits if Path(hit.right).name == f"{number}-{path.name}"]
            found += bool(right)
            only += len(hits) == 1 and bool(right)
            shares += [hit.containment_left for hit in right]
    print(
        f"sif's random test at 5 %: found {found} of {len(chosen)}, and only it {only}; "
        f"share {min(shares):.0%} to {max(shares):.0%}, mean {sum(shares) / len(shares):.0%}; "
        f"{1000 * sum(times) / len(times):.1f} ms a query"
    )


def jobs_of(scratch: Path, files: Path, query: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    index = str(scratch / "random.sift")
    yield (
        "copysift",
        [*PROGRAM, "index", "add", str(scratch / "again.sift"), str(files)],
        [*PROGRAM, "query", index, str(query)],
    )
    if shutil.which("ssdeep"):
        hashes = scratch / "ssdeep.txt"
        yield (
            "ssdeep -m",
            ["sh", "-c", f"ssdeep -r -s {files} > {hashes}"],
            ["ssdeep", "-m", str(hashes), str(query)],
        )
    if shutil.which("tlsh_unittest"):
        hashes = scratch / "tlsh.txt"
        yield (
            "tlsh", ["sh", "-c", f"tlsh_unittest -r {files} > {hashes} 2>/dev/null"],
            ["tlsh_unittest", "-c", str(query), "-l", str(hashes), "-T", "100"],
        )  # fmt: skip
    if shutil.which("sdhash"):
        hashes = scratch / "sdhash.sdbf"
        yield (
            "sdhash",
            ["sh", "-c", f"sdhash -r {files} > {hashes}"],
            ["sdhash", "-c", str(hashes), str(query)],
        )


def other_tools(scratch: Path) -> None:
    """One against 4,000 files, the whole command; the query is one file of them with a quarter replaced."""
    files = scratch / "files"
    original = files / sorted(path.name for path in files.iterdir() if path.name.startswith("0-"))[0]
    data = original.read_bytes()
    query = scratch / "query.c"
    query.write_bytes(data[: len(data) // 2] + data[len(data) * 3 // 4 :])
    ours: tuple[float, float] | None = None
    for name, making, asking in jobs_of(scratch, files, query):
        make = timed(making)[0]
        runs = [timed(asking) for _ in range(5)]
        ask = sorted(seconds for seconds, _ in runs)[2]
        hit = original.name.encode() in runs[0][1].stdout
        ours = ours or (make, ask)
        print(
            f"{name}: {make:.1f} s to make, {1000 * ask:.0f} ms to ask "
            f"({ours[0] / make:.2f} and {ours[1] / ask:.2f} × copysift's speed), "
            f"{'found' if hit else 'not found'}"
        )
    with Index(scratch / "random.sift") as index:
        times = sorted(_elapsed(lambda: list(index.query(str(query)))) for _ in range(9))
    print(f"copysift in a process that runs already: {1000 * times[4]:.1f} ms to ask")


def _elapsed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tree", type=Path)
    parser.add_argument("--scratch", type=Path)
    parser.add_argument("--documents", type=int, default=1_000_000)
    given = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="copysift-bench-", dir=given.scratch))
    try:
        trees(given.tree, scratch)
        random_test(given.tree, scratch)
        other_tools(scratch)
        large(given.tree, scratch, given.documents)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
