"""Clustering and removal of documents in memory: the phases of a corpus, applied to what a caller holds."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal

import numpy as np

from copysift.engines import dedup_steps
from copysift.engines.cluster_run import cluster as run_cluster
from copysift.engines.decision import Decision, against, decide
from copysift.engines.decontamination import contamination_of, test_items
from copysift.engines.dedup_job import check_cutting
from copysift.engines.near_units import near_groups
from copysift.engines.passage_cuts import repeats_of, without_spans
from copysift.engines.passages import Known, cut, joined_spans
from copysift.engines.reading import fields_of
from copysift.engines.texts import readable
from copysift.errors import InputError, UsageError
from copysift.model.contamination import Contamination
from copysift.model.values import Skipped
from copysift.report.contamination import WRITERS, contamination_format
from copysift.runs.stored_run import open_corpus
from copysift.settings.corpus import CorpusSettings
from copysift.workflows.python_documents import Columns, Items, Paths, Place, Rows, batches

Passages = Literal["", "cut", "flag"]


def cluster_given(
    given: Paths | Items | Columns,
    path: Path,
    settings: CorpusSettings,
    bad: set[int] | None = None,
    onto: Path | None = None,
) -> None:
    """Make a run of files or documents; the numbers of documents without text are put into `bad`."""
    if isinstance(given, Paths):
        run_cluster(given.names, path, settings, onto=onto)
        return
    if settings.by == "dir":
        raise UsageError("documents in memory are in no folders", hint="give paths, or leave out by")

    def rows() -> Rows:
        return batches(given, fields_of(settings), bad)

    run_cluster([], path, settings, onto=onto, batches=rows)


def dedup_given(
    given: Items | Columns,
    settings: CorpusSettings,
    keep: str,
    old: Path | None,
    from_run: Path | None,
    passages: Passages,
) -> object:
    """Give the documents that stay, as what they came."""
    bad: set[int] = set()
    if from_run is not None:
        decision, first = _applied(given, settings, keep, from_run, bad), 0
    else:
        with tempfile.TemporaryDirectory(prefix="copysift-") as spare:
            path = Path(spare) / "run"
            cluster_given(given, path, settings, bad, old)
            if old is None:
                decision, first = decide(path, settings, keep), dedup_steps.earlier_count(path)
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


def without_passages(
    given: Items | Columns, settings: CorpusSettings, run: Path, passages: Passages
) -> object:
    """Cut or flag the passages that a run has; documents of which nothing is left go."""
    known = Known(run, open_corpus(run).described["settings"]["shingle"], settings.seed)

    def spans(_: int, text: bytes) -> list[tuple[int, int]]:
        return known.spans(text, settings.min_passage, settings.cut_at)

    return _changed(given, settings, passages, spans, set())


def without_items(
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
