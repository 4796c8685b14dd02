"""From counts to an answer: thresholds and filters, the order of pairs, clusters and listings.

Nothing is read here: scan and show go through the same functions.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Sequence
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from copysift.clusters.components import clusters
from copysift.clusters.listings import sif_groups
from copysift.match.counts import Counts, PairColumns
from copysift.match.measures import TOO_SMALL
from copysift.match.pairs import Pairs
from copysift.model.regions import RegionColumns
from copysift.model.values import Cluster, Group, Listing, Pair, Result
from copysift.settings.comparison import COUNTS, Settings

# Settings that cost time or memory but never change the answer.
_NO_ANSWER = ("memory", "tmp_dir", "jobs", "limit", "floor")


def described(settings: Settings) -> dict[str, object]:
    """Give the settings that decide an answer, with thresholds filled in and the seed not told."""
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


def seed_check(seed: int) -> str | None:
    """Give a check by which a seed can be recognised but not found, or None without one."""
    if not seed:
        return None
    return hashlib.blake2b(seed.to_bytes(8, "little"), digest_size=8, person=b"copysift").hexdigest()


def selected(counts: Counts, settings: Settings) -> NDArray[np.int64]:
    """Give the numbers of the pairs to report, the best first."""
    pairs = counts.pairs
    measure = pairs.measure(settings.measure)
    enough = (measure >= settings.cut - 1e-12) & evident(counts.documents, pairs, settings.fewest)
    if settings.min_match is not None:  # one long passage is evidence by itself
        enough |= pairs.longest >= settings.min_match
    enough &= allowed(counts.documents, pairs, settings)
    chosen = np.flatnonzero(enough)
    left, right = pairs.left[chosen], pairs.right[chosen]
    twins = np.asarray(counts.twins, np.int64)
    other = twins[left] != twins[right] if len(twins) else np.ones(len(left), np.bool_)
    ranked = -measure[chosen] if settings.measure in COUNTS else np.where(other, -measure[chosen], -2.0)
    held = np.array([group.fingerprints for group in counts.documents], dtype=np.int64)
    small = np.minimum(held[left], held[right]) < TOO_SMALL if counts.submissions else np.zeros(len(left))
    order = np.lexsort((right, left, -pairs.resemblance[chosen], ranked, small))
    found: NDArray[np.int64] = chosen[order]
    return found


def evident(documents: tuple[Group, ...], pairs: PairColumns, fewest: int) -> NDArray[np.bool_]:
    """Tell which pairs share enough fingerprints to be evidence, or all where neither has as many."""
    held = np.array([group.fingerprints for group in documents], dtype=np.int64)
    most = np.maximum(held[pairs.left], held[pairs.right])
    found: NDArray[np.bool_] = pairs.shared >= np.minimum(fewest, np.maximum(most, 1))
    return found


def allowed(
    documents: tuple[Group, ...], pairs: PairColumns, settings: Settings, equal: Sequence[Sequence[int]] = ()
) -> NDArray[np.bool_]:
    """Tell which pairs pass the filters by suffix and by size; sets of `equal` files may have any suffix."""
    passed = np.ones(len(pairs), dtype=np.bool_)
    if settings.same_suffix:
        numbers: dict[str, int] = {}
        suffixes = [numbers.setdefault(suffix(group.name), len(numbers)) for group in documents]
        codes = np.array(suffixes, dtype=np.int64)
        several = np.zeros(len(documents), dtype=np.bool_)
        several[[number for members in equal for number in members]] = True
        passed &= (codes[pairs.left] == codes[pairs.right]) | several[pairs.left] | several[pairs.right]
    if settings.size_ratio is not None:
        sizes = np.array([group.bytes for group in documents], dtype=np.float64)
        left, right = sizes[pairs.left], sizes[pairs.right]
        passed &= np.maximum(left, right) <= settings.size_ratio * np.minimum(left, right)
    return passed


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
    rows, lefts, rights = [], [], []
    for row, (left, right) in enumerate(
        zip(counts.pairs.left.tolist(), counts.pairs.right.tolist(), strict=True)
    ):
        ours, theirs = firsts.get(left, {names[left]: left}), firsts.get(right, {names[right]: right})
        for name in ours.keys() & theirs.keys():
            rows.append(row)
            lefts.append(ours[name])
            rights.append(theirs[name])
    pairs = dataclasses.replace(
        counts.pairs.take(np.array(rows, dtype=np.int64)),
        left=np.array(lefts, dtype=np.int64),
        right=np.array(rights, dtype=np.int64),
    )
    return dataclasses.replace(counts, pairs=pairs, equal=tuple(parted))


def suffix(name: str) -> str:
    """Give the suffix of a file name, in lower case."""
    return PurePath(name).suffix.lower()


def answer(
    counts: Counts,
    settings: Settings,
    *,
    regions: RegionColumns | None = None,
    files: Callable[[int], Sequence[str]] | None = None,
    groups: bool = False,
    whole: Callable[[tuple[Pair, ...]], tuple[Pair, ...]] = tuple,
) -> Result:
    """Make the result; `regions` are those of the best of the selected pairs, or of all.

    With `groups` it has sif's listings, too; they are long where many files are alike. `whole` puts in
    what equal files share: all of them; `files` names the files of a document.
    """
    counts = by_suffix(counts, settings)
    chosen = counts.pairs.take(selected(counts, settings))
    if regions is not None:
        chosen = chosen.matched(regions.longest, regions.lines)
    equal = whole(equal_pairs(counts))
    names = [group.name for group in counts.documents]
    stars = [(first, other) for first, *others in counts.equal for other in others]
    lefts = np.concatenate([chosen.left, np.array([first for first, _ in stars], np.int64)])
    rights = np.concatenate([chosen.right, np.array([other for _, other in stars], np.int64)])
    together = clusters(len(names), lefts, rights)
    return Result(
        settings=described(settings),
        documents=counts.documents if counts.files is None else counts.files,
        pairs=Pairs(counts.documents, chosen, counts.twins, equal, regions, files),
        clusters=tuple(Cluster(tuple(names[number] for number in members)) for members in together),
        ignored=counts.ignored,
        skipped=counts.skipped,
        notes=counts.notes,
        equal=equal_sets(counts, chosen),
        listings=listings(counts, chosen, settings) if groups else (),
        ignored_count=counts.ignored_count,
        submissions=counts.submissions,
    )


def equal_sets(counts: Counts, chosen: PairColumns) -> tuple[tuple[str, ...], ...]:
    """Give the sets of equal documents; of submissions, those that were compared with each other."""
    names = [group.name for group in counts.documents]
    if not counts.twins:
        return tuple(tuple(names[number] for number in members) for members in counts.equal)
    twins = np.array(counts.twins, np.int64)
    same = twins[chosen.left] == twins[chosen.right]
    together = clusters(len(names), chosen.left[same], chosen.right[same])
    return tuple(tuple(names[at] for at in members) for members in together)


def equal_pairs(counts: Counts) -> tuple[Pair, ...]:
    """Give each equal file paired with the first of its set: one pair a copy, not all of them."""
    stars = [
        (counts.documents[first], counts.documents[other]) for first, *rest in counts.equal for other in rest
    ]
    return tuple(
        Pair(one.name, other.name, True, 1.0, 1.0, 1.0, 1.0, one.fingerprints) for one, other in stars
    )


def listings(counts: Counts, chosen: PairColumns, settings: Settings) -> tuple[Listing, ...]:
    """Give sif's groups of the selected pairs; shares below the threshold are left out of them."""
    documents = counts.documents
    found = sif_groups(
        [group.name for group in documents],
        [group.bytes for group in documents],
        chosen.left,
        chosen.right,
        chosen.containment_left,
        chosen.containment_right,
        threshold=0.0 if settings.measure in COUNTS else settings.cut,
    )
    return tuple(
        Listing(group.reference.name, tuple((each.name, each.percent / 100) for each in group.members))
        for group in found
    )
