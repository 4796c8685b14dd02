"""Bytes of an index, and what they cost: python benches/index_size.py SOURCE… [--scratch FOLDER]

Each SOURCE, a folder or a file of records, is indexed twice: as it is done today, and as up to format 3 of
indexes, with 64 bits of a hash and segments of format 1. Printed are the bytes of a posting by what they are
for, the share of the text, and CPU time as the ratio new / old: of look-ups of a thousand keys, half of them
absent, of reading all postings, and of queries of documents of the index. Old and new take turns, and the
best counts.
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
from contextlib import contextmanager
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


def encode_old(columns: Columns, number: int) -> list[memoryview]:
    """Give the file of a segment of format 1."""
    given = [np.ascontiguousarray(column) for column in columns]
    packed, directory = kernels.postings.pack(*given, 128, HEADER_BYTES)
    end = HEADER_BYTES + len(packed)
    low, high = int(columns.documents.min()), int(columns.documents.max())
    told = (1, 128, len(columns.keys), end + -end % 8, low, high, number, 0, 0, -end % 8)
    head = segments._HEADER.pack(segments.MAGIC, *told)
    head += struct.pack("<I", zlib.crc32(head))
    return [memoryview(head), packed.data, memoryview(bytes(-end % 8)), directory.view(np.uint8).data]


@contextmanager
def as_before() -> Iterator[None]:
    """Make indexes as up to format 3."""
    with (
        mock.patch.object(segment_writer, "encode", encode_old),
        mock.patch.object(stored_settings, "HASH_BITS", 64),
    ):
        yield


def cpu(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def ratio(new: Callable[[], object], old: Callable[[], object]) -> float:
    turns = [(cpu(new), cpu(old)) for _ in range(TURNS)]
    return min(each[0] for each in turns) / min(each[1] for each in turns)


def made(path: Path, source: Path) -> tuple[float, dict[str, int]]:
    """Index a source; give CPU seconds and what the index says of itself."""
    with Index(path) as index:
        seconds = cpu(lambda: index.add([str(source)]))
        index.compact()
        return seconds, index.info()


def parts(path: Path) -> dict[str, float]:
    """Give the bytes of a posting of packed segments by what they are for."""
    totals = dict.fromkeys(("keys", "marks", "places", "lengths", "heads", "tables", "directory"), 0.0)
    snapshot = Snapshot(path)
    postings = 0
    for each in snapshot.segments:
        begin, end, tables, _, _, directory, page, count = each._shape
        postings += count
        totals["tables"] += len(tables)
        totals["directory"] += len(directory)
        place_bits = int(tables[2])
        for at, offset in enumerate(directory.view(kernels.packed.ENTRY)["offset"].tolist()):
            n = min(page, count - at * page)
            fresh, key_bits, length_bits, _ = struct.unpack_from("<HBBI", each._data[offset : offset + 8])
            totals["heads"] += 8
            totals["marks"] += (n + 6) // 8 if 0 < fresh < n - 1 else 0
            totals["keys"] += (fresh * key_bits + 7) // 8
            totals["places"] += (n * place_bits + 7) // 8
            totals["lengths"] += (n * length_bits + 7) // 8
        assert begin == HEADER_BYTES < end
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


def measure(source: Path, scratch: Path) -> None:
    new, old = scratch / "new.sift", scratch / "old.sift"
    seconds, told = made(new, source)
    with as_before():
        before, known = made(old, source)
    print(f"{source.name}: {told['contents_bytes'] / 1e6:.1f} MB, {told['postings']:,} postings")
    for name, each in (("old", known), ("new", told)):
        stored, catalog, count = each["postings_bytes"], each["catalog_bytes"], each["postings"]
        print(
            f"  {name}: {stored / count:.2f} bytes a posting, "
            f"{(stored + catalog) / count:.2f} with the catalog, "
            f"{(stored + catalog) / each['text_bytes']:.1%} of the text"
        )
    print("  new: " + ", ".join(f"{name} {size:.3f}" for name, size in parts(new).items()))
    finding, reading = look_ups(new, old)
    asking, same = queries(new, old)
    print(
        f"  CPU, new / old: adding {seconds / before:.2f}, look-ups {finding:.2f}, "
        f"reading all {reading:.2f}, queries {asking:.2f}; answers {'the same' if same else 'differ'}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sources", nargs="+", type=Path)
    parser.add_argument("--scratch", type=Path)
    given = parser.parse_args()
    for source in given.sources:
        scratch = Path(tempfile.mkdtemp(dir=given.scratch))
        try:
            measure(source.resolve(), scratch)
        finally:
            shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
