"""A run of a corpus as tables: the layout of engine/run.py, written part by part, and read back.

`documents.parquet` also says which document a collapsed one is the same as, and how, so that `recluster`
needs nothing else; identical, lexically and sketch equivalent documents are in `pairs.parquet` once, with
that one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from copysift._version import __version__
from copysift.clusters.classes import ALONE, IDENTICAL, JOINED, Membership
from copysift.clusters.classes import WORDS as SAME
from copysift.match.sets import MeasuredPairs, PairsWithValues
from copysift.runs.checksums import checksum, digest_of, open_table, read_table
from copysift.runs.columns import column, digests, flags, taken
from copysift.runs.scan_run import TABLES, VERSION, read_description
from copysift.runs.sets import Sets
from copysift.runtime import durable
from copysift.runtime.arrays import distinct, numbered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]

MEASURES = ("resemblance", "containment_left", "containment_right")
ROWS = 1 << 18  # of pairs or clusters written at a time


def unique_ids(parts: list[pa.Array]) -> tuple[pa.StringArray, list[str]]:
    """Give all ids, those that came again distinguished by a number, and the list of these."""
    spelled = [part if part.type == pa.string() else part.cast(pa.string()) for part in parts]
    known = np.concatenate([np.zeros(0, np.uint64), *map(digests, spelled)])
    ids = pa.concat_arrays(spelled) if parts else pa.array([], pa.string())
    del parts, spelled  # their ids are copied
    known.sort()
    if (known[1:] != known[:-1]).all():
        return ids, []
    import pyarrow.compute as pc  # takes long to load

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


def write_documents(
    path: Path, ids: pa.StringArray, sets: Sets, first: Int64s, how: NDArray[np.uint8], sampled: UInt32s
) -> None:
    """Write documents.parquet; `sampled` has how many shingles the sample of every document has."""
    edges = sets.bounds()
    same = pa.array(SAME, pa.string())
    writer = None
    for number in range(sets.parts):
        span = slice(int(edges[number]), int(edges[number + 1]))
        part = sets.table(number, ["bytes", "words", "shingles", "date", "other"])
        named = ids[span.start : span.stop]
        joined = how[span]
        table = pa.table(
            {
                "document": named,
                "group": named,
                "kind": sets.kinds(number),
                "bytes": part["bytes"],
                "fingerprints": column(sampled[span].astype(np.int64)),
                "raw_name": pa.nulls(len(named), pa.binary()),
                "words": part["words"],
                "shingles": part["shingles"],
                "compared": column(sets.of_part(number, "compared")),
                "date": part["date"],
                "other": part["other"],
                "same_as": taken(ids, np.where(joined == ALONE, -1, first[span])),
                "same": taken(same, np.where(joined == ALONE, -1, joined.astype(np.int64))),
            }
        )
        writer = writer or open_table(path, table.schema)
        writer.write_table(table)
    if writer is None:
        names = (
            "document", "group", "kind", "bytes", "fingerprints", "raw_name", "words", "shingles", "compared",
            "date", "other", "same_as", "same",
        )  # fmt: skip
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
    path: Path,
    ids: pa.StringArray,
    first: Int64s,
    how: NDArray[np.uint8],
    shingles: Int64s,
    pairs: Iterable[MeasuredPairs],
    measure: str = "",
) -> None:
    """Write pairs.parquet: documents that are the same first, then the measured pairs in parts, in order.

    `shingles` are those of the documents that are the same as another; `measure` is the one that pairs have
    besides those of all.
    """
    others = np.flatnonzero(how != ALONE).astype(first.dtype)
    equal, none = how[others] == IDENTICAL, np.zeros(ROWS, np.bool_)
    written = 0
    with open_table(path, PAIRS) as writer:
        for part in chain(_stars(first, others, shingles), _regrouped(pairs)):
            count = len(part)
            columns = [
                taken(ids, part.left),
                taken(ids, part.right),
                column(part.shared),
                *(column(getattr(part, name)) for name in MEASURES),
                _similarity(part, measure),
                flags(equal[written : written + count] if written < len(equal) else none[:count]),
                _longest(part, measure),
                pa.nulls(count, pa.int64()),
            ]
            writer.write_table(pa.table(columns, schema=PAIRS))
            written += count


def _stars(first: Int64s, others: Int64s, shingles: Int64s) -> Iterator[MeasuredPairs]:
    """Give the documents that are the same as an earlier one as pairs with that one, ROWS at a time."""
    for start in range(0, len(others), ROWS):
        some = others[start : start + ROWS]
        ones = np.ones(len(some))
        yield MeasuredPairs(first[some], some, shingles[start : start + ROWS], ones, ones, ones)


def _similarity(part: MeasuredPairs, measure: str) -> pa.Array:
    """Give the similarity of pairs if it was wanted, else what is nearest to it."""
    return column(
        part.value if isinstance(part, PairsWithValues) and measure == "similarity" else part.containment
    )


def _longest(part: MeasuredPairs, measure: str) -> pa.Array:
    if isinstance(part, PairsWithValues) and measure == "longest":
        return column(part.value.astype(np.int64))
    return pa.nulls(len(part), pa.int64())


def _regrouped(parts: Iterable[MeasuredPairs]) -> Iterator[MeasuredPairs]:
    """Give pairs ROWS at a time, so that the table has the same bytes however many made its parts."""
    held: list[MeasuredPairs] = []
    for part in parts:
        held.append(part)
        if sum(map(len, held)) >= ROWS:
            whole = MeasuredPairs.joined(held)
            ends = range(ROWS, len(whole) + 1, ROWS)
            yield from (whole.take(np.arange(end - ROWS, end)) for end in ends)
            held = [whole.take(np.arange(ends[-1], len(whole)))]
    rest = MeasuredPairs.joined(held)
    if len(rest):
        yield rest


CLUSTERS = pa.schema([(name, pa.string()) for name in ("cluster", "document", "representative", "joined")])


def write_clusters(path: Path, ids: pa.StringArray, found: Membership) -> None:
    """Write the clusters of two documents or more, in order of their first document."""
    others = _others(found)
    inside = np.zeros(len(found.root), np.bool_)
    inside[others] = inside[found.root[others]] = True
    members = np.flatnonzero(inside).astype(found.root.dtype)
    order = members[np.argsort(found.root[members], kind="stable")]
    words = pa.array(JOINED, pa.string())
    with open_table(path, CLUSTERS) as writer:
        for start in range(0, len(order), ROWS):
            some = order[start : start + ROWS]
            heads = taken(ids, found.root[some])
            columns = [heads, taken(ids, some), heads, taken(words, found.joined[some])]
            writer.write_table(pa.table(columns, schema=CLUSTERS))


def counted(found: Membership) -> dict[str, int]:
    """Count the clusters of two documents or more, and their documents."""
    others = _others(found)
    clusters = len(distinct(found.root[others]))
    return {"clusters": clusters, "clustered": clusters + len(others), "duplicates": len(others)}


def _others(found: Membership) -> Int64s:
    """Give the documents that are not the first of their cluster."""
    return np.flatnonzero(found.root != numbered(len(found.root)))


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
    """Say whether a run was made by `cluster`."""
    try:
        loaded: dict[str, Any] = json.loads((path / "run.json").read_text(encoding="utf-8"))
        return loaded.get("made_by") == "cluster"
    except (OSError, ValueError, AttributeError):
        return False


def floor_of(path: Path) -> float:
    """Give the share below which a run has no pairs."""
    return float(read_description(path)["floor"])


def ids_of(path: Path) -> pa.ChunkedArray:
    """Give the ids of a run by number."""
    return read_table(path, TABLES[0], ["document"])["document"]


def members(path: Path) -> dict[str, list[str]]:
    """Give the documents of every cluster, by its first document."""
    read_description(path)
    table = read_table(path, TABLES[2], ["cluster", "document"])
    found: dict[str, list[str]] = {}
    for cluster_id, document in zip(table["cluster"].to_pylist(), table["document"].to_pylist(), strict=True):
        found.setdefault(cluster_id, []).append(document)
    return found


def cluster_of(path: Path, name: str) -> list[tuple[str, str]] | None:
    """Give the cluster of a document, with how each member joined; None if the run has no such document."""
    read_description(path)
    table = read_table(path, TABLES[2], ["cluster"], [("document", "=", name)])
    if not len(table):
        known = read_table(path, TABLES[0], ["document"], [("document", "=", name)])
        return [(name, "alone")] if len(known) else None
    head = table["cluster"][0].as_py()
    found = read_table(path, TABLES[2], ["document", "joined"], [("cluster", "=", head)])
    return list(zip(found["document"].to_pylist(), found["joined"].to_pylist(), strict=True))


def collapse(path: Path, ranked: list[str]) -> list[tuple[str, list[str]]]:
    """Fold a ranked list: the first of every cluster, with those of the list that follow it there."""
    import pyarrow.compute as pc  # takes long to load

    read_description(path)
    wanted = pa.array(list(set(ranked)), pa.string())
    table = read_table(path, TABLES[2], ["cluster", "document"])
    table = table.filter(pc.is_in(table["document"], value_set=wanted))
    head = dict(zip(table["document"].to_pylist(), table["cluster"].to_pylist(), strict=True))
    folded: dict[str, tuple[str, list[str]]] = {}
    for name in ranked:
        key = head.get(name, name)
        if key in folded:
            folded[key][1].append(name)
        else:
            folded[key] = (name, [])
    return list(folded.values())
