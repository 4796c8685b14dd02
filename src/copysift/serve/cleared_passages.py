"""Passages that a teacher has declared base code in a report: what is left counts less, never more.

Starter code is left out on both sides of a measure. A passage that is found in the middle of two submissions
is theirs: without it the rest of them is small, and a few lines that many people write would be 98 % of it.
Therefore what is left is measured against the whole submissions, as they were before.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from copysift.clusters.average import average_clusters
from copysift.model.values import Cluster, Pair, Result

BEFORE = "before.json"  # of an upload: sizes and similarities without the passages
NOTE = "what is left without the passages that are base code is measured against whole submissions"


@dataclass(frozen=True, slots=True)
class Before:
    """A result without passages: fingerprints of each submission, similarity of its pairs."""

    sizes: Mapping[str, int]
    similarity: Mapping[tuple[str, str], float]

    @classmethod
    def of(cls, result: Mapping[str, Any]) -> Before:
        """Take it from the JSON of a result."""
        sizes: Counter[str] = Counter()
        for each in result["documents"]:
            sizes[each["group"]] += each["fingerprints"]
        pairs = {(each["left"], each["right"]): each["similarity"] for each in result["pairs"]}
        return cls(sizes, pairs)

    @classmethod
    def read(cls, path: Path) -> Before:
        """Read what `written` has written."""
        held = json.loads(path.read_text(encoding="utf-8"))
        return cls(held["sizes"], {(left, right): value for left, right, value in held["pairs"]})

    def written(self) -> str:
        """Give it as JSON."""
        pairs = [(*names, value) for names, value in self.similarity.items()]
        return json.dumps({"sizes": dict(self.sizes), "pairs": pairs})


def lowered(result: Result, before: Before, threshold: float) -> Result:
    """Measure the pairs of a result against whole submissions, and leave out those below the threshold."""
    sizes: Counter[str] = Counter()
    for each in result.documents:
        sizes[each.group] += each.fingerprints
    pairs = [_lowered(pair, sizes, before) for pair in result.pairs]
    kept = sorted((pair for pair in pairs if pair.similarity >= threshold), key=lambda pair: -pair.similarity)
    found = _clusters(result, kept, threshold)
    return replace(result, pairs=tuple(kept), clusters=found, distribution=None, notes=(*result.notes, NOTE))


def _lowered(pair: Pair, sizes: Mapping[str, int], before: Before) -> Pair:
    if pair.equal:
        return pair
    left = min(sizes.get(pair.left, 0), sizes.get(pair.right, 0))
    whole = min(before.sizes.get(name, sizes.get(name, 0)) for name in (pair.left, pair.right))
    share = min(1.0, left / whole) if whole else 1.0
    most = before.similarity.get((pair.left, pair.right), before.similarity.get((pair.right, pair.left), 1.0))
    return replace(
        pair,
        similarity=min(pair.similarity * share, most),
        resemblance=pair.resemblance * share,
        containment_left=pair.containment_left * share,
        containment_right=pair.containment_right * share,
    )


def _clusters(result: Result, pairs: list[Pair], threshold: float) -> tuple[Cluster, ...]:
    """Give the clusters by average linkage, as the scan does: equal files are one node."""
    sets = {} if result.submissions else {names[0]: names for names in result.equal}
    known = [pair for pair in pairs if not (pair.equal and sets)]
    names = sorted({name for pair in known for name in (pair.left, pair.right)})
    number = {name: at for at, name in enumerate(names)}
    found = average_clusters(
        [len(sets.get(name, (name,))) for name in names],
        [number[pair.left] for pair in known],
        [number[pair.right] for pair in known],
        [pair.similarity for pair in known],
        threshold,
    )
    made = [([names[at] for at in members], strength) for members, strength, _ in found]
    joined = {name for members, _ in made for name in members}
    made += [([name], 1.0) for name in sets if name not in joined]
    whole = [
        (sorted(each for name in members for each in sets.get(name, (name,))), strength)
        for members, strength in made
    ]
    return tuple(Cluster(tuple(members), strength) for members, strength in sorted(whole))
