"""`dedup` from sources to output: cluster, decide, write; drop what a run has, or only the passages of it."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from copysift.clusters.preference import choice
from copysift.engines.cluster_run import cluster
from copysift.engines.company import read_company
from copysift.engines.decision import Decision, against, decide
from copysift.engines.decontamination import decontaminate
from copysift.engines.dedup_job import (
    DedupCounts,
    beside,
    check_cutting,
    check_wishes,
    refuse_own_run,
    refuse_parts,
    require_some,
    rereadable,
)
from copysift.engines.output_targets import check_output, is_folder
from copysift.engines.passage_cuts import cut_known, cut_repeats, noted
from copysift.engines.reading import Batches, Origins, records, records_by_file
from copysift.engines.record_output import write_kept, write_removed
from copysift.engines.submissions import count_of
from copysift.errors import InputError, UsageError
from copysift.model.values import Skipped
from copysift.runs.stored_run import open_corpus
from copysift.runtime.progress import Progress
from copysift.settings.corpus import CorpusSettings, from_stored
from copysift.settings.declaration import make
from copysift.sources.record_segments import Origin

if TYPE_CHECKING:
    from copysift.engines.engine import Cluster


def dedup(
    sources: Iterable[str],
    path: Path | None,
    settings: CorpusSettings,
    *,
    keeping: str = "",
    shards: int = 1,
    dry_run: bool = False,
    against: Path | None = None,
    passages: str = "",
    tests: Sequence[str] = (),
    run: Path | None = None,
    from_run: Path | None = None,
    progress: Progress | None = None,
    clusterer: Cluster = cluster,
) -> DedupCounts:
    """Write what stays of the sources to `path`, and beside it who was removed.

    With `from_run` a finished run is applied: its sources are read once more, and nothing is compared.
    `clusterer` makes the run: here, or on Spark.
    """
    refuse_parts(settings, passages, tests)
    if from_run is not None:
        return _apply(from_run, path, settings, keeping, shards, dry_run, passages, tests)
    sources = [os.fspath(source) for source in sources]
    check_wishes(keeping, run, against, settings)
    if path is not None:
        check_output(path, sources, shards, settings)
    notes: list[str] = []
    with beside(path, run, notes) as folder:
        names = rereadable(sources, folder)

        def again() -> Batches:
            return records(names, settings, whole=True)

        def to_write() -> Origins:
            return _to_write(names, path, settings)

        if tests:
            how = passages or "cut"
            done = decontaminate(to_write, path, settings, tests, how, dry_run, shards, names)
            done.notes = (*notes, *done.notes)
            return done
        if passages and against is not None:
            if passages == "cut":
                refuse_own_run(sources, against)
            return cut_known(again, to_write, path, settings, against, passages, dry_run, shards, names)
        made = clusterer(
            names, folder / "run" if run is None else run, settings, onto=against, progress=progress
        )
        decision, before = _decision(made.path, settings, keeping, against)
        done = _numbers(decision, before)
        done.skipped, done.skipped_total = made.skipped, made.described["counts"]["skipped"]
        said = (note for note in made.described["notes"] if note not in made.notes)  # what was ignored
        done.left_out, done.notes = made.left_out, (*notes, *made.notes, *said)
        require_some(done)
        if passages:
            cut_repeats(
                again, to_write, decision, path, settings, passages, dry_run, shards, folder, done, names
            )
        elif path is not None and not dry_run:
            skipped: list[Skipped] = []
            binary = write_kept(
                noted(to_write(), skipped), decision.stays[before:], path, shards, settings, sources=names
            )
            done.notes = (*done.notes, *_lost_bytes(binary, path))
            write_removed(path, decision, before, skipped)
        return done


def _apply(
    run: Path,
    path: Path | None,
    settings: CorpusSettings,
    keeping: str,
    shards: int,
    dry_run: bool,
    passages: str,
    tests: Sequence[str] = (),
) -> DedupCounts:
    """Decide by a finished run which records of its sources stay, at any threshold from its floor on."""
    choice(keeping)
    check_cutting(settings, None)
    reading = applied_settings(run, settings)
    sources = list(open_corpus(run).described["sources"])
    if not sources or "-" in sources:
        raise UsageError(f"{run} was not made of files", hint="deduplicate its sources instead")
    if path is not None:
        check_output(path, sources, shards, reading)
    if tests:
        documents = len(open_corpus(run).ids)

        def all_again() -> Origins:
            return _counted(_to_write(sources, path, reading), run, documents)

        return decontaminate(
            all_again, path, reading, tests, passages or "cut", dry_run, shards, sources, run=run
        )
    decision, before = decide(run, reading, keeping), earlier_count(run)
    done = _numbers(decision, before)

    def again() -> Batches:
        return _counted(records(sources, reading, whole=True), run, done.documents)

    def to_write() -> Origins:
        return _counted(_to_write(sources, path, reading), run, done.documents)

    if passages:
        with beside(path, None) as folder:
            cut_repeats(
                again, to_write, decision, path, reading, passages, dry_run, shards, folder, done, sources
            )
    elif path is not None and not dry_run:
        skipped: list[Skipped] = []
        binary = write_kept(
            noted(to_write(), skipped), decision.stays[before:], path, shards, reading, sources=sources
        )
        done.notes = (*done.notes, *_lost_bytes(binary, path))
        write_removed(path, decision, before, skipped)
    return done


def _to_write(sources: Iterable[str], path: Path | None, settings: CorpusSettings) -> Origins:
    """Give the records to write, with the files that they are from where those decide where they go."""
    if path is not None and is_folder(path):
        return records_by_file(sources, settings)
    return records(sources, settings, whole=True)


def _lost_bytes(count: int, path: Path) -> tuple[str, ...]:
    """Say that documents which are not text cannot be written as text."""
    if not count:
        return ()
    are = "1 document is" if count == 1 else f"{count:,} documents are"
    return (f"{are} not text: {path} has U+FFFD instead of their bytes. Copy the files that its IDs name",)


def applied_settings(run: Path, settings: CorpusSettings) -> CorpusSettings:
    """Give the settings of a run, with the threshold, measure and policy of the command, if any."""
    described = open_corpus(run).described
    floor = float(described["floor"])
    usual = make(CorpusSettings, {})
    deciding = ("threshold", "measure", "policy")
    if all(getattr(settings, name) == getattr(usual, name) for name in deciding):
        stored = described["settings"]
        measure = stored.get("measure", "containment" if stored.get("contained") else "resemblance")
        threshold = stored.get("threshold", stored.get("resemblance"))
        settings = dataclasses.replace(
            settings, threshold=threshold, measure=measure, policy=stored.get("policy", usual.policy)
        )
    if settings.resemblance < floor - 1e-12:
        raise UsageError(
            f"--threshold {settings.resemblance:g} is below the --floor {floor:g} of {run}",
            hint="raise --threshold, or cluster again with a lower --floor",
        )
    taken = (
        "threshold",
        "measure",
        "policy",
        "min_passage",
        "cut_at",
        "max_copies",
        "memory",
        "jobs",
        "min_overlap",
        "test_field",
        "near",
    )
    asked = {name: getattr(settings, name) for name in taken}
    return dataclasses.replace(from_stored(described["settings"]), **asked)


def _counted(batches: Origins, run: Path, documents: int) -> Origins:
    """Pass records on; refuse sources that have changed since the run was made."""
    seen = 0
    for batch in batches:
        seen += 0 if isinstance(batch, Skipped | Origin) else count_of(batch)
        if seen > documents:
            break
        yield batch
    if seen != documents:
        raise InputError(f"the sources of {run} have changed since", hint="cluster them again")


def _decision(run: Path, settings: CorpusSettings, keeping: str, old: Path | None) -> tuple[Decision, int]:
    if old is None:
        return decide(run, settings, keeping), earlier_count(run)
    before = len(open_corpus(old).ids)
    return against(run, before, settings), before


def earlier_count(run: Path) -> int:
    """Count the earlier documents of a run, which come first and are not written."""
    return read_company(run / "sketches").earlier


def _numbers(decision: Decision, before: int) -> DedupCounts:
    reasons = [
        why
        for why, number in zip(decision.reason, decision.removed.tolist(), strict=True)
        if number >= before
    ]
    documents = len(decision.kept) - before
    return DedupCounts(
        documents, documents - len(reasons), len(reasons), dict(Counter(reasons).most_common())
    )
