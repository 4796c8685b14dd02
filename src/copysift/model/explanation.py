"""Why two groups are as similar as they are, with the places in their sources that a reader can check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

# What a clue is
STATEMENT, STRING, RARE = "statement", "string", "rare"


class Clue(NamedTuple):
    """Something both have that raised the similarity: where one of them has it, half-open byte offsets."""

    what: str
    file: str
    start: int
    end: int


class Occurrence(NamedTuple):
    """Another place of a passage: the number of the region, and where it is, as in `Side`."""

    region: int
    file: str
    start: int
    end: int
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the similarity of a pair is made of.

    `types` has a score for each type of work, where there are several: its name, the similarity (None where
    only one of the two has it), and how many files of it the left and the right have.
    `shares` names the parts of which the similarity is the largest; `clues` and `occurrences` are those
    of the left and of the right.
    """

    shares: tuple[tuple[str, float], ...] = ()
    types: tuple[tuple[str, float | None, int, int], ...] = ()
    clues: tuple[tuple[Clue, ...], tuple[Clue, ...]] = ((), ())
    occurrences: tuple[tuple[Occurrence, ...], tuple[Occurrence, ...]] = ((), ())

    def renamed(self, name: Callable[[str], str]) -> Explanation:
        """Give the same with other names of files."""
        clues = [tuple(each._replace(file=name(each.file)) for each in side) for side in self.clues]
        more = [tuple(each._replace(file=name(each.file)) for each in side) for side in self.occurrences]
        return Explanation(self.shares, self.types, (clues[0], clues[1]), (more[0], more[1]))


NOTHING = Explanation()
