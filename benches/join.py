"""Time the sort-join on random fingerprints with Zipf-like sharing, against NumPy's argsort of the same.

python benches/join.py [--entries 13000000] [--groups 20000] [--jobs 2]
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from copysift import kernels
from copysift.join.memory import Join
from copysift.join.rows import candidates
from copysift.match.measures import rarity


def entries(n: int, groups: int, seed: int = 1994) -> tuple[np.ndarray, np.ndarray]:
    """Give hashes and ascending groups; four of ten hashes come from a Zipf-like pool that many share."""
    random = np.random.default_rng(seed)
    hashes = random.integers(0, 2**64, n, np.uint64)
    shared = random.random(n) < 0.4
    ranks = (random.pareto(1.1, int(shared.sum())) * 1000).astype(np.uint64) % np.uint64(n // 4)
    hashes[shared] = (ranks + np.uint64(1)) * np.uint64(0xD1342543DE82EF95)
    return hashes, np.sort(random.integers(0, groups, n).astype(np.uint32))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=13_000_000)
    parser.add_argument("--groups", type=int, default=20_000)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    hashes, groups = entries(options.entries, options.groups)
    bounds = np.searchsorted(groups, np.arange(options.groups + 1))

    start = time.perf_counter()
    np.argsort(hashes)
    unit = time.perf_counter() - start

    def report(what: str, seconds: float) -> None:
        print(f"{what:42} {seconds:7.3f} s  {seconds / unit:5.2f} × argsort")

    report("NumPy argsort of the hashes", unit)
    sorted_hashes, sorted_groups = hashes.copy(), groups.copy()
    start = time.perf_counter()
    kernels.join.sort_pairs(sorted_hashes, sorted_groups)
    report("sort_pairs, one thread", time.perf_counter() - start)
    start = time.perf_counter()
    kernels.join.shared_runs(sorted_hashes, sorted_groups, 1000, np.zeros(options.groups, np.uint32))
    report("shared_runs, one thread", time.perf_counter() - start)
    del sorted_hashes, sorted_groups

    for memory in (1 << 30, 1 << 25):
        with Join(memory_bytes=memory, jobs=options.jobs) as join:
            start = time.perf_counter()
            for group in range(options.groups):
                join.add(group, hashes[bounds[group] : bounds[group + 1]])
            report(f"Join.add, {memory >> 20} MiB", time.perf_counter() - start)
            start = time.perf_counter()
            postings = join.finish(1000, rarity)
            report(f"Join.finish, {options.jobs} threads", time.perf_counter() - start)
    for jobs in sorted({1, options.jobs}):
        start = time.perf_counter()
        found = candidates(postings, "similarity", 0.25, jobs=jobs)
        report(f"candidates, {jobs} threads", time.perf_counter() - start)
    print(f"{len(postings.hashes):,} shared hashes, {len(postings.groups):,} postings, {len(found):,} pairs")
    print(f"{len(postings.common):,} common hashes")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
