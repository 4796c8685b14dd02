"""A synthetic collection of a million documents for benches/index.py: its fingerprints, and its index.

Reading that much text would take longer than the build may: documents come as fingerprints, and go
through the writer's own commits and merges. Sizes are log-normal, 100 fingerprints a document on
average. Fingerprints recur as winnowing, section 5.1, found in Web pages: of the distinct ones 82 %
stand once, 14 % twice, the rest more often, with frequencies that fall with the rank; the most
frequent one stands in about every fifth document. The recurring ones are those of real files, the
frequent ones first, so that whatever a query of such a file looks up is there, and often.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from copysift.fingerprints import FingerprintSettings
from copysift.store.catalog import short
from copysift.store.segment import Columns, hashes_of, keys_of
from copysift.store.snapshot import Snapshot
from copysift.workflows.index import Index
from copysift.workflows.stored_settings import HASH_BITS

BATCH = 40_000
MEAN, SPREAD = 4.105, 1.0  # of the logarithm of fingerprints a document: 100 on average
ONCE, FEW = 0.62, 0.875  # of all occurrences: those of fingerprints that stand once; once or about twice
FEW_EACH, FREQUENT = 2.1, 0.015  # occurrences of a fingerprint of the second class; size of the third
OFFSET = 4  # ranks begin here: without, the first would stand in every second document


class Pools(NamedTuple):
    """Hashes that recur: a few times each, or often, the most frequent first."""

    few: np.ndarray
    frequent: np.ndarray


def pools(real: Path, total: int) -> Pools:
    """Take the recurring hashes from an index of real files, and invent those that it has too few of."""
    snapshot = Snapshot(real)
    parts = [hashes_of(columns.keys) for columns in snapshot.postings()]
    snapshot.close()
    hashes, counts = np.unique(np.concatenate(parts), return_counts=True)
    hashes = hashes[np.argsort(-counts, kind="stable")]
    frequent = min(int(FREQUENT * total), len(hashes) // 2)
    few = int((FEW - ONCE) * total / FEW_EACH)
    rest = hashes[frequent : frequent + few]
    invented = np.arange(few - len(rest), dtype=np.uint64) * np.uint64(0xD1B54A32D192ED03)
    return Pools(np.concatenate([rest, invented]), hashes[:frequent])


def synthetic(rng: np.random.Generator, documents: int, known: Pools) -> tuple[np.ndarray, Columns]:
    """Give the sizes of documents, in fingerprints, and their postings."""
    sizes = np.maximum(1, rng.lognormal(MEAN, SPREAD, documents)).astype(np.int64)
    n = int(sizes.sum())
    kind = rng.random(n)
    hashes = rng.integers(0, 2**64, n, dtype=np.uint64)
    few = (kind >= ONCE) & (kind < FEW)
    hashes[few] = known.few[rng.integers(0, len(known.few), int(few.sum()))]
    often = kind >= FEW
    ranks = OFFSET * np.exp(rng.random(int(often.sum())) * np.log(len(known.frequent) / OFFSET + 1)) - OFFSET
    hashes[often] = known.frequent[np.minimum(ranks.astype(np.int64), len(known.frequent) - 1)]
    within = np.arange(n) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    starts = (within * 14 + rng.integers(0, 10, n)).astype(np.uint32)
    lengths = (28 + rng.geometric(0.25, n)).astype(np.uint32)
    return sizes, Columns(
        keys_of(FingerprintSettings(bits=HASH_BITS).kept(hashes)), np.zeros(n, np.uint32), starts, lengths
    )


def fill(path: Path, documents: int, real: Path) -> tuple[float, int]:
    """Make the index; rows of the catalog go in in bulk. Give seconds and fingerprints."""
    rng = np.random.default_rng(1)
    known = pools(real, documents * 100)
    total = 0
    begun = time.perf_counter()
    with Index(path, kind="text") as index:
        writer = index._writing()
        for first in range(0, documents, BATCH):
            count = min(BATCH, documents - first)
            sizes, columns = synthetic(rng, count, known)
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
