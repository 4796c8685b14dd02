"""Match reported pairs exactly: the two documents are read again, in threads."""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from copysift.engine.collection import Collection, Filed
from copysift.engine.documents import FAMILIES, Reader
from copysift.engine.parallel import Failed, ordered_map
from copysift.errors import InputError
from copysift.match.exact import Matches, line_span, line_starts, matched_lines, regions
from copysift.values import Canonical, Pair, Region, Result, Side

if TYPE_CHECKING:
    from copysift.values import UInt32s

CACHED = 128 << 20  # bytes of sources whose symbols stay at hand
LARGEST = 512 << 20  # bytes of a document that is matched exactly; above it a pair has no regions


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document ready to be matched."""

    canonical: Canonical
    lines: UInt32s
    size: int


class Exact:
    """Finds the regions of pairs; documents that many pairs have stay at hand."""

    def __init__(self, reader: Reader, collection: Collection, jobs: int) -> None:
        self._reader = reader
        self._collection = collection
        self._jobs = jobs
        self._cache: OrderedDict[tuple[str, str], Prepared] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()

    def pairs(self, found: Iterable[Pair]) -> Iterator[Pair]:
        """Give the pairs with their regions, in order; one whose file is gone stays without."""
        for matched in ordered_map(self.match, found, jobs=self._jobs):
            if not isinstance(matched, Failed):
                yield matched
            elif isinstance(matched.error, InputError | OSError):
                yield matched.item
            else:
                raise matched.error

    def match(self, pair: Pair) -> Pair:
        """Give a pair with all common runs of at least k symbols, tiled longest first."""
        left, right = self._collection.by_name(pair.left), self._collection.by_name(pair.right)
        if max(left.size, right.size) > LARGEST:
            return pair
        kinds = comparable(left.kind, right.kind)
        one, other = self._prepared(left, kinds[0]), self._prepared(right, kinds[1])
        limits = self._reader.noise(kinds[0])
        found = regions(one.canonical, other.canonical, *limits)
        return dataclasses.replace(
            pair,
            longest=found.longest,
            lines=matched_lines(found, one.lines, other.lines),
            regions=tuple(_regions(pair, found, one, other)),
        )

    def equal(self, result: Result) -> Result:
        """Give the result with one region, the whole, for every pair of equal files."""
        whole: dict[str, tuple[int, int, int, int, int] | None] = {}
        pairs = []
        for pair in result.pairs:
            if pair.equal and pair.left not in whole:
                whole[pair.left] = self._whole(self._collection.by_name(pair.left))
            span = whole.get(pair.left) if pair.equal else None
            pairs.append(pair if span is None else _equal_pair(pair, span))
        return dataclasses.replace(result, pairs=tuple(pairs))

    def _whole(self, filed: Filed) -> tuple[int, int, int, int, int] | None:
        """Give symbols, first and last byte offset, first and last line of all that counts in a file."""
        if filed.size > LARGEST:
            return None
        try:
            prepared = self._prepared(filed, filed.kind)
        except (InputError, OSError):
            return None
        starts, ends = prepared.canonical.starts, prepared.canonical.ends
        if not len(starts):
            return 0, 0, 0, 1, 1
        first, last = line_span(prepared.lines, starts[:1], ends[-1:])
        return len(starts), int(starts[0]), int(ends[-1]), int(first[0]), int(last[0])

    def _prepared(self, filed: Filed, kind: str) -> Prepared:
        key = (filed.entry.path, kind)
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                return self._cache[key]
        data = self._reader.source(filed.entry, kind)
        made = Prepared(self._reader.canonical_of(data, kind), line_starts(data), len(data))
        with self._lock:
            if key not in self._cache:
                self._cache[key] = made
                self._held += made.size
            while self._held > CACHED and len(self._cache) > 1:
                self._held -= self._cache.popitem(last=False)[1].size
        return made


def comparable(left: str, right: str) -> tuple[str, str]:
    """Give the kinds under which two documents have the same symbols: their own, or bytes."""
    same = FAMILIES.get(left, left) == FAMILIES.get(right, right)
    return (left, right) if same else ("bytes", "bytes")


def _regions(pair: Pair, found: Matches, one: Prepared, other: Prepared) -> Iterator[Region]:
    left_lines = line_span(one.lines, found.left_starts, found.left_ends)
    right_lines = line_span(other.lines, found.right_starts, found.right_ends)
    columns = (
        found.lengths, found.left_starts, found.left_ends, *left_lines,
        found.right_starts, found.right_ends, *right_lines,
    )  # fmt: skip
    for length, *sides in zip(*(column.tolist() for column in columns), strict=True):
        yield Region(length, Side(pair.left, *sides[:4]), Side(pair.right, *sides[4:]))


def _equal_pair(pair: Pair, span: tuple[int, int, int, int, int]) -> Pair:
    length, *place = span
    region = Region(length, Side(pair.left, *place), Side(pair.right, *place))
    lines = place[3] - place[2] + 1 if length else 0
    return dataclasses.replace(pair, longest=length, lines=lines, regions=(region,) if length else ())
