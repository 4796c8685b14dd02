"""`dedup`: cluster, decide what stays, read the sources again and write it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from copysift.clusters.classes import WORDS as SAME
from copysift.clusters.preference import choice, no_date, no_number, score
from copysift.clusters.retention import keep
from copysift.engines.company import read_company
from copysift.engines.pair_values import PairValues, valued, values_of
from copysift.engines.phases import alike, near
from copysift.match.sets import MeasuredPairs, measures, shared_by
from copysift.runs.checksums import count_rows, read_table
from copysift.runs.scan_run import TABLES
from copysift.runs.sets import Sets
from copysift.runs.stored_run import StoredRun, open_corpus
from copysift.runs.tables import unique_ids
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.corpus import CorpusSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]

BATCH = 32 << 20  # bytes of shingles in one check


@dataclass(frozen=True, slots=True)
class Decision:
    """For every document the number of the one kept in its place, itself if it stays; and why it goes."""

    ids: list[str]
    kept: Int64s
    reason: list[str]
    measured: MeasuredPairs  # of every removed document with the kept one, in order of removal
    removed: Int64s
    earlier: int = 0  # documents that come first and are not written

    @property
    def stays(self) -> NDArray[np.bool_]:
        """Say which documents stay."""
        return np.asarray(self.kept == np.arange(len(self.kept)))


def decide(run: Path, settings: CorpusSettings, keeping: str) -> Decision:
    """Decide which documents of a run stay."""
    opened = open_corpus(run)
    sets = Sets(run / "sketches")
    rank = ranking(run, keeping, settings.contained)
    company = read_company(run / "sketches")
    rank[: company.earlier] -= len(rank)  # earlier documents always stay
    best = _best_of_class(opened.first, rank)
    values = values_of(sets.folder, settings, opened.first == np.arange(len(opened.first)))
    chosen = _kept_nodes(opened, sets, settings, rank[best], values)
    kept = company.stays(best[chosen[opened.first]])
    return _explained(opened, sets, kept, settings, company.earlier)


def against(run: Path, before: int, settings: CorpusSettings) -> Decision:
    """Decide which documents from number `before` on are in an earlier run: they go, all others stay."""
    opened = open_corpus(run)
    sets = Sets(run / "sketches")
    numbers = np.arange(len(opened.ids))
    kept = numbers.copy()
    known = opened.first < before
    kept[known & (numbers >= before)] = opened.first[known & (numbers >= before)]
    values = values_of(sets.folder, settings, opened.first == numbers)
    pairs = opened.pairs.take(alike(valued(opened.pairs, values), settings))
    crossing = (pairs.left < before) & (pairs.right >= before)
    order = np.lexsort((pairs.left[crossing], -pairs.resemblance[crossing]))[::-1]
    node = np.arange(len(opened.ids))
    node[pairs.right[crossing][order]] = pairs.left[crossing][order]
    new = (numbers >= before) & ~known
    kept[new] = np.where(node[opened.first[new]] < before, node[opened.first[new]], numbers[new])
    return _explained(opened, sets, kept, settings)


def ranking(run: Path, keeping: str, contained: bool = False) -> Int64s:
    """Give every document its place in the order of preference."""
    how, field = choice(keeping, contained)
    if how == "first":
        return np.arange(count_rows(run, TABLES[0]))
    if how == "longest":
        scores = read_table(run, TABLES[0], ["bytes"])["bytes"].to_numpy().astype(np.float64)
    elif how == "newest":
        dates = read_table(run, TABLES[0], ["date"])["date"].to_pylist()
        if not any(dates):
            raise no_date()
        order = {date: number for number, date in enumerate(sorted({date or "" for date in dates}))}
        scores = np.array([order[date or ""] for date in dates], np.float64)
    else:
        others = read_table(run, TABLES[0], ["other"])["other"].to_pylist()
        scores = np.array([score(other, field) for other in others], np.float64)
        if np.isneginf(scores).all() and len(scores):
            raise no_number(field)
    rank = np.empty(len(scores), np.int64)
    rank[np.lexsort((np.arange(len(scores)), -scores))] = np.arange(len(scores))
    return rank


def _best_of_class(first: Int64s, rank: Int64s) -> Int64s:
    """Give for every class, at the number of its first document, its preferred member."""
    order = np.argsort(-rank, kind="stable")
    best = np.arange(len(first))
    best[first[order]] = order  # the last to be written is the preferred one
    return best


def _kept_nodes(
    opened: StoredRun, sets: Sets, settings: CorpusSettings, rank: Int64s, values: PairValues | None
) -> Int64s:
    pairs = opened.pairs.take(alike(valued(opened.pairs, values), settings))
    ordered = np.empty(len(rank), np.int64)
    ordered[np.lexsort((np.arange(len(rank)), rank))] = np.arange(len(rank))

    def check(left: Int64s, right: Int64s) -> NDArray[np.bool_]:
        return alike(valued(measure(sets, left, right), values), settings)

    policy = settings.policy or "representative"
    return keep(ordered, pairs.left, pairs.right, policy, check, settings.most_shared(len(rank)))


def measure(sets: Sets, left: Int64s, right: Int64s) -> MeasuredPairs:
    """Measure pairs of documents over all their shingles but boilerplate, in the order given."""
    sizes = sets.column("compared")
    shared = np.zeros(len(left), np.int64)
    held = np.cumsum(8 * (sizes[left] + sizes[right])) if len(left) else np.zeros(0, np.int64)
    cuts = np.unique(
        np.append(np.searchsorted(held, np.arange(0, int(held[-1]) if len(held) else 0, BATCH)), len(left))
    )
    for start, end in zip([0, *cuts[:-1].tolist()], cuts.tolist(), strict=True):
        if end > start:
            numbers = np.union1d(left[start:end], right[start:end])
            values, bounds = sets.some(numbers)
            one, other = (np.searchsorted(numbers, side[start:end]) for side in (left, right))
            shared[start:end] = shared_by(values, bounds, one, other)
    return measures(left, right, shared, sizes[left], sizes[right])


def _known(opened: StoredRun, settings: CorpusSettings, found: MeasuredPairs) -> MeasuredPairs:
    """Take the measures of a run for the pairs that it has: it may have left a template out."""
    pairs = opened.pairs
    if settings.estimate or not len(pairs):
        return found
    turned = found.left > found.right
    asked, have = (
        np.minimum(each.left, each.right) << np.int64(32) | np.maximum(each.left, each.right)
        for each in (found, pairs)
    )
    order = np.argsort(have)
    at = order[np.minimum(np.searchsorted(have, asked, sorter=order), len(have) - 1)]
    hit = have[at] == asked
    left, right = pairs.containment_left[at], pairs.containment_right[at]
    return MeasuredPairs(
        found.left,
        found.right,
        np.where(hit, pairs.shared[at], found.shared),
        np.where(hit, pairs.resemblance[at], found.resemblance),
        np.where(hit, np.where(turned, right, left), found.containment_left),
        np.where(hit, np.where(turned, left, right), found.containment_right),
    )


def _named(opened: StoredRun, sets: Sets, before: int) -> list[str]:
    """Give the ids; earlier documents and the others may have the same, which a run tells apart."""
    if not before:
        known: list[str] = opened.ids.to_pylist()
        return known
    ids = [each for part in sets.tables(["id"]) for each in part["id"].cast("string").to_pylist()]
    sides = (pa.array(some, pa.string()) for some in (ids[:before], ids[before:]))
    return [each for some in sides for each in unique_ids([some])[0].to_pylist()]


def _explained(
    opened: StoredRun, sets: Sets, kept: Int64s, settings: CorpusSettings, before: int = 0
) -> Decision:
    removed = np.flatnonzero(kept != np.arange(len(kept)))
    found = _known(opened, settings, measure(sets, removed, kept[removed]))
    same = opened.first[removed] == opened.first[kept[removed]]
    one = np.ones(len(removed))
    found = MeasuredPairs(  # the same for every measure, also without a single shingle
        found.left,
        found.right,
        found.shared,
        np.where(same, one, found.resemblance),
        np.where(same, one, found.containment_left),
        np.where(same, one, found.containment_right),
    )
    how = np.maximum(opened.how[removed], opened.how[kept[removed]])
    close = np.where(near(found, settings), len(SAME), len(SAME) + 1)
    words = (*SAME, "similar", "contained")
    reasons = [words[code] for code in np.where(same, how, close).tolist()]
    return Decision(_named(opened, sets, before), kept, reasons, found, removed, before)
