"""What a report knows about how to show a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from copysift.model.explanation import NOTHING, Explanation
from copysift.model.values import Region
from copysift.runtime.lazy_dataclass import dataclass

# name, first and last byte offset (half-open, of the readable source) → the bytes there
Source = Callable[[str, int, int], bytes]


def no_source(name: str, start: int, end: int) -> bytes:
    """Give nothing: the source of a saved run is not read again."""
    return b""


# name → half-open byte spans of the readable source that base code covers, ascending
Spans = Callable[[str], tuple[tuple[int, int], ...]]


def no_spans(name: str) -> tuple[tuple[int, int], ...]:
    """Give nothing: there is no base code."""
    return ()


# file, channel, half-open byte offsets of a passage → how many documents have it; 0 if that is not known
Holders = Callable[[str, str, int, int], int]


def no_holders(file: str, channel: str, start: int, end: int) -> int:
    """Give 0: fingerprints are not at hand."""
    return 0


# a file of the left, one of the right, channel, regions of a pair → what raised its similarity
Explain = Callable[[str, str, str, Sequence[Region]], Explanation]


def no_explanation(left: str, right: str, channel: str, regions: Sequence[Region]) -> Explanation:
    """Give nothing: fingerprints are not at hand."""
    return NOTHING


def under_other_names(explain: Explain, real: Callable[[str], str], shown: Callable[[str], str]) -> Explain:
    """Explain pairs whose files are shown under other names than the scan knows."""

    def explained(left: str, right: str, channel: str, regions: Sequence[Region]) -> Explanation:
        known = [
            replace(
                each,
                left=replace(each.left, file=real(each.left.file)),
                right=replace(each.right, file=real(each.right.file)),
            )
            for each in regions
        ]
        return explain(real(left), real(right), channel, known).renamed(shown)

    return explained


@dataclass(frozen=True, slots=True)
class View:
    """How to show a result; a width of None never shortens a name or a line.

    `whole` shows passages to their end, however long they are.
    """

    groups: bool = False
    folders: bool = False
    sets: bool = False
    limit: int | None = None
    passages: int = 0
    whole: bool = False
    width: int | None = None
    title: str = ""
    date: str = ""
    color: bool = False
    quiet: bool = False
    source: Source = no_source
    base: Spans = no_spans
    holders: Holders = no_holders
    explain: Explain = no_explanation
    decisions: tuple[Mapping[str, str], ...] = ()  # on pairs, of an earlier report of the same class
