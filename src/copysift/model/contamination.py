"""What of the items of benchmarks is in a corpus: shares, documents, passages."""

from __future__ import annotations

from typing import NamedTuple

from copysift.runtime.lazy_dataclass import dataclass


class SharedPassage(NamedTuple):
    """Bytes start:end of a document of the corpus, which words of an item are, too."""

    start: int
    end: int
    words: int
    text: str


class Holder(NamedTuple):
    """A document that has words of an item: the share of the item that it has, and where."""

    document: str
    share: float
    passages: tuple[SharedPassage, ...]


@dataclass(frozen=True, slots=True)
class TestItem:
    """An item of a benchmark; `covered` are the half-open characters of its text that the corpus has.

    `share` is that of its words which the corpus has, in any documents; `documents` counts these, `holders`
    are those that have most of it.
    """

    __test__ = False  # to pytest

    benchmark: str
    name: str
    text: str
    words: int
    share: float
    documents: int
    covered: tuple[tuple[int, int], ...]
    holders: tuple[Holder, ...]


@dataclass(frozen=True, slots=True)
class Contamination:
    """What a corpus has of benchmarks; `items` are those of which it has something, the most first."""

    items: tuple[TestItem, ...]
    benchmarks: tuple[tuple[str, int, int], ...]  # name, items, those of which the corpus has something
    too_short: tuple[tuple[str, str], ...]  # benchmark and name of items that were not looked for
    width: int  # words of a shingle
    min_passage: int
    min_overlap: float
    ignored: int  # shingles that many items have, which therefore count for none
    documents: int  # of the corpus, that were looked at
    documents_total: int
    notes: tuple[str, ...] = ()
