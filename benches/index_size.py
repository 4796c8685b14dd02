"""Bytes of an index, and what they cost: python benches/index_size.py SOURCE… [--scratch FOLDER]

Each SOURCE, a folder or a file of records, is indexed as it is done today and as in earlier formats of
indexes: up to 3, with 64 bits of a hash and segments of format 1; 4, with 42 bits and segments of format 2.
Printed are the bytes of a posting by what they are for, the share of the text, and CPU time as the ratio
new / old: of adding, of look-ups of a thousand keys, half of them absent, of reading all postings, and of
queries of documents of the index. Old and new take turns, and the best counts. Of several sources it is
printed how many hashes of 64 bits each has of the one before, and how many of 36 bits would be found there
by chance.
"""

from __future__ import annotations

import argparse
import random
import shutil
import struct
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import pairwise
from pathlib import Path
from unittest import mock

import numpy as np

from copysift import kernels
from copysift.store import segment as segments
from copysift.store import segment_writer
from copysift.store.segment import HEADER_BYTES, Columns, Segment, hashes_of
from copysift.store.snapshot import Snapshot
from copysift.workflows import stored_settings
from copysift.workflows.index import Index

TURNS = 7
QUERIES = 40


def encode_1(columns: Columns, number: int) -> list[memoryview]:
    """Give the file of a segment of format 1."""
    given = [np.ascontiguousarray(column) for column in columns]
    packed, directory = kernels.postings.pack(*given, 128, HEADER_BYTES)
    return _file(columns, number, 1, 128, packed, np.zeros(0, np.uint8), directory)


def encode_2(columns: Columns, number: int) -> list[memoryview]:
    """Give the file of a segment of format 2."""
    given = [np.ascontiguousarray(column) for column in columns]
    return _file(columns, number, 2, 96, *kernels.packed.pack(*given, 96, HEADER_BYTES, 2))


def _file(
    columns: Columns, number: int, version: int, page: int, packed: np.ndarray, tables: np.ndarray,
    directory: np.ndarray,
) -> list[memoryview]:  # fmt: skip
    end = HEADER_BYTES + len(packed) + len(tables)
    low, high = int(columns.documents.min()), int(columns.documents.max())
    told = (len(tables), zlib.crc32(tables.data) if len(tables) else 0, -end % 8)
    fields = (version, page, len(columns.keys), end + -end % 8, low, high, number, *told)
    head = segments._HEADER.pack(segments.MAGIC, *fields)
    head += struct.pack("<I", zlib.crc32(head))
    parts = [memoryview(head), packed.data, tables.data, memoryview(bytes(-end % 8))]
    return [*parts, directory.view(np.uint8).data]


EARLIER = {3: (encode_1, 64), 4: (encode_2, 42)}
HALVES = {  # what each of the two changes since format 4 brings by itself
    "format 4 with 36 bits": (encode_2, 36), "today with 42 bits": (segment_writer.encode, 42),
}  # fmt: skip


Encode = Callable[[Columns, int], list[memoryview]]


@contextmanager
def made_by(encode: Encode, bits: int) -> Iterator[None]:
    """Make indexes with other segments, and other bits of a hash."""
    with (
        mock.patch.object(segment_writer, "encode", encode),
        mock.patch.object(stored_settings, "HASH_BITS", bits),
    ):
        yield


def as_in(version: int) -> AbstractContextManager[None]:
    """Make indexes as in an earlier format."""
    return made_by(*EARLIER[version])


def cpu(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def ratio(new: Callable[[], object], old: Callable[[], object]) -> float:
    turns = [(cpu(new), cpu(old)) for _ in range(TURNS)]
    return min(each[0] for each in turns) / min(each[1] for each in turns)


def made(path: Path, source: Path) -> dict[str, int]:
    """Index a source; give what the index says of itself."""
    with Index(path) as index:
        index.add([str(source)])
        index.compact()
        return index.info()


def adding(source: Path, version: int, scratch: Path) -> float:
    """Give the ratio of adding."""

    def add() -> None:
        with Index(scratch / "again.sift") as index:
            index.add([str(source)])

    turns = []
    for _ in range(3):
        new = cpu(add)
        shutil.rmtree(scratch / "again.sift")
        with as_in(version):
            turns.append((new, cpu(add)))
        shutil.rmtree(scratch / "again.sift")
    return min(each[0] for each in turns) / min(each[1] for each in turns)


def parts(path: Path) -> dict[str, float]:
    """Give the bytes of a posting of segments of format 3 by what they are for."""
    names = ("keys", "marks", "places", "lengths", "exceptions", "heads", "tables", "directory")
    totals = dict.fromkeys(names, 0.0)
    snapshot = Snapshot(path)
    postings = 0
    for each in snapshot.segments:
        _, end, tables, _, _, directory, page, count, _ = each._shape
        postings += count
        totals["tables"] += len(tables)
        totals["directory"] += len(directory)
        place_bits = int(tables[2])
        offsets = [*directory.view(kernels.packed.ENTRY)["offset"].tolist(), end]
        for at, (offset, after) in enumerate(pairwise(offsets)):
            n = min(page, count - at * page)
            fresh, _, bits, excess, few, _ = each._data[offset : offset + 6].tolist()
            sizes = {
                "heads": 6,
                "marks": (n + 6) // 8 if 0 < fresh < n - 1 else 0,
                "places": (n * place_bits + 7) // 8,
                "lengths": (n * bits + 7) // 8,
                "exceptions": (few * (n - 1).bit_length() + 7) // 8 + (few * excess + 7) // 8,
            }
            for name, size in sizes.items():
                totals[name] += size
            totals["keys"] += after - offset - sum(sizes.values())
    snapshot.close()
    return {name: total / postings for name, total in totals.items()}


def found(segment: Segment, wanted: np.ndarray) -> None:
    for at in range(0, len(wanted), 1000):
        segment.find(wanted[at : at + 1000])


def look_ups(new: Path, old: Path) -> tuple[float, float]:
    """Give the ratios of look-ups and of reading all."""
    opened = [Snapshot(path) for path in (new, old)]
    both = [max(snapshot.segments, key=lambda each: each.entries) for snapshot in opened]
    rng = np.random.default_rng(1)
    keys = [segment.read(0, segment.pages)[0].keys for segment in both]
    places = rng.integers(0, min(map(len, keys)), 50_000)
    absent = rng.integers(0, 2**64, 50_000, dtype=np.uint64)
    wanted = [np.concatenate([each[places], absent]).reshape(-1, 1000, order="F") for each in keys]
    asked = [np.concatenate([np.sort(row) for row in each]) for each in wanted]
    finding = ratio(lambda: found(both[0], asked[0]), lambda: found(both[1], asked[1]))
    reading = ratio(lambda: both[0].read(0, both[0].pages), lambda: both[1].read(0, both[1].pages))
    assert len(np.unique(hashes_of(keys[0]))) <= len(np.unique(keys[1]))
    for snapshot in opened:
        snapshot.close()
    return finding, reading


def queries(new: Path, old: Path) -> tuple[float, bool]:
    """Give the ratio of queries of documents of the index, and whether the answers are the same."""
    with Index(new) as ours, Index(old) as theirs:
        names = sorted(each.name for each in ours.documents() if 2000 < each.bytes < 50_000)
        texts = [theirs.source(name) for name in random.Random(1).sample(names, min(QUERIES, len(names)))]

        def ask(index: Index) -> list[list[tuple[str, int]]]:
            return [[(hit.right, hit.shared) for hit in index.query(text, text=True)] for text in texts]

        same = ask(ours) == ask(theirs)
        return ratio(lambda: ask(ours), lambda: ask(theirs)), same


def told(name: str, numbers: dict[str, int]) -> None:
    stored, catalog, count = numbers["postings_bytes"], numbers["catalog_bytes"], numbers["postings"]
    print(
        f"  {name}: {stored / count:.2f} bytes a posting, {(stored + catalog) / count:.2f} with the catalog, "
        f"{(stored + catalog) / numbers['text_bytes']:.1%} of the text"
    )


def hashes_in(path: Path) -> np.ndarray:
    """Give the distinct hashes of an index."""
    snapshot = Snapshot(path)
    keys = np.unique(np.concatenate([each.read(0, each.pages)[0].keys for each in snapshot.segments]))
    snapshot.close()
    return keys


def measure(source: Path, scratch: Path) -> np.ndarray:
    new = scratch / "new.sift"
    numbers = made(new, source)
    print(f"{source.name}: {numbers['contents_bytes'] / 1e6:.1f} MB, {numbers['postings']:,} postings")
    told("today", numbers)
    print("  today: " + ", ".join(f"{name} {size:.3f}" for name, size in parts(new).items()))
    for name, half in HALVES.items():
        with made_by(*half):
            told(name, made(scratch / f"{name}.sift", source))
    for version in EARLIER:
        old = scratch / f"{version}.sift"
        with as_in(version):
            told(f"format {version}", made(old, source))
        finding, reading = look_ups(new, old)
        asking, same = queries(new, old)
        print(
            f"  CPU, today / format {version}: adding {adding(source, version, scratch):.2f}, "
            f"look-ups {finding:.2f}, reading all {reading:.2f}, queries {asking:.2f}; "
            f"answers {'the same' if same else 'differ'}"
        )
    return hashes_in(scratch / "3.sift")


def strangers(hashes: np.ndarray, others: np.ndarray) -> None:
    shared = int(np.isin(hashes, others).sum())
    chance = 2**stored_settings.HASH_BITS / len(others)
    print(
        f"of {len(others):,} hashes here, {shared:,} are among the {len(hashes):,} of the source before: "
        f"one in {len(hashes) / max(1, shared):,.0f} of those; by chance one in {chance:,.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="+", type=Path)
    parser.add_argument("--scratch", type=Path)
    given = parser.parse_args()
    before = None
    for source in given.sources:
        scratch = Path(tempfile.mkdtemp(dir=given.scratch))
        try:
            hashes = measure(source.resolve(), scratch)
            if before is not None:
                strangers(before, hashes)
            before = hashes
        finally:
            shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
