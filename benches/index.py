"""The numbers of the index: python benches/index.py TREE [PART…] [--scratch FOLDER] [--documents N]

TREE is a folder of real files. The parts, all of them unless some are named:

tree     speed of adding TREE, against `scan`; size; size with sif's settings
sif      sif's random test against an index of 4,000 files of TREE
tools    one against the same 4,000 files: ssdeep, tlsh and sdhash, those that are installed
make     an index of a million synthetic documents (see index_collection.py); needs tree
ask      queries of real files of 5 KB in it: time in the process, of the command, memory
add      a thousand documents added to it one by one
compact  merging all of it

Parts that are named find what earlier ones made in the scratch folder, and leave it there; without
names everything is removed at the end. Needs about 4 GB.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from index_collection import fill

from copysift.workflows.index import Index

PARTS = ("tree", "sif", "tools", "make", "ask", "add", "compact")
PROGRAM = [sys.executable, "-m", "copysift"]
INDEXED = 200  # of the files that are asked for; the others are only like some of the collection


def timed(command: list[str]) -> tuple[float, subprocess.CompletedProcess[bytes]]:
    begun = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False)
    return time.perf_counter() - begun, done


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
    """Make the million, and add the files that will be asked for."""
    path = scratch / "million.sift"
    shutil.rmtree(path, ignore_errors=True)
    seconds, total = fill(path, documents, scratch / "tree.sift")
    print(f"synthetic: {documents:,} documents, {total:,} fingerprints made in {seconds:.0f} s")
    with Index(path) as index:
        index.add([str(file) for file in asked_for(tree)[:INDEXED]])
    sizes(path)


def sizes(path: Path) -> None:
    with Index(path) as index:
        numbers = index.info()
    count = numbers["postings"]
    print(
        f"size: {numbers['postings_bytes'] / count:.2f} bytes a fingerprint, "
        f"{disk_bytes(path) / count:.2f} with the catalog, {numbers['segments']} segments"
    )


def asked_for(tree: Path) -> list[Path]:
    return real_files(tree, 4800, 5200, 300)


def queries(path: Path, tree: Path) -> None:
    sources = asked_for(tree)
    times, met = [], []
    with Index(path) as index:
        for number, file in enumerate(sources):
            begun = time.perf_counter()
            hits = list(index.query(str(file)))
            times.append((time.perf_counter() - begun) * 1000)
            assert number >= INDEXED or any(hit.equal for hit in hits)
            question = index.question(str(file))
            found = index._stored_reader(index._reading()).fingerprints(question.kind, [question.source])
            met.append(len(index._reading().find(np.unique(found.hashes)).which))
    ordered = sorted(times)
    print(
        f"query of a 5 KB file, in the process: median {ordered[len(ordered) // 2]:.1f} ms, "
        f"95% {ordered[len(ordered) * 95 // 100]:.1f} ms, first {times[0]:.1f} ms, "
        f"worst of the others {max(times[1:]):.1f} ms "
        f"(postings met: median {sorted(met)[len(met) // 2]:,}, most {max(met):,})"
    )
    runs = [timed([*PROGRAM, "query", str(path), str(file)]) for file in sources[:9]]
    assert all(done.returncode == 0 for _, done in runs)
    code = (
        "import re, sys; from copysift.cli.main import main; main(sys.argv[1:]);"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1], file=sys.stderr)"
    )  # ru_maxrss would count the memory of the process that forked
    worst = sources[met.index(max(met))]
    memory = [
        int(timed([sys.executable, "-c", code, "query", str(path), str(file)])[1].stderr.split()[-1]) / 1024
        for file in (sources[0], worst)
    ]
    wall = sorted(seconds for seconds, _ in runs)
    start = sorted(timed([sys.executable, "-c", "import numpy, click"])[0] for _ in range(5))[2]
    print(
        f"query, the command: median {wall[len(wall) // 2]:.2f} s, worst {wall[-1]:.2f} s "
        f"(Python with NumPy and click alone: {start:.2f} s); "
        f"memory {memory[0]:.0f} MB, {memory[1]:.0f} MB where most postings are met"
    )


def one_by_one(path: Path, tree: Path, scratch: Path) -> None:
    """Add a thousand documents, each with an opening, a commit and a closing of its own; some as commands."""
    times = []
    files = real_files(tree, 1000, 20_000, 1050, seed=2)
    for file in files[:1000]:
        begun = time.perf_counter()
        with Index(path) as index:
            index.add(str(file))
        times.append((time.perf_counter() - begun) * 1000)
    print(
        f"adding one document to the million, {len(times)} times: "
        f"{sum(times) / len(times):.0f} ms on average, "
        f"{sorted(times)[len(times) // 2]:.0f} ms median, {max(times):.0f} ms at worst "
        "(opening and closing included)"
    )
    small = scratch / "small.sift"
    timed([*PROGRAM, "index", "add", str(small), str(files[0])])
    there = [timed([*PROGRAM, "index", "add", str(path), str(file)])[0] for file in files[1000:]]
    alone = [timed([*PROGRAM, "index", "add", str(small), str(file)])[0] for file in files[1000:]]
    print(
        f"the command, {len(there)} times: {1000 * sum(there) / len(there):.0f} ms on average, "
        f"{1000 * max(there):.0f} ms at worst; "
        f"to an index of a few files {1000 * sum(alone) / len(alone):.0f} ms"
    )
    sizes(path)


def compacted(path: Path) -> None:
    begun = time.perf_counter()
    with Index(path) as index:
        index.compact()
    print(f"compact: {time.perf_counter() - begun:.0f} s")
    sizes(path)


def trees(tree: Path, scratch: Path) -> None:
    path = scratch / "tree.sift"
    scans, adds = [], []
    for _ in range(3):
        scans.append(timed([*PROGRAM, "scan", "-q", str(tree), "-o", str(scratch / "scan.csv")])[0])
        shutil.rmtree(path, ignore_errors=True)
        adds.append(timed([*PROGRAM, "index", "add", "-q", str(path), str(tree)])[0])
    print(
        f"adding the tree: {min(adds):.1f} s, scan {min(scans):.1f} s: "
        f"{min(scans) / min(adds):.2f} × the speed of scan"
    )
    seconds, _ = timed([*PROGRAM, "index", "update", str(path), str(tree)])
    print(f"updating it when nothing changed: {seconds:.1f} s")
    print(timed([*PROGRAM, "index", "info", str(path)])[1].stdout.decode())
    path = scratch / "sif.sift"
    shutil.rmtree(path, ignore_errors=True)
    options = ["--kind", "bytes", "--scheme", "mod", "--modulus", "256"]
    seconds = timed([*PROGRAM, "index", "add", "-q", str(path), str(tree), *options])[0]
    text = json.loads(timed([*PROGRAM, "index", "info", str(path), "--format", "json"])[1].stdout)
    share = disk_bytes(path) / text["text_bytes"]
    print(f"mod 1 in 256 of the bytes: {share:.2%} of the text in all, {seconds:.1f} s to add\n")


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
    changed_folder = scratch / "changed"
    for old in (folder, changed_folder, scratch / "random.sift"):
        shutil.rmtree(old, ignore_errors=True)
    folder.mkdir()
    changed_folder.mkdir()
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
            (changed_folder / f"{number}-{path.name}").write_bytes(changed)
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


def jobs_of(scratch: Path, files: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Give the tools that are here: name, the command that makes its hashes, and the one that asks."""
    index = str(scratch / "again.sift")
    yield (
        "copysift",
        [*PROGRAM, "index", "add", "-q", index, str(files)],
        [*PROGRAM, "query", "--threshold", "5%", index],
    )
    if shutil.which("ssdeep"):
        hashes = scratch / "ssdeep.txt"
        yield "ssdeep -m", ["sh", "-c", f"ssdeep -r -s {files} > {hashes}"], ["ssdeep", "-m", str(hashes)]
    if shutil.which("tlsh_unittest"):
        hashes = scratch / "tlsh.txt"
        yield (
            "tlsh", ["sh", "-c", f"tlsh_unittest -r {files} > {hashes} 2>/dev/null"],
            ["tlsh_unittest", "-l", str(hashes), "-T", "100", "-c"],
        )  # fmt: skip
    if shutil.which("sdhash"):
        hashes = scratch / "sdhash.sdbf"
        yield "sdhash", ["sh", "-c", f"sdhash -r {files} > {hashes}"], ["sdhash", "-c", str(hashes)]


def other_tools(scratch: Path) -> None:
    """One against 4,000 files, a whole command each: the 50 changed files of sif's random test."""
    shutil.rmtree(scratch / "again.sift", ignore_errors=True)
    changed = sorted((scratch / "changed").iterdir())
    ours: tuple[float, float] | None = None
    for name, making, asking in jobs_of(scratch, scratch / "files"):
        make = timed(making)[0]
        runs = [(file, *timed([*asking, str(file)])) for file in changed]
        ask = sorted(seconds for _, seconds, _ in runs)[len(runs) // 2]
        found = sum(f"files/{file.name}".encode() in done.stdout for file, _, done in runs)
        lines = sum(done.stdout.count(b"files/") for _, _, done in runs)
        ours = ours or (make, ask)
        print(
            f"{name}: {make:.1f} s to make, {1000 * ask:.0f} ms to ask "
            f"({ours[0] / make:.2f} and {ours[1] / ask:.2f} × copysift's speed), "
            f"found {found} of {len(runs)}, named {lines} files"
        )
    with Index(scratch / "again.sift") as index:
        times = sorted(_elapsed(lambda file=file: list(index.query(str(file)))) for file in changed)
    print(f"copysift in a process that runs already: {1000 * times[len(times) // 2]:.1f} ms to ask")


def _elapsed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tree", type=Path)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART")
    parser.add_argument("--scratch", type=Path)
    parser.add_argument("--documents", type=int, default=1_000_000)
    given = parser.parse_args()
    if given.parts and not given.scratch:
        parser.error("parts need --scratch")
    if given.parts:
        scratch = given.scratch
        scratch.mkdir(parents=True, exist_ok=True)
    else:
        scratch = Path(tempfile.mkdtemp(prefix="copysift-bench-", dir=given.scratch))
    million = scratch / "million.sift"
    work: dict[str, Callable[[], None]] = {
        "tree": lambda: trees(given.tree, scratch),
        "sif": lambda: random_test(given.tree, scratch),
        "tools": lambda: other_tools(scratch),
        "make": lambda: large(given.tree, scratch, given.documents),
        "ask": lambda: queries(million, given.tree),
        "add": lambda: one_by_one(million, given.tree, scratch),
        "compact": lambda: compacted(million),
    }
    try:
        for part in given.parts or [*PARTS, "ask"]:
            work[part]()
            sys.stdout.flush()
    finally:
        if not given.parts:
            shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
