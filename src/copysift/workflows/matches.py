"""Match reported pairs exactly: the two documents are read again, in threads."""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from copysift.errors import InputError
from copysift.kinds.kind import CHANNELS
from copysift.kinds.kind import family as family_of
from copysift.match.base import Base, masked_spans
from copysift.match.counts import Numbers
from copysift.match.exact import line_span, line_starts
from copysift.model.regions import RegionColumns
from copysift.model.values import Canonical, Pair, Region, Side
from copysift.runtime.progress import Progress, Silent
from copysift.runtime.threads import Failed, ordered_map
from copysift.workflows.collection import Collection, Filed
from copysift.workflows.joining import Joined, Prepared, families, files_in, matched
from copysift.workflows.reading import Reader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.workflows.joining import UInt8s

CACHED = 128 << 20  # bytes of documents ready to be matched that stay at hand
AT_ONCE, FEWEST = 512, 8  # pairs of a task at most, and at least
HEAVY = 8 << 20  # bytes of the documents of a task
IN_FLIGHT = 64 << 20  # and of those of all tasks under way
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

    def among(
        self,
        left: Numbers,
        right: Numbers,
        channels: NDArray[np.uint8],
        *,
        regions: bool = True,
        progress: Progress | None = None,
    ) -> RegionColumns:
        """Give the regions of pairs of documents by number, each in the channel that decided.

        `regions` says whether they are kept.

        All common runs of at least k symbols are found, tiled longest first. A pair whose file is gone, or
        too large, stays without.
        """
        shown = progress or Silent()
        order = np.lexsort((right, left))  # what is known of a left serves all its pairs
        parts = []
        tasks = self._tasks(*(column[order].tolist() for column in (left, right, channels)))
        for done in ordered_map(self._match, tasks, jobs=self._jobs, weigh=_Task.weight, budget=IN_FLIGHT):
            if isinstance(done, Failed):
                raise done.error
            parts.append(done if regions else done.bare())
            shown.advance(len(done))
        found = RegionColumns.together(parts)
        del parts
        if (order[1:] > order[:-1]).all():  # they came in order
            return found
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order))
        return found.take(places)

    def pair(self, pair: Pair) -> Pair:
        """Give a pair of documents by their names with its regions."""
        numbers = [self._collection.number(name) for name in (pair.left, pair.right)]
        channel = np.array([CHANNELS.index(pair.channel) if pair.channel in CHANNELS else 0], np.uint8)
        found = self.among(np.array(numbers[:1]), np.array(numbers[1:]), channel)
        (regions,) = found.made([(self.names(numbers[0]), self.names(numbers[1]))])
        if regions is None:
            return pair
        longest, lines = int(found.longest[0]), int(found.lines[0])
        return dataclasses.replace(pair, longest=longest, lines=lines, regions=regions)

    def names(self, number: int) -> tuple[str, ...]:
        """Give the names of the files of a document."""
        return tuple(each.entry.path for each in self._collection.holders(number))

    def _tasks(self, lefts: list[int], rights: list[int], channels: list[int]) -> Iterator[_Task]:
        """Cut pairs into tasks, of so many pairs and so many bytes that all threads have some."""
        most = min(AT_ONCE, max(FEWEST, len(lefts) // (4 * self._jobs)))
        sizes: dict[int, int] = {}
        for number in {*lefts, *rights}:
            sizes[number] = sum(each.size for each in self._collection.holders(number))
        task, met = _Task([], 0), set[int]()
        for *pair, channel in zip(lefts, rights, channels, strict=True):
            fresh = sum(sizes[number] for number in pair if number not in met)
            if task.pairs and (len(task.pairs) == most or task.bytes + fresh > HEAVY):
                yield task
                task, met = _Task([], 0), set()
                fresh = sum(sizes[number] for number in pair)
            task.pairs.append((pair[0], pair[1], CHANNELS[channel]))
            task.bytes += fresh
            met.update(pair)
        if task.pairs:
            yield task

    def _match(self, task: _Task) -> RegionColumns:
        sides = _Sides(self, self._collection)
        rows: dict[tuple[int, int], list[tuple[int, int, int]]] = {}
        lost = np.zeros(len(task.pairs), np.bool_)
        for number, (left, right, channel) in enumerate(task.pairs):
            for family in families(sides.kinds(left, channel), sides.kinds(right, channel)):
                one, other = sides.number(left, family, channel), sides.number(right, family, channel)
                if one is None or other is None:
                    lost[number] = True
                else:
                    rows.setdefault(sides.limits[one], []).append((number, one, other))
        problems = [(limits, *np.array(each, np.int64).T) for limits, each in rows.items()]
        found = matched(sides.joined, problems, len(task.pairs))
        return found.without(lost) if lost.any() else found

    def joined(
        self, files: Sequence[Filed], family: str, channel: str
    ) -> tuple[Joined, tuple[int, int]] | None:
        """Give those files of a group that are of a family in a channel, with noise and guarantee threshold.

        None when one of them is gone, or the group is too large.
        """
        chosen = files_in(files, family, channel)
        if sum(each.size for each in files) > LARGEST:
            return None
        try:
            row = Joined([(place, self._prepared(filed, kind)) for place, filed, kind in chosen])
        except (InputError, OSError):
            return None
        return row, self._reader.noise(chosen[0][2])

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
        data = self._reader.source(filed.entry, filed.source_kind(kind))
        canonical = self._reader.canonical_of(data, kind)
        made = Prepared(canonical, line_starts(data), len(data), self._mask(canonical, kind))
        with self._lock:
            if key not in self._cache:
                self._cache[key] = made
                self._held += made.bytes
            while self._held > CACHED and len(self._cache) > 1:
                self._held -= self._cache.popitem(last=False)[1].bytes
        return made


class _Sides:
    """The groups of a task, each read once for every family of its symbols that it is matched in."""

    def __init__(self, exact: Exact, collection: Collection) -> None:
        self._exact, self._collection = exact, collection
        self._kinds: dict[tuple[int, str], tuple[str, ...]] = {}
        self._numbers: dict[tuple[int, str, str], int | None] = {}
        self.joined: list[Joined] = []
        self.limits: list[tuple[int, int]] = []

    def kinds(self, group: int, channel: str) -> tuple[str, ...]:
        """Give the family of every file of a group in a channel."""
        key = (group, channel)
        if key not in self._kinds:
            files = self._collection.holders(group)
            self._kinds[key] = tuple(family_of(each.kind_in(channel)) for each in files)
        return self._kinds[key]

    def number(self, group: int, family: str, channel: str) -> int | None:
        """Give the number by which a side is matched, or None when it cannot be."""
        key = (group, family, channel)
        if key not in self._numbers:
            made = self._exact.joined(self._collection.holders(group), family, channel)
            self._numbers[key] = None if made is None else len(self.joined)
            if made is not None:
                self.joined.append(made[0])
                self.limits.append(made[1])
        return self._numbers[key]


@dataclass(slots=True)
class _Task:
    """Some pairs, those with the same left together, and the bytes of all their documents."""

    pairs: list[tuple[int, int, str]]  # left, right and channel
    bytes: int

    def weight(self) -> int:
        return self.bytes


def _equal_pair(pair: Pair, span: tuple[int, int, int, int, int]) -> Pair:
    length, *place = span
    region = Region(length, Side(pair.left, *place), Side(pair.right, *place))
    lines = place[3] - place[2] + 1 if length else 0
    return dataclasses.replace(pair, longest=length, lines=lines, regions=(region,) if length else ())
