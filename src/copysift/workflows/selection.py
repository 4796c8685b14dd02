"""From counts to an answer: thresholds and filters, the order of pairs, clusters and listings.

Nothing is read here: scan and show go through the same functions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath

import numpy as np
from numpy.typing import NDArray

from copysift.clusters.average import MOST_PAIRS, Strong, average_clusters, unparted
from copysift.clusters.components import clusters_of, joined
from copysift.clusters.listings import sif_groups
from copysift.errors import UsageError
from copysift.match.counts import Counts, PairColumns
from copysift.match.measures import TOO_SMALL
from copysift.match.pair_table import PairTable, Ranking
from copysift.match.pairs import Pairs
from copysift.model.document import INSIDE
from copysift.model.regions import RegionColumns
from copysift.model.values import Cluster, Group, Listing, Pair, Result
from copysift.runtime.plurals import plural
from copysift.settings.comparison import COUNTS, Settings
from copysift.settings.config import seed_check

LAST = 1e9  # beyond every measure
MOST_PARTED = 250_000  # pairs of all components that are parted into clusters
PAIRS = 1 / 8  # of the memory is for a table of pairs; more of them are in a temporary file
# Settings that cost time or memory but never change the answer.
_NO_ANSWER = ("memory", "tmp_dir", "jobs", "limit", "floor")


def described(settings: Settings) -> dict[str, object]:
    """Give the settings that decide an answer, with thresholds filled in and the seed hidden."""
    values = {
        field.name: getattr(settings, field.name)
        for field in dataclasses.fields(settings)
        if field.name not in _NO_ANSWER
    }
    values["threshold"] = settings.cut
    for name in ("include", "exclude", "base", "earlier"):
        values[name] = list(values[name])
    values["seed"] = seed_check(settings.seed)
    return values


class Filters:
    """Which pairs pass the filters by suffix and by size; sets of `equal` files may have any suffix."""

    def __init__(
        self, documents: tuple[Group, ...], settings: Settings, equal: Sequence[Sequence[int]] = ()
    ) -> None:
        self._ratio = settings.size_ratio
        self._codes = self._sizes = np.empty(0, np.int64)
        self._several = np.zeros(len(documents), dtype=np.bool_)
        self._suffixes = settings.same_suffix
        if settings.same_suffix:
            numbers: dict[str, int] = {}
            suffixes = [numbers.setdefault(suffix(group.name), len(numbers)) for group in documents]
            self._codes = np.array(suffixes, dtype=np.int64)
            self._several[[number for members in equal for number in members]] = True
        if settings.size_ratio is not None:
            self._sizes = np.array([group.bytes for group in documents], dtype=np.int64)

    def passed(self, pairs: PairColumns) -> PairColumns:
        """Give the pairs that pass."""
        if not self._suffixes and self._ratio is None:
            return pairs
        return pairs.take(self.allowed(pairs))

    def allowed(self, pairs: PairColumns) -> NDArray[np.bool_]:
        """Say which pairs pass."""
        passed = np.ones(len(pairs), dtype=np.bool_)
        if self._suffixes:
            codes, several = self._codes, self._several
            passed &= (codes[pairs.left] == codes[pairs.right]) | several[pairs.left] | several[pairs.right]
        if self._ratio is not None:
            left, right = (self._sizes[side].astype(np.float64) for side in (pairs.left, pairs.right))
            passed &= np.maximum(left, right) <= self._ratio * np.minimum(left, right)
        return passed


def pair_table(settings: Settings) -> PairTable:
    """Make a table for pairs, which takes a share of the memory."""
    return PairTable(int(settings.memory * PAIRS), folder_of(settings))


def folder_of(settings: Settings) -> Path | None:
    """Give the folder for temporary files, or None for that of the system."""
    if not settings.tmp_dir:
        return None
    folder = Path(settings.tmp_dir)
    if not folder.is_dir():
        raise UsageError(f"the folder {folder} of --tmp-dir does not exist", hint="create it first")
    return folder


def selected(counts: Counts, settings: Settings) -> Ranking:
    """Give the pairs to report, the best first."""
    filters = Filters(counts.documents, settings)
    held = np.array([group.fingerprints for group in counts.documents], dtype=np.int64)
    twins = np.asarray(counts.twins, np.int64)
    chosen = pair_table(settings)
    for pairs in counts.pairs.batches():
        most = np.maximum(held[pairs.left], held[pairs.right])
        # they share enough fingerprints to be evidence, or all where neither has as many
        enough = pairs.shared >= np.minimum(settings.fewest, np.maximum(most, 1))
        enough &= pairs.measure(settings.measure) >= settings.cut - 1e-12
        if settings.min_match is not None:  # one long passage is evidence by itself
            enough |= pairs.longest >= settings.min_match
        enough &= not settings.equal_only
        chosen.append(filters.passed(pairs if enough.all() else pairs.take(enough)))

    def rank(pairs: PairColumns) -> NDArray[np.float64]:
        found = -pairs.measure(settings.measure)
        if settings.measure not in COUNTS and len(twins):
            found = np.where(twins[pairs.left] != twins[pairs.right], found, -2.0)
        if counts.submissions:  # too small to judge: after all others
            small = np.minimum(held[pairs.left], held[pairs.right]) < TOO_SMALL
            found = np.where(small, found + LAST, found)
        return found

    return Ranking(chosen, rank, int(settings.memory * PAIRS), folder_of(settings))


def by_suffix(counts: Counts, settings: Settings) -> Counts:
    """Part sets of equal files by suffix, where only pairs with the same suffix are wanted.

    Equal files take part in pairs by their first, whose suffix may not be the one that matters: a pair
    is given once for every suffix that both sides have, by the first file of either that has it.
    """
    if not settings.same_suffix or not counts.equal or counts.twins:
        return counts
    names = [suffix(group.name) for group in counts.documents]
    firsts: dict[int, dict[str, int]] = {}
    parted: list[tuple[int, ...]] = []
    for members in counts.equal:
        having: dict[str, list[int]] = {}
        for number in members:
            having.setdefault(names[number], []).append(number)
        firsts[members[0]] = {name: numbers[0] for name, numbers in having.items()}
        parted += [tuple(numbers) for numbers in having.values() if len(numbers) > 1]
    pairs = pair_table(settings)
    for batch in counts.pairs.batches():
        rows, lefts, rights = [], [], []
        for row, (left, right) in enumerate(zip(batch.left.tolist(), batch.right.tolist(), strict=True)):
            ours, theirs = firsts.get(left, {names[left]: left}), firsts.get(right, {names[right]: right})
            for name in ours.keys() & theirs.keys():
                rows.append(row)
                lefts.append(ours[name])
                rights.append(theirs[name])
        some, sides = batch.take(np.array(rows, np.int64)), np.array([lefts, rights], np.uint32)
        pairs.append(dataclasses.replace(some, left=sides[0], right=sides[1]))
    return dataclasses.replace(counts, pairs=pairs, equal=tuple(parted))


def suffix(name: str) -> str:
    """Give the suffix of the name of a file or member, in lower case."""
    return PurePath(name.rpartition(INSIDE)[2]).suffix.lower()


def answer(
    counts: Counts,
    settings: Settings,
    *,
    chosen: Ranking | None = None,
    regions: RegionColumns | None = None,
    files: Callable[[int], Sequence[str]] | None = None,
    groups: bool = False,
    whole: Callable[[tuple[Pair, ...]], tuple[Pair, ...]] = tuple,
) -> Result:
    """Make the result of counts that are parted by suffix; `chosen` are the pairs to report, if known.

    `regions` are those of the best of the chosen pairs, or of all. With `groups` it has sif's listings, too;
    they are long where many files are similar. `whole` puts in what equal files share: all of them; `files`
    names the files of a document.
    """
    if chosen is None:
        chosen = selected(counts, settings)
    equal = whole(equal_pairs(counts))
    names = [group.name for group in counts.documents]
    together, notes = _clusters(counts, chosen, settings)
    return Result(
        settings=described(settings),
        documents=counts.documents if counts.files is None else counts.files,
        pairs=Pairs(
            counts.documents,
            chosen,
            counts.twins,
            equal,
            regions,
            files,
            counts.settings or described(settings),
        ),
        clusters=tuple(Cluster(tuple(names[at] for at in each), strength) for each, strength in together),
        ignored=counts.ignored,
        skipped=counts.skipped,
        notes=(*counts.notes, *notes),
        equal=equal_sets(counts, chosen),
        listings=listings(counts, chosen, settings) if groups else (),
        ignored_count=counts.ignored_count,
        submissions=counts.submissions,
    )


def _clusters(
    counts: Counts, chosen: Ranking, settings: Settings
) -> tuple[list[tuple[list[int], float]], tuple[str, ...]]:
    """Give the clusters by average linkage with their strengths, and what to say about those not parted.

    Equal files are one node. Where pairs are chosen by counts, there is no share to part clusters by.
    """
    several = {members[0]: members for members in counts.equal}
    sizes = [len(several.get(number, ())) or 1 for number in range(len(counts.documents))]
    found = _strong(sizes, chosen, settings, counts.near_copies)
    strong = [
        (sorted(each for number in members for each in several.get(number, (number,))), strength)
        for members, strength, _ in found
    ]
    known = {number for members, _, _ in found for number in members}
    strong += [(list(members), 1.0) for first, members in several.items() if first not in known]
    whole = sum(each.whole for each in found)
    verbs = ("has", "it is") if whole == 1 else ("have", "they are")
    note = (
        f"{plural(whole, 'cluster')} {verbs[0]} too many pairs to be divided: {verbs[1]} everything that "
        "pairs connect (a higher --threshold has fewer)"
    )
    return sorted(strong), (note,) if whole else ()


def _strong(
    sizes: list[int], chosen: Ranking, settings: Settings, near_copies: Sequence[int]
) -> list[Strong]:
    """Part what pairs connect, the smallest components first, while memory surely holds their pairs.

    Of `near_copies` only some pairs are known: what these connect is one cluster, as strong as they are.
    """
    counted = settings.measure in COUNTS
    cut = 0.0 if counted else settings.cut
    root = np.arange(len(sizes))
    for pairs in chosen.batches():
        root = joined(root, pairs.left, pairs.right)
        if settings.min_match is not None:
            cut = min(cut, float(_shares(pairs, settings).min(initial=cut)))
    number, total = np.zeros(len(sizes), np.int64), np.zeros(len(sizes))
    for pairs in chosen.batches():
        heads = root[pairs.left]
        number += np.bincount(heads, minlength=len(sizes))
        total += np.bincount(heads, _shares(pairs, settings), len(sizes))
    order = np.argsort(number, kind="stable")
    fitting = np.cumsum(number[order]) <= MOST_PARTED
    parted = np.zeros(len(sizes), np.bool_)
    parted[order[fitting & (number[order] <= MOST_PAIRS)]] = True
    some = np.zeros(len(sizes), np.bool_)  # components with pairs that are not known
    some[root[np.asarray(near_copies, np.int64)]] = True
    parted &= ~some
    rows = [
        (pairs.left[own], pairs.right[own], _shares(pairs, settings)[own])
        for pairs in chosen.batches()
        for own in [parted[root[pairs.left]]]
    ]
    found = []
    if rows:
        left, right, shares = (np.concatenate(each) for each in zip(*rows, strict=True))
        found = average_clusters(sizes, left, right, shares, cut)
    for head in np.flatnonzero(~parted & (number > 0)).tolist():
        members = np.flatnonzero(root == head).tolist()
        if some[head]:
            found.append(Strong(members, float(total[head] / number[head]), False))
        else:
            found.append(unparted(members, float(total[head])))
    return sorted(found)


def _shares(pairs: PairColumns, settings: Settings) -> NDArray[np.float64]:
    return pairs.similarity if settings.measure in COUNTS else pairs.measure(settings.measure)


def equal_sets(counts: Counts, chosen: Ranking) -> tuple[tuple[str, ...], ...]:
    """Give the sets of equal documents; of submissions, those that were compared with each other."""
    names = [group.name for group in counts.documents]
    if not counts.twins:
        return tuple(tuple(names[number] for number in members) for members in counts.equal)
    twins = np.array(counts.twins, np.int64)
    root = np.arange(len(names))
    for pairs in chosen.batches():
        same = twins[pairs.left] == twins[pairs.right]
        root = joined(root, pairs.left[same], pairs.right[same])
    return tuple(tuple(names[at] for at in members) for members in clusters_of(root))


def equal_pairs(counts: Counts) -> tuple[Pair, ...]:
    """Give each equal file paired with the first of its set: one pair a copy, not all of them."""
    stars = [
        (counts.documents[first], counts.documents[other]) for first, *rest in counts.equal for other in rest
    ]
    return tuple(
        Pair(one.name, other.name, True, 1.0, 1.0, 1.0, 1.0, one.fingerprints) for one, other in stars
    )


def listings(counts: Counts, chosen: Ranking, settings: Settings) -> tuple[Listing, ...]:
    """Give sif's groups of the selected pairs; shares below the threshold are left out of them."""
    documents = counts.documents
    pairs = PairColumns.together(list(chosen.batches()))
    found = sif_groups(
        [group.name for group in documents],
        [group.bytes for group in documents],
        pairs.left,
        pairs.right,
        pairs.containment_left,
        pairs.containment_right,
        threshold=0.0 if settings.measure in COUNTS else settings.cut,
    )
    return tuple(
        Listing(group.reference.name, tuple((each.name, each.percent / 100) for each in group.members))
        for group in found
    )
