"""Passages of a text that the documents of a run have, too, and a text without them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from copysift import kernels
from copysift.kinds import canonicaliser
from copysift.match.text_units import covered_units
from copysift.runs.sets import Sets

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TAG = re.compile(rb"<[^>]*>?")  # one that is not closed too, lest each `<` search to the end in vain


class Known:
    """All shingles of a run, in memory."""

    def __init__(self, run: Path, shingle: int, seed: int) -> None:
        sets = Sets(run / "sketches")
        found = np.zeros(0, np.uint64)
        for part in range(sets.parts):
            found = np.union1d(found, sets.checked(part)[0])
        self._values: NDArray[np.uint64] = found
        self._shingle, self._seed = shingle, seed
        self._words = canonicaliser("words")

    def spans(self, text: bytes, least: int = 0, unit: str = "word") -> list[tuple[int, int]]:
        """Give the passages of a text that the run has too: half-open byte offsets, touching ones as one.

        They have at least `least` words, and end where a `unit` does: word, line, sentence or paragraph.
        """
        canonical = self._words.whole(text)
        hashes = kernels.selection.hashes(canonical.symbols, self._shingle, self._seed)
        if not len(hashes) or not len(self._values):
            return []
        at = np.minimum(np.searchsorted(self._values, hashes), len(self._values) - 1)
        places = np.flatnonzero(self._values[at] == hashes)
        if not len(places):
            return []
        # shingles whose words touch are one passage
        heads = np.flatnonzero(np.diff(places, prepend=-self._shingle - 1) > self._shingle)
        tails = np.append(heads[1:], len(places)) - 1
        first, last = places[heads], places[tails] + self._shingle
        long = last - first >= least
        starts, ends = canonical.starts.astype(np.int64), canonical.ends
        if unit == "word":
            return list(zip(starts[first[long]].tolist(), ends[last[long] - 1].tolist(), strict=True))
        covered = np.zeros(len(starts), np.bool_)
        for one, other in zip(first[long].tolist(), last[long].tolist(), strict=True):
            covered[one:other] = True
        return joined_spans(covered_units(text, unit, starts, covered))


def joined_spans(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join ascending spans that touch."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and found[-1][1] >= start:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def cut(text: bytes, spans: list[tuple[int, int]], markup: bool = False) -> bytes:
    """Give a text without some of its passages; with markup, the tags inside of them stay."""
    parts, at = [], 0
    for start, end in spans:
        parts.append(text[at:start])
        if markup:
            parts += [tag for tag in _TAG.findall(text[start:end]) if tag.endswith(b">")]
        at = end
    return b"".join([*parts, text[at:]])
