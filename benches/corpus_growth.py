"""Cluster made corpora of growing sizes: time, memory and disk, phases beside Broder's, and what is found.

usage: corpus_growth.py FOLDER DOCUMENTS... [--memory 2GB] [--suffix .jsonl.zst] [--slim] [--results FILE]
       corpus_growth.py --table FILE

A corpus of corpus_shards.py is made below FOLDER for each size, clustered, and removed. Seconds of phases are
those of processors, as the days of Broder et al. (1997) are. Disk is the most that the run took at one time,
looked at four times a second. Pairs that were planted are compared with the resemblance of the sets of
ten words that plain Python makes. --results adds what was measured to a JSON file, --table prints the tables
of one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from corpus_shards import lines, made, write

PAPER = json.loads((Path(__file__).parents[1] / "experiments/broder/paper.json").read_text())
PHASES = {  # ours: the phase of the paper
    "sketch": "sketching",
    "census": "duplicate elimination",
    "entries": "shingle merging",
    "join": "ID-ID pair formation",
    "measure": "ID-ID merging",
    "cluster": "cluster formation",
}
SHARD = 50_000  # documents of a shard
ASKED = 1000  # planted pairs that are looked up
FLOOR = 0.5
ON_PROCESSORS = """
import runpy, time
time.perf_counter = time.process_time
runpy.run_module("copysift", run_name="__main__")
"""


def disk_use(folder: Path) -> int:
    """Give the bytes that a folder takes on disk; files may come and go meanwhile."""
    total: dict[int, int] = {}
    folders = [folder]
    while folders:
        try:
            for entry in os.scandir(folders.pop()):
                if entry.is_dir(follow_symlinks=False):
                    folders.append(Path(entry.path))
                else:
                    about = entry.stat(follow_symlinks=False)
                    total[about.st_ino] = about.st_blocks * 512  # once, where it has two names
        except FileNotFoundError:
            continue
    return sum(total.values())


def cluster(shards: Path, run: Path, more: list[str]) -> dict[str, float]:
    """Cluster, and watch what it takes."""
    peak, ended = [0], threading.Event()

    def watch() -> None:
        while not ended.wait(0.25):
            peak[0] = max(peak[0], disk_use(run))

    watcher = threading.Thread(target=watch)
    begun = time.perf_counter()
    command = [sys.executable, "-c", ON_PROCESSORS, "cluster", str(shards), "-o", str(run), "-q", *more]
    child = subprocess.Popen(command)
    watcher.start()
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begun
    ended.set()
    watcher.join()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 3):
        raise SystemExit("copysift cluster failed")
    return {
        "wall": wall,
        "cpu": used.ru_utime + used.ru_stime,
        "memory": used.ru_maxrss * 1024,
        "disk_peak": max(peak[0], disk_use(run)),
        "disk": disk_use(run),
    }


def shingles(text: str, width: int = 10) -> set[tuple[str, ...]]:
    words = text.split()
    return {tuple(words[at : at + width]) for at in range(len(words) - width + 1)}


def planted(count: int, shards: int) -> list[tuple[str, str, float, float]]:
    """Give near-copies with what they are copies of, and their resemblance with and without notices."""
    chance = random.Random(4)
    asked: dict[str, tuple[str, str]] = {}
    texts: dict[str, str] = {}
    for shard in chance.sample(range(made(shards)), min(made(shards), 4)):
        few = min(count // shards, 5000)
        for line in lines(shard, few):
            record = json.loads(line)
            texts[record["id"].partition(".")[0]] = record["text"]
            if "." in record["id"]:
                asked[record["id"]] = (record["id"].partition(".")[0], record["id"].partition(".")[2])
    near = [(name, *both) for name, both in asked.items() if both[1] in texts]  # the others: of another shard
    found = []
    for name, own, base in chance.sample(near, min(ASKED, len(near))):
        r = []
        for cut in (None, 805):  # notices come after the 115 runs of seven words
            one, other = (shingles(" ".join(texts[each].split()[:cut])) for each in (own, base))
            r.append(len(one & other) / len(one | other))
        found.append((base, name, r[0], r[1]))
    return found


def recall(run: Path, count: int, shards: int) -> dict[str, int]:
    """Count planted pairs that were found, and measures that differ from those of plain Python."""
    asked = planted(count, shards)
    names = pa.array([name for _, name, _, _ in asked])
    known: dict[frozenset[str], float] = {}
    file = pq.ParquetFile(run / "pairs.parquet")
    for batch in file.iter_batches(columns=["left", "right", "resemblance"]):
        some = batch.filter(
            pc.or_(
                pc.is_in(batch["right"].cast(pa.string()), names),
                pc.is_in(batch["left"].cast(pa.string()), names),
            )
        )
        for row in some.to_pylist():
            known[frozenset((row["left"], row["right"]))] = row["resemblance"]
    wanted = [(base, name, whole, bare) for base, name, whole, bare in asked if min(whole, bare) >= FLOOR]
    hits = [row for row in wanted if frozenset(row[:2]) in known]
    return {
        "planted": len(wanted),
        "found": len(hits),
        "differ": sum(
            min(abs(known[frozenset(row[:2])] - r) for r in row[2:]) > 1e-6 for row in hits
        ),
    }  # fmt: skip


def measured(folder: Path, count: int, suffix: str, more: list[str]) -> dict[str, object]:
    """Make a corpus, cluster it, and remove it."""
    shards, run = folder / "shards", folder / "run"
    for each in (shards, run):
        shutil.rmtree(each, ignore_errors=True)
    number = max(8, count // SHARD)
    begun = time.perf_counter()
    text = write(shards, count, number, suffix, os.cpu_count() or 1)
    packed = disk_use(shards)
    took = time.perf_counter() - begun
    print(f"{count:,} documents made in {took:.0f} s, {packed / 1e9:.1f} GB", flush=True)
    found: dict[str, object] = {"documents": count, "suffix": suffix, "text": text, "packed": packed}
    found |= cluster(shards, run, more)
    shutil.rmtree(shards)
    about = json.loads((run / "run.json").read_text())
    found |= {"seconds": about["seconds"], "counts": about["counts"]}
    print(json.dumps(found), flush=True)
    found |= recall(run, count, number)
    shutil.rmtree(run)
    return found


def table(rows: list[dict]) -> str:
    """Make the two tables."""
    first = rows[0]
    lines = [
        "| documents | text | wall s | CPU s | CPU time a document | wall time a document | peak memory "
        "| disk at its peak | disk of the run | planted pairs found |",
        "|---" * 10 + "|",
    ]
    for row in rows:
        each = row["cpu"] / row["documents"], first["cpu"] / first["documents"]
        walls = row["wall"] / row["documents"], first["wall"] / first["documents"]
        lines.append(
            f"| {row['documents']:,} | {row['text'] / 1e9:.2f} GB | {row['wall']:,.1f} | {row['cpu']:,.1f} "
            f"| {each[0] * 1e6:.0f} µs ({each[0] / each[1]:.2f} ×) "
            f"| {walls[0] * 1e6:.0f} µs ({walls[0] / walls[1]:.2f} ×) "
            f"| {row['memory'] / 1e6:,.0f} MB | {row['disk_peak'] / row['text']:.2f} × "
            f"| {row['disk'] / row['text']:.2f} × | {row['found']:,} of {row['planted']:,} |"
        )
    last, days = rows[-1], PAPER["cpu_days"]
    scale = PAPER["documents"] / last["documents"] / 86_400
    ours = {name: last["seconds"].get(key, 0.0) for key, name in PHASES.items()}
    lines += [
        "",
        f"| phase | paper, {PAPER['documents']:,} documents, CPU-days | share "
        f"| here, {last['documents']:,} documents, CPU seconds | share | CPU-days at that rate |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for name, seconds in [*ours.items(), ("total", sum(ours.values()))]:
        theirs = days.get(name, sum(days.values()))
        lines.append(
            f"| {name} | {theirs:.1f} | {theirs / sum(days.values()):.0%} | {seconds:,.1f} "
            f"| {seconds / sum(ours.values()):.0%} | {seconds * scale:.3f} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("documents", type=int, nargs="*")
    parser.add_argument("--memory", default="2GB")
    parser.add_argument("--suffix", default=".jsonl.zst")
    parser.add_argument("--slim", action="store_true")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--table", type=Path)
    given = parser.parse_args()
    if given.table:
        print(table(json.loads(given.table.read_text())))
        return
    rows = json.loads(given.results.read_text()) if given.results and given.results.exists() else []
    given.folder.mkdir(parents=True, exist_ok=True)
    for count in given.documents:
        more = ["--memory", given.memory, *(["--slim"] if given.slim else [])]
        rows.append(measured(given.folder, count, given.suffix, more))
        if given.results:
            given.results.write_text(json.dumps(rows, indent=1) + "\n")
    print(table(rows))


if __name__ == "__main__":
    main()
