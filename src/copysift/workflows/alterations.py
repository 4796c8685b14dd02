"""Distinguish unchanged copies from altered ones, and wholes from parts; say where they were altered (§6.6).

What both have are passages (exact runs of the canonical form). What is between two passages that follow
each other on both sides was altered, unless it is longer than both together: then they are two quotations,
and something is missing. An end that no passage covers was altered if it is short, or if it is not a large
part and the holder has about as much in its place; else it is missing. Inside a passage words and numbers
are compared once more: 1.5 and 15 are the same to the canonical form of text, but not to a reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

import numpy as np

from copysift.match.exact import Matches, line_span, line_starts
from copysift.model.sweeps import Alteration

if TYPE_CHECKING:
    from copysift.model.values import UInt32s

SHOWN = 400  # bytes of a changed passage that are given
SHORT = 80  # bytes at an end that may hold one change: what is left of them is too short for a passage
END = 0.25  # of the matched bytes: an end that is longer and not there is missing
OFF = 0.1  # share of the matched symbols that may stand out of order: phrases that occur anywhere
LONGEST = 2_000  # words that are compared one by one
CHAINED = 4_000  # passages that are put in order
_WORD = re.compile(r"\d+(?:[.,:/-]\d+)*%?|\w+")


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a holder differs: `state` is whole, altered, part, altered part or rearranged."""

    state: str
    alterations: tuple[Alteration, ...]


@dataclass(frozen=True, slots=True)
class _Span:
    """A passage: half-open byte spans of both sources."""

    left: int
    left_end: int
    right: int
    right_end: int


@dataclass(slots=True)
class _Comparison:
    """The original, the holder, and what was found between them."""

    ours: bytes
    theirs: bytes
    lines: UInt32s
    matched: int  # bytes of the original in passages
    missing: bool = False

    def between(self, one: _Span, other: _Span) -> Iterator[Alteration]:
        """Compare what is between two passages."""
        gap, there = (one.left_end, other.left), (one.right_end, other.right)
        if _words(self.ours[slice(*gap)]) == _words(self.theirs[slice(*there)]):
            return
        around = one.left_end - one.left + other.left_end - other.left
        if _words(self.ours[slice(*gap)]) and max(gap[1] - gap[0], there[1] - there[0]) > around:
            self.missing = True
        else:
            yield self.altered(*gap, *there)

    def end(self, start: int, end: int, right: int, right_end: int) -> Iterator[Alteration]:
        """Look at what no passage covers, before the first or after the last."""
        ours, theirs = _words(self.ours[start:end]), _words(self.theirs[right:right_end])
        if not ours or ours == theirs:
            return
        size, there = end - start, right_end - right
        if 0 < there <= 2 * size + SHORT and size <= max(SHORT, END * self.matched):
            yield self.altered(start, end, right, right_end)
        elif size <= SHORT:
            yield self.altered(start, end, right, right)
        else:
            self.missing = True

    def inside(self, span: _Span) -> Iterator[Alteration]:
        """Compare the words of a passage, which are the same but for what the canonical form drops."""
        ours, theirs = self.ours[span.left : span.left_end], self.theirs[span.right : span.right_end]
        if _words(ours) == _words(theirs):
            return
        one, other = _placed(ours), _placed(theirs)
        left, right = [word for word, *_ in one], [word for word, *_ in other]
        if max(len(left), len(right)) > LONGEST:
            yield self.altered(span.left, span.left_end, span.right, span.right_end)
            return
        for kind, a, b, c, d in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
            if kind != "equal":
                from_, to = _extent(one, a, b)
                right_from, right_to = _extent(other, c, d)
                yield self.altered(
                    span.left + from_, span.left + to, span.right + right_from, span.right + right_to
                )

    def altered(self, start: int, end: int, right: int, right_end: int) -> Alteration:
        """Spell what is at half-open byte spans of both."""
        first, last = line_span(self.lines, np.array([start]), np.array([max(end, start + 1)]))
        before, after = _shown(self.ours[start:end]), _shown(self.theirs[right:right_end])
        return Alteration(int(first[0]), int(last[0]), before, after)


def compared(ours: bytes, theirs: bytes, tiles: Matches) -> Comparison:
    """Compare an original with a document that holds some of it, by the passages that both have."""
    if not len(tiles):
        return Comparison("part", ())
    spans, off = _chain(tiles)
    matched = sum(span.left_end - span.left for span in spans)
    found = _Comparison(ours, theirs, line_starts(ours), matched)
    made = list(found.end(0, spans[0].left, 0, spans[0].right))
    for at, span in enumerate(spans):
        made += found.inside(span)
        if at + 1 < len(spans):
            made += found.between(span, spans[at + 1])
    made += found.end(spans[-1].left_end, len(ours), spans[-1].right_end, len(theirs))
    if off > OFF * tiles.symbols:
        return Comparison("rearranged", tuple(made))
    if found.missing:
        return Comparison("altered part" if made else "part", tuple(made))
    return Comparison("altered" if made else "whole", tuple(made))


def _chain(tiles: Matches) -> tuple[list[_Span], int]:
    """Give the heaviest chain of passages that follow each other on both sides, and the symbols of others."""
    columns = (tiles.left_starts, tiles.left_ends, tiles.right_starts, tiles.right_ends)
    spans = [_Span(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]
    if len(spans) > CHAINED:
        return [spans[int(tiles.lengths.argmax())]], 0
    starts, ends = tiles.right_starts.astype(np.int64), tiles.right_ends.astype(np.int64)
    weights = tiles.lengths.astype(np.int64)
    best, before = weights.copy(), np.full(len(spans), -1)
    for at in range(1, len(spans)):
        sums = np.where(ends[:at] <= starts[at], best[:at], 0)
        place = int(sums.argmax())
        if sums[place]:
            best[at] += sums[place]
            before[at] = place
    at = int(best.argmax())
    off = int(weights.sum() - best[at])
    chosen = []
    while at >= 0:
        chosen.append(spans[at])
        at = int(before[at])
    return chosen[::-1], off


def _words(piece: bytes) -> list[str]:
    return _WORD.findall(piece.decode("utf-8", "replace").casefold())


def _placed(piece: bytes) -> list[tuple[str, int, int]]:
    """Give the words of a piece with their half-open byte spans in it."""
    text = piece.decode("utf-8", "surrogateescape")
    made, at, reached = [], 0, 0
    for found in _WORD.finditer(text):
        at += len(text[reached : found.start()].encode("utf-8", "surrogateescape"))
        size = len(found[0].encode("utf-8", "surrogateescape"))
        made.append((found[0].casefold(), at, at + size))
        at, reached = at + size, found.end()
    return made


def _extent(words: list[tuple[str, int, int]], first: int, last: int) -> tuple[int, int]:
    if first < last:
        return words[first][1], words[last - 1][2]
    at = words[first - 1][2] if first else 0
    return at, at


def _shown(piece: bytes) -> str:
    text = piece[:SHOWN].decode("utf-8", "replace")
    return text + "…" if len(piece) > SHOWN else text
