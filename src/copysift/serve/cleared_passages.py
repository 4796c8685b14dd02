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

from copysift.clusters.components import clusters
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
    return replace(
        result, pairs=tuple(kept), clusters=_clusters(kept), distribution=None, notes=(*result.notes, NOTE)
    )


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


def _clusters(pairs: list[Pair]) -> tuple[Cluster, ...]:
    names = sorted({name for pair in pairs for name in (pair.left, pair.right)})
    number = {name: at for at, name in enumerate(names)}
    found = clusters(len(names), [number[p.left] for p in pairs], [number[p.right] for p in pairs])
    return tuple(Cluster(tuple(names[at] for at in members)) for members in found)
