"""`copysift.cluster` and `copysift.dedup`: files or documents in memory, the same phases, values back."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar, Unpack, overload

from copysift.engines import dedup_steps
from copysift.engines.known_run import known_run
from copysift.engines.output_targets import output_place, refuse_existing, removed_path
from copysift.errors import UsageError
from copysift.match.counts import Counts
from copysift.model.values import Cluster, Result, Skipped
from copysift.runs.scan_run import open_run
from copysift.runs.stored_run import open_corpus
from copysift.runs.tables import members
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from copysift.settings.keywords import ClusterKeywords, DedupKeywords
from copysift.workflows.dedup_result import DedupResult, read_output
from copysift.workflows.feature_functions import named
from copysift.workflows.memory_corpus import (
    Passages,
    cluster_given,
    dedup_given,
    without_items,
    without_passages,
    write_report,
)
from copysift.workflows.python_documents import (
    Documents,
    Frame,
    Item,
    Paths,
    Place,
    understood,
)
from copysift.workflows.run import ordered_pairs

AnyFrame = TypeVar("AnyFrame", bound=Frame)
AnyItem = TypeVar("AnyItem", bound=Item)


def cluster(documents: Documents, *, run: Place | None = None, **settings: Unpack[ClusterKeywords]) -> Result:
    """Cluster the near-copies among files or documents.

    A string is a path or a glob, and so is a `Path`, also in a list. Documents are a list of texts,
    mappings, `Document`s or (name, text); an Arrow table or reader; a frame of pandas or Polars, also a
    lazy one; a relation of DuckDB; a data set of Hugging Face. They are named by their id, or by their
    number from 0. With `run` the run is kept in that folder.

    >>> fox = "the quick brown fox jumps over the lazy dog and runs far away from it"
    >>> copysift.cluster([fox, fox.upper(), "something else"]).clusters
    (Cluster(members=('0', '1')),)
    """
    given = understood(documents)
    with _settings(settings, "cluster") as made, tempfile.TemporaryDirectory(prefix="copysift-") as spare:
        path = Path(run) if run is not None else Path(spare) / "run"
        cluster_given(given, path, made)
        counts = open_run(path)
        found = tuple(Cluster(tuple(each)) for each in members(path).values())
        described = open_corpus(path).described
    return Result(
        described["settings"],
        counts.documents,
        ordered_pairs(counts),
        found,
        counts.ignored,
        counts.skipped,
        _equal(counts),
        ignored_count=counts.ignored_count,
        notes=tuple(described["notes"]),
    )


@overload
def dedup(  # type: ignore[overload-overlap]  # a string is a path here, not several documents
    documents: Place | Iterable[os.PathLike[str]] | None = None,
    *,
    keep: str = "",
    output: Place | None = None,
    overwrite: bool = False,
    against: Place | None = None,
    passages: Passages = "",
    from_run: Place | None = None,
    test: Place | Iterable[Place] = (),
    report: Place | None = None,
    **settings: Unpack[DedupKeywords],
) -> DedupResult: ...


@overload
def dedup(
    documents: AnyFrame,
    *,
    keep: str = "",
    against: Place | None = None,
    passages: Passages = "",
    from_run: Place | None = None,
    test: Place | Iterable[Place] = (),
    report: Place | None = None,
    **settings: Unpack[DedupKeywords],
) -> AnyFrame: ...


@overload
def dedup(
    documents: Iterable[AnyItem],
    *,
    keep: str = "",
    against: Place | None = None,
    passages: Passages = "",
    from_run: Place | None = None,
    test: Place | Iterable[Place] = (),
    report: Place | None = None,
    **settings: Unpack[DedupKeywords],
) -> list[AnyItem]: ...


def dedup(
    documents: Documents | None = None,
    *,
    keep: str = "",
    output: Place | None = None,
    overwrite: bool = False,
    against: Place | None = None,
    passages: Passages = "",
    from_run: Place | None = None,
    test: Place | Iterable[Place] = (),
    report: Place | None = None,
    **settings: Unpack[DedupKeywords],
) -> object:
    """Remove near-copies from files or documents, which are given as to `cluster`.

    Documents come back as what they came: a list, a table or a frame; readers and relations as an Arrow
    table. Those that cannot be compared (no text) stay. Files give a `DedupResult`; with `output` what
    stays is written there: .jsonl, .json, .csv, .tsv, .parquet or .arrow, over existing files only with
    `overwrite`.

    `against` names a run, an index or files: what they have goes; with `passages` "cut" only the passages
    that they have go, with "flag" their half-open byte offsets are added as a field `passages`. `from_run`
    applies a finished run, to its own files or to the documents that it was made of, without comparing again.

    `test` names files of benchmarks: what the documents have of their items is cut, or flagged, and nothing
    else. `report` is a file (.html, .json or .csv) that says so for each item; of files,
    `DedupResult.contamination` does, too.

    >>> copysift.dedup(["one text", "another text", "one text"])
    ['one text', 'another text']
    """
    if passages not in ("", "cut", "flag"):
        raise UsageError(f"passages are cut or flag, not {passages!r}")
    if from_run is not None and against is not None:
        raise UsageError("from_run does not go together with against", hint="leave one of them out")
    if test != () and against is not None:
        raise UsageError("test does not go together with against", hint="leave one of them out")
    done = None if from_run is None else Path(from_run)
    if documents is None and done is None:
        raise UsageError("nothing to deduplicate", hint="give paths, documents or from_run")
    with _settings(settings, "dedup") as made, known_run(against, made, settings) as old:
        given = Paths(()) if documents is None else understood(documents)
        tests = (
            [os.fspath(test)] if isinstance(test, str | os.PathLike) else [os.fspath(each) for each in test]
        )
        if report is not None and not tests:
            raise UsageError("a report says what there is of a benchmark", hint="name it with test")
        if isinstance(given, Paths):
            if output is not None and not overwrite:
                made_of = given.names if done is None else open_corpus(done).described["sources"]
                refuse_existing(output, made_of, 1, made)
            found = _dedup_files(given, output, made, keep, old, passages, done, tests)
            if report is not None and found.contamination is not None:
                write_report(found.contamination, report)
            return found
        if output is not None:
            raise UsageError("output is for files only", hint="write what dedup gives")
        if tests:
            return without_items(given, made, tests, passages or "cut", report)
        if passages and old is not None:
            return without_passages(given, made, old, passages)
        return dedup_given(given, made, keep, old, done, passages)


@contextmanager
def _settings(given: Mapping[str, object], command: str) -> Iterator[CorpusSettings]:
    """Make settings; a function for `features` has a name as long as they are used."""
    function = given.get("features")
    if callable(function):
        with named(function) as name:
            yield make(CorpusSettings, {**given, "features": name}, command)
    else:
        yield make(CorpusSettings, given, command)


def _dedup_files(
    given: Paths,
    output: Place | None,
    settings: CorpusSettings,
    keep: str,
    against: Path | None,
    passages: str,
    from_run: Path | None,
    tests: list[str],
) -> DedupResult:
    if from_run is not None and given.names:
        raise UsageError("from_run applies a run to its own files", hint="leave the paths out")
    with tempfile.TemporaryDirectory(prefix="copysift-") as spare:
        path = Path(spare) / "kept.parquet" if output is None else output_place(output)
        done = dedup_steps.dedup(
            given.names,
            path,
            settings,
            keeping=keep,
            against=against,
            passages=passages,
            from_run=from_run,
            tests=tests,
        )
        tables = {}
        if output is None:
            removed = removed_path(path)
            tables = {"kept": read_output(path), "removed": read_output(removed)}
    skipped = tuple(Skipped(name, reason) for name, reason in done.skipped)
    written = None if output is None else path
    return DedupResult(
        done.documents,
        done.kept,
        done.removed,
        done.reasons,
        skipped,
        done.notes,
        written,
        tables,
        done.contamination,
    )


def _equal(counts: Counts) -> tuple[tuple[str, ...], ...]:
    names = [group.name for group in counts.documents]
    return tuple(tuple(names[number] for number in members) for members in counts.equal)
