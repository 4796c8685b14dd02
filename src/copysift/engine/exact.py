"""Match reported pairs exactly: the two documents are read again, in threads."""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from copysift.engine.base import Base, masked_spans
from copysift.engine.collection import Collection, Filed
from copysift.engine.documents import Reader
from copysift.engine.joining import Joined, Prepared, families, regions_of
from copysift.engine.parallel import Failed, ordered_map
from copysift.errors import InputError
from copysift.match.exact import line_span, line_starts, regions
from copysift.values import Canonical, Pair, Region, Side

if TYPE_CHECKING:
    from copysift.engine.joining import UInt8s

CACHED = 128 << 20  # bytes of sources whose symbols stay at hand
LARGEST = 512 << 20  # bytes of a document that is matched exactly; above it a pair has no regions


class Exact:
    """Finds the regions of pairs; documents that many pairs have stay at hand."""

    def __init__(self, reader: Reader, collection: Collection, jobs: int, base: Base | None = None) -> None:
        self._reader = reader
        self._base = base or Base()
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
        left, right = self._collection.members(pair.left), self._collection.members(pair.right)
        if max(sum(each.size for each in side) for side in (left, right)) > LARGEST:
            return pair
        found: list[Region] = []
        touched = [0, 0]  # lines of the left and of the right
        for ours, theirs in families(left, right):
            one, other = (
                Joined([(file.entry.path, self._prepared(file, kind)) for file, kind in side])
                for side in (ours, theirs)
            )
            limits = self._reader.noise(ours[0][1])
            matches = regions(one.canonical, other.canonical, *limits, one.mask, other.mask)
            found += regions_of(matches, one, other)
            touched[0] += one.lines_of(matches.left_starts, matches.left_ends)
            touched[1] += other.lines_of(matches.right_starts, matches.right_ends)
        order = {each.entry.path: number for number, each in enumerate(left)}
        found.sort(key=lambda each: (order[each.left.file], each.left.start, each.right.start))
        longest = max((each.length for each in found), default=0)
        return dataclasses.replace(pair, longest=longest, lines=max(touched), regions=tuple(found))

    def base_spans(self, name: str) -> tuple[tuple[int, int], ...]:
        """Give the half-open byte spans of a file's source that base code covers."""
        if not self._base:
            return ()
        filed = self._collection.by_name(name)
        prepared = self._prepared(filed, filed.kind)
        return () if prepared.mask is None else masked_spans(prepared.mask, prepared.canonical)

    def equal(self, pairs: Iterable[Pair]) -> tuple[Pair, ...]:
        """Give pairs of equal files with one region, the whole."""
        whole: dict[str, tuple[int, int, int, int, int] | None] = {}
        made = []
        for pair in pairs:
            if pair.left not in whole:
                whole[pair.left] = self._whole(self._collection.by_name(pair.left))
            span = whole[pair.left]
            made.append(pair if span is None else _equal_pair(pair, span))
        return tuple(made)

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

    def _mask(self, canonical: Canonical, kind: str) -> UInt8s | None:
        if not self._base:
            return None
        grams = self._reader.grams_of([canonical], kind)
        return self._base.mask(grams, self._reader.noise(kind)[0], len(canonical.symbols))

    def _prepared(self, filed: Filed, kind: str) -> Prepared:
        key = (filed.entry.path, kind)
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                return self._cache[key]
        data = self._reader.source(filed.entry, kind)
        canonical = self._reader.canonical_of(data, kind)
        made = Prepared(canonical, line_starts(data), len(data), self._mask(canonical, kind))
        with self._lock:
            if key not in self._cache:
                self._cache[key] = made
                self._held += made.size
            while self._held > CACHED and len(self._cache) > 1:
                self._held -= self._cache.popitem(last=False)[1].size
        return made


def _equal_pair(pair: Pair, span: tuple[int, int, int, int, int]) -> Pair:
    length, *place = span
    region = Region(length, Side(pair.left, *place), Side(pair.right, *place))
    lines = place[3] - place[2] + 1 if length else 0
    return dataclasses.replace(pair, longest=length, lines=lines, regions=(region,) if length else ())
