"""Saved runs: a folder of Parquet tables and run.json, written whole or not at all.

`documents.parquet`, `pairs.parquet`, `clusters.parquet` can be read by anything; `run.json` holds
the version, settings, counts, times and a checksum of each table. The folder is written beside its
place and renamed, so that a crash leaves no half run.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from copysift._version import __version__
from copysift.errors import RunError
from copysift.match.counts import Counts, PairColumns, uncounted
from copysift.match.pair_table import PairTable
from copysift.model.regions import UNKNOWN
from copysift.model.values import Group, Ignored, Result, Skipped, Submission
from copysift.runs.checksums import checksum, digest_of, open_table, read_table, verify_table, write_table
from copysift.runtime import durable

VERSION = 1
PAIRS_AT_ONCE = 1 << 16
OF_WORK = {
    **dict.fromkeys(("label", "author", "team", "when", "attempt", "note"), pa.string()),
    "earlier": pa.bool_(), "covered": pa.float64(),
}  # fmt: skip  # of a submission, in documents.parquet
TABLES = ("documents.parquet", "pairs.parquet", "clusters.parquet")
_AGAIN = "recreate the run with copysift scan --save"
_CLUSTER_AGAIN = "recreate the run with copysift cluster"


def save(path: Path, counts: Counts, result: Result, times: Mapping[str, float]) -> None:
    """Write a run to the folder `path`; an earlier run there is replaced, anything else is refused."""
    path = path.absolute()
    check_place(path, overwrite=True)
    try:
        part = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror}") from None
    try:
        ids = _ids([group.name for group in counts.documents])
        write_table(_documents(counts, ids), part / TABLES[0])
        _write_pairs(part / TABLES[1], counts, ids)
        write_table(_clusters(counts, result, ids), part / TABLES[2])
        described = _described(counts, result, times)
        described["files"] = {name: checksum(part / name) for name in TABLES}
        described["digest"] = digest_of(described)
        (part / "run.json").write_text(json.dumps(described, indent=1) + "\n", encoding="utf-8")
        for name in (*TABLES, "run.json"):
            durable.sync(part / name)
        durable.sync(part)
        part.chmod(0o777 & ~_umask())
        put_in_place(part, path)
        durable.sync(path.parent)
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def check_place(path: Path, overwrite: bool = False) -> None:
    """Raise RunError unless a run can be written there: better before the work than after it.

    A finished run is replaced only where that is wanted.
    """
    if (path / "run.json").is_file() and not overwrite:
        raise RunError(
            f"{path} already contains another run", hint="choose another folder, or add --overwrite"
        )
    if path.exists() and not (path / "run.json").is_file():
        raise RunError(f"{path} exists and is not a run", hint="choose another folder, or remove it")
    if not path.absolute().parent.is_dir():
        raise RunError(f"the folder {path.absolute().parent} does not exist", hint="create it first")


def open_run(path: Path, table: PairTable | None = None) -> Counts:
    """Read a run back, its pairs into a table; raises RunError if it is missing, damaged or too new."""
    described = read_description(path)
    for name in TABLES:
        verify_table(path, name)
    documents = read_table(path, TABLES[0]).to_pydict()
    try:
        with pq.ParquetFile(path / TABLES[1], page_checksum_verification=True) as pairs:
            return _counts(documents, pairs, described, PairTable() if table is None else table)
    except (pa.ArrowException, KeyError, ValueError, TypeError) as error:
        raise RunError(f"{path} is damaged: {error}", hint=_AGAIN) from None


def read_description(path: Path) -> dict[str, Any]:
    """Read run.json, and refuse what is not a run of a known version."""
    try:
        described = json.loads((path / "run.json").read_text(encoding="utf-8"))
        version = described["version"]
        complete = isinstance(described["files"], dict) and "floor" in described
    except PermissionError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}") from None
    except OSError as error:
        why = "it has no run.json" if path.is_dir() else error.strerror
        message = f"{path} is not a run: {why}"
        raise RunError(message, hint="create one with copysift scan --save or copysift cluster") from None
    except (ValueError, KeyError, TypeError):
        raise RunError(f"{path}: run.json is damaged", hint=_AGAIN) from None
    if version != VERSION:
        raise RunError(
            f"{path} is a run of version {version}, made by copysift {described.get('copysift', '?')}; "
            f"this copysift reads version {VERSION}",
            hint=_CLUSTER_AGAIN if described.get("made_by") == "cluster" else _AGAIN,
        )
    if not complete or described.get("digest", "") not in ("", digest_of(described)):
        raise RunError(f"{path}: run.json is damaged", hint=_AGAIN)
    if described["files"] == {}:
        raise RunError(
            f"the tables of {path} are folders that Spark wrote to a URI",
            hint="read them as Parquet, or write the run to a folder with -o RUN",
        )
    loaded: dict[str, Any] = described
    return loaded


def _ids(names: list[str]) -> list[str]:
    """Give names that Parquet can hold: bytes that are not UTF-8 are spelled out, kept apart by number."""
    taken: dict[str, int] = {}
    ids = []
    for name in names:
        spelled = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        number = taken[spelled] = taken.get(spelled, 0) + 1
        ids.append(spelled if number == 1 else f"{spelled}~{number}")
    return ids


def _documents(counts: Counts, ids: list[str]) -> pa.Table:
    groups = counts.documents
    near = np.zeros(len(groups), np.bool_)
    near[list(counts.near_copies)] = True
    return pa.table(
        {
            "document": pa.array(ids, pa.string()),
            "group": pa.array(ids, pa.string()),
            "kind": pa.array([group.kind for group in groups], pa.string()),
            "bytes": pa.array([group.bytes for group in groups], pa.int64()),
            "fingerprints": pa.array([group.fingerprints for group in groups], pa.int64()),
            # Only for names that are not UTF-8: the name as the system has it.
            "raw_name": pa.array(
                [
                    None if name == group.name else group.name.encode("utf-8", "surrogateescape")
                    for name, group in zip(ids, groups, strict=True)
                ],
                pa.binary(),
            ),
            "near_copy": pa.array(near),
            "read_as": pa.array([group.read_as for group in groups], pa.string()),
            "file_bytes": pa.array(_file_bytes(counts), pa.int64()),
            **_submissions(counts),
        }
    )


def _file_bytes(counts: Counts) -> list[int | None]:
    """Give the sizes of files whose text has another, of a submission that of all its files together."""
    if counts.files is None:
        return [group.file_bytes for group in counts.documents]
    total = {group.name: 0 for group in counts.documents}
    for file in counts.files:
        total[file.group] += file.size
    return [None if total[group.name] == group.bytes else total[group.name] for group in counts.documents]


def _submissions(counts: Counts) -> dict[str, pa.Array]:
    """Give what is known of submissions as columns; none where files were compared."""
    if not counts.submissions:
        return {}
    known = {each.name: each for each in counts.submissions}
    rows = [known.get(group.name) or Submission(group.name) for group in counts.documents]
    columns = {name: pa.array([getattr(each, name) for each in rows], kind) for name, kind in OF_WORK.items()}
    return columns | {"same_as_number": pa.array(counts.twins or range(len(rows)), pa.int64())}


def _write_pairs(path: Path, counts: Counts, ids: list[str]) -> None:
    """Write equal files, each with the first of its set, and then the other pairs, some at a time."""
    named = pa.array(ids, pa.string())
    star = [(first, other) for first, *rest in counts.equal for other in rest]
    ones, others = np.array(star, np.uint32).reshape(-1, 2).T
    shared = np.array([counts.documents[first].fingerprints for first, _ in star], np.int64)
    equal = PairColumns.between(ones, others, np.zeros(len(star), np.uint8))
    full = np.ones(len(star))
    equal = dataclasses.replace(
        equal, shared=shared, similarity=full, resemblance=full, containment_left=full, containment_right=full
    )
    occurring = bool(len(counts.pairs)) and bool((counts.pairs.rows(0, 1).sif >= 0).any())
    first = _pair_rows(equal, named, equal=True, occurring=occurring)
    with open_table(path, first.schema) as writer:
        writer.write_table(first)
        for start in range(0, len(counts.pairs), PAIRS_AT_ONCE):
            pairs = counts.pairs.rows(start, min(start + PAIRS_AT_ONCE, len(counts.pairs)))
            writer.write_table(_pair_rows(pairs, named, equal=False, occurring=occurring))


def _pair_rows(pairs: PairColumns, named: pa.Array, *, equal: bool, occurring: bool) -> pa.Table:
    return pa.table(
        {
            "left": named.take(pa.array(pairs.left)),
            "right": named.take(pa.array(pairs.right)),
            "shared": pairs.shared.astype(np.int64),
            "resemblance": pairs.resemblance,
            "containment_left": pairs.containment_left,
            "containment_right": pairs.containment_right,
            "similarity": pairs.similarity,
            "equal": np.full(len(pairs), equal),
            "longest": _nullable(pairs.longest),
            "lines": _nullable(pairs.lines),
            "channel": pairs.channel,
            **({"sif": pa.array(pairs.sif, pa.float64(), mask=pairs.sif < 0)} if occurring else {}),
        }
    )


def _nullable(column: Any) -> pa.Array:
    return pa.array(column, pa.int64(), mask=column == UNKNOWN)


def _clusters(counts: Counts, result: Result, ids: list[str]) -> pa.Table:
    id_of = {group.name: name for group, name in zip(counts.documents, ids, strict=True)}
    identical = {name for names in result.equal for name in names[1:]}
    rows = [(id_of[cluster.members[0]], name) for cluster in result.clusters for name in cluster.members]
    how = [
        "representative" if id_of[name] == first else "identical" if name in identical else "similar"
        for first, name in rows
    ]
    firsts = pa.array([first for first, _ in rows], pa.string())
    return pa.table(
        {
            "cluster": firsts,
            "document": pa.array([id_of[name] for _, name in rows], pa.string()),
            "representative": firsts,
            "joined": pa.array(how, pa.string()),
        }
    )


def _described(counts: Counts, result: Result, times: Mapping[str, float]) -> dict[str, Any]:
    return {
        "version": VERSION,
        "copysift": __version__,
        "settings": result.settings,
        "floor": counts.floor,
        "counts": {
            "documents": len(counts.documents),
            "bytes": sum(group.bytes for group in counts.documents),
            "fingerprints": sum(group.fingerprints for group in counts.documents),
            "equal_sets": len(counts.equal),
            "pairs": len(counts.pairs),
            "ignored": counts.ignored_count,
        },
        "seconds": {phase: round(seconds, 3) for phase, seconds in times.items()},
        "ignored": [[f"{each.hash:016x}", each.groups, each.text] for each in counts.ignored],
        "skipped": [[each.name, each.reason] for each in counts.skipped],
        "notes": list(counts.notes),
    }


def _counts(
    documents: dict[str, list[Any]], pairs: pq.ParquetFile, described: dict[str, Any], table: PairTable
) -> Counts:
    names = [
        shown if raw is None else raw.decode("utf-8", "surrogateescape")
        for shown, raw in zip(documents["document"], documents["raw_name"], strict=True)
    ]
    counted = documents.get("shingles", documents["fingerprints"])  # what `shared` is counted in
    groups = tuple(
        Group(name, name, kind, size, fingerprints, read_as or "", file_bytes)
        for name, kind, size, fingerprints, read_as, file_bytes in zip(
            names,
            documents["kind"],
            documents["bytes"],
            counted,
            documents.get("read_as", [""] * len(names)),  # not in older runs, nor in those of `cluster`
            documents.get("file_bytes", [None] * len(names)),
            strict=True,
        )
    )
    numbers = pa.array(documents["document"], pa.string())
    sets: dict[int, list[int]] = {}
    for batch in pairs.iter_batches(PAIRS_AT_ONCE, use_threads=False):
        columns, equal = _pair_columns(batch, numbers)
        for first, other in zip(columns.left[equal].tolist(), columns.right[equal].tolist(), strict=True):
            sets.setdefault(first, [first]).append(other)
        table.append(columns.take(~equal) if equal.any() else columns)
    return Counts(
        groups,
        table,
        tuple(tuple(members) for members in sets.values()),
        tuple(Ignored(int(value, 16), count, text) for value, count, text in described["ignored"]),
        int(described["counts"]["ignored"]),
        tuple(Skipped(name, reason) for name, reason in described["skipped"]),
        float(described["floor"]),
        twins=tuple(documents.get("same_as_number", ())),
        submissions=tuple(
            Submission(name, **dict(zip(OF_WORK, values, strict=True)))
            for name, *values in zip(names, *(documents[each] for each in OF_WORK), strict=True)
        )
        if "same_as_number" in documents
        else (),
        near_copies=tuple(np.flatnonzero(documents.get("near_copy", ())).tolist()),
        settings=dict(described.get("settings") or {}),
        notes=tuple(described.get("notes", ())),
    )


def _pair_columns(batch: pa.RecordBatch, numbers: pa.Array) -> tuple[PairColumns, Any]:
    """Give pairs by the numbers of their documents, and which of them are equal."""
    import pyarrow.compute as pc  # takes long to load

    def numpy(name: str) -> Any:
        return batch.column(name).to_numpy(zero_copy_only=False)

    def known(name: str) -> Any:
        values = batch.column(name)
        if values.null_count == len(values):
            return np.broadcast_to(np.int32(UNKNOWN), len(values))  # takes no room
        return values.fill_null(UNKNOWN).to_numpy(zero_copy_only=False)

    sides = [pc.index_in(batch.column(side), value_set=numbers) for side in ("left", "right")]
    if any(side.null_count for side in sides):
        raise ValueError("a pair of a document that is not there")
    left, right = (side.to_numpy().astype(np.uint32) for side in sides)
    decided = "channel" in batch.schema.names  # not in runs of version 0.1
    columns = PairColumns(
        left=left,
        right=right,
        shared=numpy("shared"),
        similarity=numpy("similarity"),
        resemblance=numpy("resemblance"),
        containment_left=numpy("containment_left"),
        containment_right=numpy("containment_right"),
        longest=known("longest"),
        lines=known("lines"),
        channel=numpy("channel") if decided else np.zeros(len(left), np.uint8),
        place=np.broadcast_to(np.int32(UNKNOWN), len(left)),
        sif=_occurrences(batch),
    )
    return columns, numpy("equal").astype(np.bool_)


def _occurrences(batch: pa.RecordBatch) -> Any:
    """Give sif's measure of pairs; runs that counted no occurrences have none."""
    if "sif" not in batch.schema.names or batch.column("sif").null_count == len(batch):
        return uncounted(len(batch))
    return batch.column("sif").fill_null(-1.0).to_numpy(zero_copy_only=False)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def put_in_place(part: Path, path: Path) -> None:
    """Rename the finished folder into place; an earlier run steps aside first."""
    if not path.exists():
        part.rename(path)
        return
    aside = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".old", dir=path.parent))
    path.rename(aside / path.name)
    try:
        part.rename(path)
    except OSError:
        (aside / path.name).rename(path)
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)
