"""`copysift.cluster` and `copysift.dedup`: files or documents in memory, the same phases, values back."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TypeVar, Unpack, overload

import numpy as np

from copysift.engines import dedup_steps
from copysift.engines.cluster_run import check_onto
from copysift.engines.cluster_run import cluster as run_cluster
from copysift.engines.cutting import repeats_of, without_spans
from copysift.engines.decision import Decision, against, decide
from copysift.engines.decontamination import contamination_of, test_items
from copysift.engines.dedup_job import check_cutting
from copysift.engines.near_units import near_groups
from copysift.engines.output_targets import output_place, removed_path
from copysift.engines.passages import Known, cut, joined_spans
from copysift.engines.reading import fields_of
from copysift.engines.texts import readable
from copysift.errors import InputError, UsageError
from copysift.match.counts import Counts
from copysift.model.contamination import Contamination
from copysift.model.values import Cluster, Result, Skipped
from copysift.report.contamination import WRITERS, contamination_format
from copysift.runs.scan_run import open_run
from copysift.runs.tables import members, open_corpus
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from copysift.settings.keywords import ClusterKeywords, DedupKeywords
from copysift.workflows.dedup_result import DedupResult, read_output
from copysift.workflows.feature_functions import named
from copysift.workflows.python_documents import (
    Columns,
    Documents,
    Frame,
    Item,
    Items,
    Paths,
    Place,
    Rows,
    batches,
    understood,
)
from copysift.workflows.run import ordered_pairs

AnyFrame = TypeVar("AnyFrame", bound=Frame)
AnyItem = TypeVar("AnyItem", bound=Item)
Passages = Literal["", "cut", "flag"]


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
        _cluster(given, path, made)
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
    keep: str = "first",
    output: Place | None = None,
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
    keep: str = "first",
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
    keep: str = "first",
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
    keep: str = "first",
    output: Place | None = None,
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
    stays is written there: .jsonl, .json, .csv, .tsv, .parquet or .arrow.

    `against` names a run: what it has goes; with `passages` "cut" only the passages that it has go, with
    "flag" their half-open byte offsets are added as a field `passages`. `from_run` applies a finished
    run, to its own files or to the documents that it was made of, without comparing again.

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
    old, done = (None if place is None else Path(place) for place in (against, from_run))
    if documents is None and done is None:
        raise UsageError("nothing to deduplicate", hint="give paths, documents or from_run")
    with _settings(settings, "dedup") as made:
        if old is not None:
            check_onto(old, made, settings)
        given = Paths(()) if documents is None else understood(documents)
        tests = (
            [os.fspath(test)] if isinstance(test, str | os.PathLike) else [os.fspath(each) for each in test]
        )
        if report is not None and not tests:
            raise UsageError("a report says what there is of a benchmark", hint="name it with test")
        if tests and old is not None:
            raise UsageError("test does not go together with against", hint="leave one of them out")
        if isinstance(given, Paths):
            found = _dedup_files(given, output, made, keep, old, passages, done, tests)
            if report is not None and found.contamination is not None:
                write_report(found.contamination, report)
            return found
        if output is not None:
            raise UsageError("output is for files only", hint="write what dedup gives")
        if tests:
            return _without_items(given, made, tests, passages or "cut", report)
        if passages and old is not None:
            return _without_passages(given, made, old, passages)
        return _dedup(given, made, keep, old, done, passages)


@contextmanager
def _settings(given: Mapping[str, object], command: str) -> Iterator[CorpusSettings]:
    """Make settings; a function for `features` has a name as long as they are used."""
    function = given.get("features")
    if callable(function):
        with named(function) as name:
            yield make(CorpusSettings, {**given, "features": name}, command)
    else:
        yield make(CorpusSettings, given, command)


def _cluster(
    given: Paths | Items | Columns,
    path: Path,
    settings: CorpusSettings,
    bad: set[int] | None = None,
    onto: Path | None = None,
) -> None:
    if isinstance(given, Paths):
        run_cluster(given.names, path, settings, onto=onto)
        return

    def rows() -> Rows:
        return batches(given, fields_of(settings), bad)

    run_cluster([], path, settings, onto=onto, batches=rows)


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


def _dedup(
    given: Items | Columns,
    settings: CorpusSettings,
    keep: str,
    old: Path | None,
    from_run: Path | None,
    passages: Passages,
) -> object:
    bad: set[int] = set()
    if from_run is not None:
        decision, first = _applied(given, settings, keep, from_run, bad), 0
    else:
        with tempfile.TemporaryDirectory(prefix="copysift-") as spare:
            path = Path(spare) / "run"
            _cluster(given, path, settings, bad, old)
            if old is None:
                decision, first = decide(path, settings, keep), 0
            else:
                first = len(open_corpus(old).ids)
                decision = against(path, first, settings)
    numbers = np.array([number for number in range(len(given)) if number not in bad], np.int64)
    gone = set(numbers[~decision.stays[first:]].tolist())
    if passages:
        return _without_repeats(given, settings, passages, gone)
    return given.select([number for number in range(len(given)) if number not in gone])


def _applied(
    given: Items | Columns, settings: CorpusSettings, keep: str, run: Path, bad: set[int]
) -> Decision:
    """Decide by a finished run that was made of these documents."""
    reading = dedup_steps.applied_settings(run, settings)
    fields = fields_of(reading)
    ids = [
        name
        for batch in batches(given, fields, bad)
        if not isinstance(batch, Skipped)
        for name in batch["id"].to_pylist()
    ]
    decision = decide(run, reading, keep)
    known = (name == id_ or name.startswith(f"{id_}~") for name, id_ in zip(decision.ids, ids, strict=False))
    if len(ids) != len(decision.ids) or not all(known):
        raise InputError(f"{run} was made of other documents", hint="cluster these first")
    return decision


def _without_passages(
    given: Items | Columns, settings: CorpusSettings, run: Path, passages: Passages
) -> object:
    """Cut or flag the passages that a run has; documents of which nothing is left go."""
    known = Known(run, open_corpus(run).described["settings"]["shingle"], settings.seed)

    def spans(_: int, text: bytes) -> list[tuple[int, int]]:
        return known.spans(text, settings.min_passage, settings.cut_at)

    return _changed(given, settings, passages, spans, set())


def _without_items(
    given: Items | Columns,
    settings: CorpusSettings,
    tests: list[str],
    passages: Passages,
    report: Place | None,
) -> object:
    """Cut or flag what documents have of test items; documents of which nothing is left go."""
    items = test_items(tests, settings)
    names = [
        name
        for batch in batches(given, fields_of(settings), set())
        if not isinstance(batch, Skipped)
        for name in batch["id"].to_pylist()
    ]
    looked = iter(names)

    def spans(_: int, text: bytes) -> list[tuple[int, int]]:
        read = items.read(text)
        found = items.overlaps(read)
        items.note(next(looked), read, found)
        return items.spans(read, found, settings.cut_at)

    made = _changed(given, settings, passages, spans, set())
    if report is not None:
        write_report(contamination_of(items, settings, len(names), len(names)), report)
    return made


def write_report(found: Contamination, path: Place) -> None:
    """Write what a corpus has of benchmarks as the name of a file asks: .html, .json or .csv."""
    Path(path).write_text(WRITERS[contamination_format(path)](found), encoding="utf-8")


def _without_repeats(
    given: Items | Columns, settings: CorpusSettings, passages: Passages, gone: set[int]
) -> object:
    """Cut or flag what documents have more than once, but its first occurrence; `gone` are not looked at."""
    check_cutting(settings, None)
    with (
        tempfile.TemporaryDirectory(prefix="copysift-") as spare,
        repeats_of(Path(spare), settings) as repeats,
    ):
        texts = [(number, text) for number, text in _texts(given, settings) if number not in gone]
        if settings.near < 1:
            read = [text for _, text in texts]
            repeats.take_groups(*near_groups(lambda: read, repeats, Path(spare), settings))
        repeats.count(text for _, text in texts)
        repeats.join(texts, len(given))

        def spans(number: int, text: bytes) -> list[tuple[int, int]]:
            copies = repeats.copies(number, text, settings.cut_at)
            return joined_spans((copy.start, copy.end) for copy in copies)

        return _changed(given, settings, passages, spans, gone)


def _texts(given: Items | Columns, settings: CorpusSettings) -> Iterator[tuple[int, bytes]]:
    """Give the texts of documents by number, markup blanked, so that offsets stay."""
    for number, text in _sources(given, settings):
        yield number, readable(text, settings.html)


def _sources(given: Items | Columns, settings: CorpusSettings) -> Iterator[tuple[int, bytes]]:
    bad: set[int] = set()
    texts = [
        text
        for batch in batches(given, fields_of(settings), bad)
        if not isinstance(batch, Skipped)
        for text in batch["text"].to_pylist()
    ]
    return zip((number for number in range(len(given)) if number not in bad), texts, strict=True)


def _changed(
    given: Items | Columns,
    settings: CorpusSettings,
    passages: Passages,
    spans_of: Callable[[int, bytes], list[tuple[int, int]]],
    gone: set[int],
) -> object:
    if (
        passages == "flag"
        and isinstance(given, Items)
        and not all(isinstance(each, Mapping) for each in given.held)
    ):
        raise UsageError("only records can be flagged", hint='give mappings: {"text": …}')
    changed: dict[int, object] = {}
    gone = set(gone)
    field = given.root(settings.text_field)
    for number, text in _sources(given, settings):
        if number in gone:
            continue
        shown = readable(text, settings.html)  # markup is blanked, so that offsets stay
        spans = spans_of(number, shown)
        if spans and passages == "flag":
            changed[number] = [list(span) for span in spans]
        elif spans:
            markup = shown != text
            changed[number] = without_spans(
                given.fields(number, field), settings.text_field, text, spans, markup
            )[field]
            if not cut(text, spans, markup=markup).strip():
                gone.add(number)
    stays = [number for number in range(len(given)) if number not in gone]
    return given.changed(stays, "passages" if passages == "flag" else field, changed)


def _equal(counts: Counts) -> tuple[tuple[str, ...], ...]:
    names = [group.name for group in counts.documents]
    return tuple(tuple(names[number] for number in members) for members in counts.equal)
