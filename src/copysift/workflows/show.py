"""Answer from a saved run; a question that needs pairs or matches it does not hold is refused."""

from __future__ import annotations

import dataclasses
import heapq
from pathlib import Path

from copysift.errors import UsageError
from copysift.match.counts import Counts
from copysift.model.traits import scheme_traits
from copysift.model.values import Cluster, Result
from copysift.runs.scan_run import open_run, read_description
from copysift.runs.tables import floor_of, is_corpus, members
from copysift.runtime import registry
from copysift.settings.comparison import COUNTS, SHARES, Settings
from copysift.settings.contents import Contents
from copysift.workflows.selection import answer, by_suffix, pair_table


def show(path: Path, settings: Settings, *, groups: bool = False) -> Result:
    """Answer from a run of `scan` or `cluster`, without its files.

    Of a run of `cluster` the settings and clusters are its own, and all its pairs are given unless a
    threshold is.
    """
    if not is_corpus(path):
        return _pairs(path, settings, groups)
    if settings.threshold is None and settings.measure in SHARES:
        settings = dataclasses.replace(settings, threshold=floor_of(path))
    result = _pairs(path, settings, groups)
    chosen = {"threshold": result.settings["threshold"], "measure": result.settings["measure"]}
    return dataclasses.replace(
        result,
        settings=read_description(path)["settings"] | chosen,
        clusters=tuple(Cluster(tuple(each)) for each in members(path).values()),
    )


def _pairs(path: Path, settings: Settings, groups: bool) -> Result:
    counts = open_run(path, pair_table(settings))
    check_answerable(counts, settings, path)
    result = answer(by_suffix(counts, settings), settings, groups=groups)
    contents = {field.name for field in dataclasses.fields(Contents)}
    made = {name: value for name, value in counts.settings.items() if name in contents}
    return dataclasses.replace(result, settings=result.settings | made)


def check_answerable(counts: Counts, settings: Settings, path: Path) -> None:
    """Raise UsageError when an answer from the run would lack pairs that a scan would report."""
    if settings.measure not in COUNTS and settings.cut < counts.floor - 1e-12:
        asked, kept = f"{settings.cut * 100:.3g}%", f"{counts.floor * 100:.3g}%"
        raise UsageError(
            f"--threshold is {asked}, but {path} has no pairs below {kept}",
            hint="raise --threshold, or scan again with a lower --floor",
        )
    if settings.measure == "sif" and counts.settings.get("measure") != "sif":
        raise UsageError(
            f"--measure sif needs occurrences, which {path} did not count",
            hint="use recluster for a run of cluster, or scan again with --measure sif --save RUN",
        )
    if settings.measure == "longest" or settings.min_match is not None:
        _check_longest(counts, settings, path)
    _check_shared(counts, settings, path)


def _matched(counts: Counts) -> bool:
    """Say whether the pairs of the run were matched exactly when it was made."""
    return counts.settings.get("measure") == "longest" or counts.settings.get("min_match") is not None


def _check_longest(counts: Counts, settings: Settings, path: Path) -> None:
    asked = "--measure longest" if settings.measure == "longest" else "--min-match"
    again = f"scan again with {asked} {settings.min_match or ''}".rstrip() + " --save RUN"
    if not _matched(counts):
        raise UsageError(f"{asked} needs match lengths, which {path} lacks", hint=again)
    made = counts.settings
    if made.get("same_suffix") and not settings.same_suffix:
        raise UsageError(
            f"{path} has match lengths only for pairs with the same suffix",
            hint=f"add --same-suffix, or {again}",
        )
    ratio = made.get("size_ratio")
    if isinstance(ratio, int | float) and (settings.size_ratio is None or settings.size_ratio > ratio):
        raise UsageError(
            f"{path} has match lengths only for pairs within --size-ratio {ratio:g}",
            hint=f"add --size-ratio {ratio:g}, or {again}",
        )


def _sketched(scheme: str) -> bool:
    """Say whether a run was made with sketches; its scheme may be of a plug-in that is gone."""
    return scheme in registry.names(registry.SCHEMES) and scheme_traits(scheme).sketch


def _check_shared(counts: Counts, settings: Settings, path: Path) -> None:
    made = counts.settings
    least = max(settings.fewest, settings.cut if settings.measure == "shared" else 0)
    if made.get("min_match") is not None:  # every pair that shares anything was kept
        return
    if _matched(counts) or _sketched(str(made.get("scheme"))):  # every pair that shares so many was kept
        usual = 2 if made.get("threshold") and made.get("measure") not in COUNTS else 1
        kept = made.get("min_shared") or usual
        if isinstance(kept, int) and least < kept:
            raise UsageError(
                f"{path} has no pairs that share fewer than {kept} fingerprints",
                hint="raise --min-shared, or scan again with a lower one",
            )
        return
    if settings.measure != "shared":
        return
    cut = made.get("threshold")
    if made.get("measure") == "shared" and isinstance(cut, int | float) and settings.cut >= cut:
        return
    # A pair below the floor is missing, but only two long documents share much and little of themselves.
    sizes = heapq.nlargest(2, (group.fingerprints for group in counts.documents))
    if len(sizes) == 2 and sizes[1] * counts.floor > settings.cut:
        raise UsageError(
            f"{path} was not saved for --measure shared: pairs below {counts.floor:.3g} are missing",
            hint=f"scan again with --measure shared --threshold {settings.cut:g} --save RUN",
        )
