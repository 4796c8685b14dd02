"""A run of a corpus as tables: the layout of engine/run.py, written part by part, and read back.

`documents.parquet` also tells which document a collapsed one is the same as, and how, so that `recluster`
needs nothing else; identical, lexically and sketch equivalent documents stand in `pairs.parquet` once, with
that one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from copysift._version import __version__
from copysift.clusters.classes import ALONE, IDENTICAL
from copysift.clusters.classes import WORDS as SAME
from copysift.engines.phases import JOINED, Clustered
from copysift.errors import RunError
from copysift.match.sets import Measured
from copysift.runs.checksums import RECREATE, checksum, digest_of, open_table, read_table, verify_table
from copysift.runs.columns import column, digests, flags, taken
from copysift.runs.scan_run import TABLES, VERSION, _read_description
from copysift.runtime import durable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.engines.local import Corpus

    Int64s = NDArray[np.int64]

MEASURES = ("resemblance", "containment_left", "containment_right")
ROWS = 1 << 18  # of pairs or clusters written at a time


@dataclass(frozen=True, slots=True)
class Opened:
    """A run read back: ids by number, who stands for whom and how, pairs, and run.json."""

    path: Path
    ids: pa.StringArray
    first: Int64s
    how: NDArray[np.uint8]
    pairs: Measured
    described: dict[str, Any]

    def numbers(self, ids: list[str]) -> Int64s:
        """Give the numbers of ids, −1 for unknown ones."""
        import pyarrow.compute as pc

        found = pc.index_in(pa.array(ids, pa.string()), value_set=self.ids)
        return np.asarray(found.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)


def unique_ids(parts: list[pa.Array]) -> tuple[pa.StringArray, list[str]]:
    """Give all ids, those that came again told apart by a number, and the list of these."""
    spelled = [part if part.type == pa.string() else part.cast(pa.string()) for part in parts]
    ids = pa.concat_arrays(spelled) if parts else pa.array([], pa.string())
    known = np.sort(digests(ids))
    if (known[1:] != known[:-1]).all():
        return ids, []
    import pyarrow.compute as pc

    counted = pc.value_counts(ids)
    again = counted.filter(pc.greater(counted.field("counts"), 1)).field("values")
    if not len(again):
        return ids, []
    where = np.flatnonzero(pc.is_in(ids, value_set=again).to_numpy(zero_copy_only=False))
    names, seen, renamed = ids.to_pylist(), dict.fromkeys(again.to_pylist(), 0), []
    others = set(names)
    for number in where.tolist():
        name = names[number]
        seen[name] += 1
        if seen[name] > 1:
            while f"{name}~{seen[name]}" in others:
                seen[name] += 1
            names[number] = f"{name}~{seen[name]}"
            others.add(names[number])
            renamed.append(names[number])
    return pa.array(names, pa.string()), renamed


def write_documents(path: Path, corpus: Corpus, ids: pa.StringArray) -> None:
    """Write documents.parquet."""
    edges = corpus.sets.bounds()
    same = pa.array(SAME, pa.string())
    sampled = corpus.sampled()
    writer = None
    for number in range(corpus.sets.parts):
        span = slice(int(edges[number]), int(edges[number + 1]))
        part = corpus.sets.table(number, ["bytes", "words", "shingles", "date", "other"])
        named = ids[span.start : span.stop]
        how = corpus.how[span]
        table = pa.table(
            {
                "document": named,
                "group": named,
                "kind": corpus.sets.kinds(number),
                "bytes": part["bytes"],
                "fingerprints": column(sampled[span].astype(np.int64)),
                "raw_name": pa.nulls(len(named), pa.binary()),
                "words": part["words"],
                "shingles": part["shingles"],
                "compared": column(corpus.sets.of_part(number, "compared")),
                "date": part["date"],
                "other": part["other"],
                "same_as": taken(ids, np.where(how == ALONE, -1, corpus.first[span])),
                "same": taken(same, np.where(how == ALONE, -1, how.astype(np.int64))),
            }
        )
        writer = writer or open_table(path, table.schema)
        writer.write_table(table)
    if writer is None:
        names = (
            "document",
            "group",
            "kind",
            "bytes",
            "fingerprints",
            "raw_name",
            "words",
            "shingles",
            "compared",
            "date",
            "other",
            "same_as",
            "same",
        )
        kinds = {
            "raw_name": pa.binary(),
            **dict.fromkeys(("bytes", "fingerprints", "words", "shingles", "compared"), pa.int64()),
        }
        writer = open_table(path, pa.schema([(name, kinds.get(name, pa.string())) for name in names]))
    writer.close()


PAIRS = pa.schema(
    [
        ("left", pa.string()),
        ("right", pa.string()),
        ("shared", pa.int64()),
        ("resemblance", pa.float64()),
        ("containment_left", pa.float64()),
        ("containment_right", pa.float64()),
        ("similarity", pa.float64()),
        ("equal", pa.bool_()),
        ("longest", pa.int64()),
        ("lines", pa.int64()),
    ]
)


def write_pairs(
    path: Path, ids: pa.StringArray, first: Int64s, how: NDArray[np.uint8], shingles: Int64s, pairs: Measured
) -> None:
    """Write pairs.parquet: documents that are the same first, then the measured pairs, in order.

    `shingles` are those of the documents that are the same as another.
    """
    others = np.flatnonzero(how != ALONE)
    ones = np.ones(len(others))
    stars = Measured(first[others], others, shingles, ones, ones, ones)
    with open_table(path, PAIRS) as writer:
        for found, equal in ((stars, how[others] == IDENTICAL), (pairs, np.zeros(len(pairs), np.bool_))):
            for start in range(0, len(found), ROWS):
                part = found.take(np.arange(start, min(start + ROWS, len(found))))
                count = len(part)
                columns = [
                    taken(ids, part.left),
                    taken(ids, part.right),
                    column(part.shared),
                    *(column(getattr(part, name)) for name in (*MEASURES, "containment")),
                    flags(equal[start : start + count]),
                    pa.nulls(count, pa.int64()),
                    pa.nulls(count, pa.int64()),
                ]
                writer.write_table(pa.table(columns, schema=PAIRS))


def clusters_table(ids: pa.StringArray, found: Clustered) -> pa.Table:
    """Give the clusters of two documents or more, in order of their first document."""
    sizes = np.bincount(found.root, minlength=len(found.root)) if len(found.root) else found.root
    inside = np.flatnonzero(sizes[found.root] > 1) if len(found.root) else found.root
    order = inside[np.argsort(found.root[inside], kind="stable")]
    heads = taken(ids, found.root[order])
    words = pa.array(JOINED, pa.string())
    return pa.table(
        {
            "cluster": heads,
            "document": taken(ids, order),
            "representative": heads,
            "joined": taken(words, found.joined[order]),
        }
    )


def counted(found: Clustered) -> dict[str, int]:
    """Count the clusters of two documents or more, and their documents."""
    sizes = np.bincount(found.root) if len(found.root) else found.root
    clusters, clustered = int(np.count_nonzero(sizes > 1)), int(sizes[sizes > 1].sum())
    return {"clusters": clusters, "clustered": clustered, "duplicates": clustered - clusters}


def write_description(path: Path, described: dict[str, Any]) -> None:
    """Write run.json last, with checksums of the tables: with it a run is complete."""
    for name in TABLES:
        durable.sync(path / name)
    made = {"version": VERSION, "copysift": __version__, "made_by": "cluster"} | described
    made["files"] = {name: checksum(path / name) for name in TABLES}
    made["digest"] = digest_of(made)
    part = path / "run.part"
    part.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    durable.sync(part)
    durable.sync(path)  # the names of the tables come before that of what describes them
    part.replace(path / "run.json")
    durable.sync(path)
    durable.sync(path.absolute().parent)


def is_corpus(path: Path) -> bool:
    """Tell whether a run was made by `cluster`."""
    try:
        loaded: dict[str, Any] = json.loads((path / "run.json").read_text(encoding="utf-8"))
        return loaded.get("made_by") == "cluster"
    except (OSError, ValueError, AttributeError):
        return False


def floor_of(path: Path) -> float:
    """Give the share below which a run has no pairs."""
    return float(_read_description(path)["floor"])


def ids_of(path: Path) -> pa.ChunkedArray:
    """Give the ids of a run by number."""
    return read_table(path, TABLES[0], ["document"])["document"]


def open_corpus(path: Path) -> Opened:
    """Read a run back for look-ups and for the last phase; runs of `scan --save` are fine too."""
    described = _read_description(path)
    verify_table(path, TABLES[0])
    try:
        names = pq.read_schema(path / TABLES[0]).names
    except (pa.ArrowException, OSError) as error:
        raise RunError(f"{path} is damaged: {error}", hint=RECREATE) from None
    more = [name for name in ("same_as", "same") if name in names]
    documents = read_table(path, TABLES[0], ["document", *more])
    ids = _whole(documents["document"])
    pairs = read_table(path, TABLES[1], ["left", "right", "shared", *MEASURES, "equal"])
    left, right = (_numbers(ids, pairs[side]) for side in ("left", "right"))
    if more:
        known = _numbers(ids, documents["same_as"])
        first = np.where(known < 0, np.arange(len(ids)), known)
        codes = _numbers(pa.array(SAME, pa.string()), documents["same"])
        how = np.where(codes < 0, ALONE, codes).astype(np.uint8)
    else:
        first, how = np.arange(len(ids)), np.zeros(len(ids), np.uint8)
        same = pairs["equal"].to_numpy()
        first[right[same]], how[right[same]] = left[same], IDENTICAL
    real = how[right] == ALONE if len(right) else np.zeros(0, np.bool_)
    found = Measured(
        left,
        right,
        pairs["shared"].to_numpy().astype(np.int64),
        *(pairs[name].to_numpy() for name in MEASURES),
    )
    return Opened(path, ids, first, how, found.take(real), described)


def _numbers(ids: pa.StringArray, names: pa.ChunkedArray) -> Int64s:
    import pyarrow.compute as pc

    found = pc.index_in(_whole(names), value_set=ids)
    return np.asarray(found.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)


def _whole(chunks: pa.ChunkedArray) -> pa.Array:
    whole = chunks.combine_chunks()
    return whole.combine_chunks() if isinstance(whole, pa.ChunkedArray) else whole
