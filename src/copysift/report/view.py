"""What a report is told about how to show a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

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
    decisions: tuple[Mapping[str, str], ...] = ()  # on pairs, of an earlier report of the same class
