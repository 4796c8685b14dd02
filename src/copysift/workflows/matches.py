"""Match reported pairs exactly: the two documents are read again, in threads."""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift.errors import InputError
from copysift.kinds.kind import CHANNELS
from copysift.kinds.kind import family as family_of
from copysift.match.base_code import Base, masked_spans
from copysift.match.counts import TOKENS, PairColumns
from copysift.match.exact import line_starts
from copysift.match.streamed import StreamedLines
from copysift.model.regions import RegionColumns, RegionFile
from copysift.model.values import Canonical, Pair, Region, Side
from copysift.runtime.lazy_dataclass import dataclass
from copysift.runtime.mapped import spacious_array
from copysift.runtime.progress import NullProgress, Progress
from copysift.runtime.threads import Failed, ordered_map
from copysift.workflows.collection import Collection, FiledDocument
from copysift.workflows.group_matches import JoinedFiles, PreparedFile, families, files_in, matched
from copysift.workflows.large_documents import spooled, whole_span
from copysift.workflows.reading import Reader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copysift.workflows.group_matches import UInt8s

AT_ONCE, FEWEST = 512, 8  # pairs of a task at most, and at least
MEMORY = 2_000_000_000  # bytes, of which matching takes shares
CACHED = 1 / 16  # the documents ready to be matched that stay at hand
IN_FLIGHT = 1 / 32  # the sources of all tasks under way: matching takes up to 24 bytes a symbol
HEAVY = 1 / 256  # the sources of a task, beside the largest
LARGE = 1 / 128  # a document; a larger one is matched from a temporary file
SEEDS = 1 / 8  # the seeds of two large documents; more of them are in a temporary file
REGIONS = 1 / 16  # the regions of all pairs; more of them are in a temporary file
LARGE_ROWS = 4  # large documents that stay in their files


class Exact:
    """Finds the regions of pairs; documents that many pairs have stay at hand."""

    def __init__(
        self,
        reader: Reader,
        collection: Collection,
        jobs: int,
        base: Base | None = None,
        memory: int = MEMORY,
        folder: Path | None = None,
    ) -> None:
        self._memory, self._folder = memory, folder
        self._reader = reader
        self._base = base or Base()
        self._collection = collection
        self._jobs = jobs
        self._cache: OrderedDict[tuple[str, str], PreparedFile] = OrderedDict()
        self._held = 0
        self._rows: OrderedDict[tuple[str, ...], JoinedFiles] = OrderedDict()
        self._lock = threading.Lock()

    def among(
        self, batches: Iterable[PairColumns], *, regions: bool = True, progress: Progress | None = None
    ) -> RegionColumns:
        """Give the regions of pairs of documents, each in the channel that decided.

        `regions` says whether they are kept. They come in the order of the pairs, batch by batch.

        All common runs of at least k symbols are found, tiled longest first. A pair whose file is gone stays
        without.
        """
        found = RegionFile(self._folder, self._share(REGIONS))
        for pairs in batches:
            if len(pairs):
                found.append(self._batch(pairs, progress or NullProgress(), regions, found))
        return found.columns()

    def _batch(self, pairs: PairColumns, shown: Progress, regions: bool, found: RegionFile) -> RegionColumns:
        """Match some pairs; give their regions in the same order, whose table goes to the file."""
        numbers, at = np.unique(np.concatenate([pairs.left, pairs.right]), return_inverse=True)
        sizes = [sum(each.size for each in self._collection.holders(number)) for number in numbers.tolist()]
        left, right = np.array(sizes, np.int64)[at].reshape(2, -1)
        larger = np.where(left < right, pairs.right, pairs.left)
        order = np.lexsort((pairs.right, pairs.left, larger))  # the larger is read once for all its pairs
        parts: list[RegionColumns] = []
        lefts, rights, channels = (
            column[order].tolist() for column in (pairs.left, pairs.right, pairs.channel & TOKENS)
        )
        tasks = self._tasks(lefts, rights, channels, dict(zip(numbers.tolist(), sizes, strict=True)))
        budget = self._share(IN_FLIGHT)
        for done in ordered_map(self._match, tasks, jobs=self._jobs, weigh=_Task.weight, budget=budget):
            if isinstance(done, Failed):
                raise done.error
            parts.append(found.moved(done if regions else done.bare()))
            shown.advance(len(done))
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order))
        return RegionColumns.together(parts).take(places)

    def pair(self, pair: Pair) -> Pair:
        """Give a pair of documents by their names with its regions."""
        numbers = [self._collection.number(name) for name in (pair.left, pair.right)]
        channel = np.array([CHANNELS.index(pair.channel) if pair.channel in CHANNELS else 0], np.uint8)
        sides = PairColumns.between(np.array(numbers[:1]), np.array(numbers[1:]), channel)
        found = self.among([sides])
        (regions,) = found.made([(self.names(numbers[0]), self.names(numbers[1]))])
        if regions is None:
            return pair
        longest, lines = int(found.longest[0]), int(found.lines[0])
        return dataclasses.replace(pair, longest=longest, lines=lines, regions=regions)

    def names(self, number: int) -> tuple[str, ...]:
        """Give the names of the files of a document."""
        return tuple(each.entry.path for each in self._collection.holders(number))

    def files(self, number: int) -> Sequence[FiledDocument]:
        """Give the files of a document."""
        return self._collection.holders(number)

    def _tasks(
        self, lefts: list[int], rights: list[int], channels: list[int], sizes: dict[int, int]
    ) -> Iterator[_Task]:
        """Cut pairs into tasks, small enough in pairs and bytes that all threads have some.

        The bytes are those beside the largest document, which many pairs may share.
        """
        most = min(AT_ONCE, max(FEWEST, len(lefts) // (4 * self._jobs)))
        heavy = self._share(HEAVY)
        task, met, largest = _Task([], 0), set[int](), 0
        for *pair, channel in zip(lefts, rights, channels, strict=True):
            fresh = sum(sizes[number] for number in pair if number not in met)
            largest = max(largest, *(sizes[number] for number in pair))
            if task.pairs and (len(task.pairs) == most or task.bytes + fresh - largest > heavy):
                yield task
                task, met = _Task([], 0), set()
                fresh, largest = sum(sizes[number] for number in pair), max(sizes[number] for number in pair)
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
        found = matched(sides.joined, problems, len(task.pairs), self._allocate)
        return found.without(lost) if lost.any() else found

    def joined(
        self, files: Sequence[FiledDocument], family: str, channel: str
    ) -> tuple[JoinedFiles, tuple[int, int]] | None:
        """Give those files of a group that are of a family in a channel, with noise and guarantee threshold.

        None when one of them is gone.
        """
        chosen = files_in(files, family, channel)
        try:
            if sum(filed.size for _, filed, _ in chosen) > self._share(LARGE):
                row = self._large(chosen)
            else:
                row = JoinedFiles([(place, self._prepared(filed, kind)) for place, filed, kind in chosen])
        except (InputError, OSError):
            return None
        return row, self._reader.noise(chosen[0][2])

    def base_spans(self, name: str) -> tuple[tuple[int, int], ...]:
        """Give the half-open byte spans of a file's source that base code covers."""
        if not self._base:
            return ()
        filed = self._collection.by_name(name)
        prepared = self._prepared(filed, filed.kind)
        return () if prepared.mask is None else masked_spans(prepared.mask, prepared.positions)

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

    def _whole(self, filed: FiledDocument) -> tuple[int, int, int, int, int] | None:
        """Give symbols, first and last byte offset, first and last line of all that counts in a file."""
        try:
            count, start, end = whole_span(self._reader, filed)
            if not count:
                return 0, 0, 0, 1, 1
            lines = StreamedLines(partial(self._reader.source_chunks, filed.entry, filed.kind))
            first, last = lines.numbers(np.array([start, end - 1])).tolist()
        except (InputError, OSError):
            return None
        return count, start, end, first, last

    def _mask(self, canonical: Canonical, kind: str) -> UInt8s | None:
        if not self._base:
            return None
        grams = self._reader.grams_of([canonical], kind)
        return self._base.mask(grams, self._reader.noise(kind)[0], len(canonical.symbols))

    def _share(self, share: float) -> int:
        return int(self._memory * share)

    def _allocate(self, count: int, dtype: type) -> NDArray[Any]:
        """Give space for seeds: in a file if they would take too much memory."""
        return spacious_array(count, dtype, self._share(SEEDS), self._folder)

    def _large(self, files: list[tuple[int, FiledDocument, str]]) -> JoinedFiles:
        """Give large files with their symbols in a temporary file; a few stay there."""
        key = tuple(part for _, filed, kind in files for part in (filed.entry.path, kind))
        with self._lock:
            if key in self._rows:
                self._rows.move_to_end(key)
                return self._rows[key]
        row = spooled(self._reader, self._base, files, self._folder)
        with self._lock:
            self._rows[key] = row
            while len(self._rows) > LARGE_ROWS:
                self._rows.popitem(last=False)
        return row

    def _prepared(self, filed: FiledDocument, kind: str) -> PreparedFile:
        key = (filed.entry.path, kind)
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                return self._cache[key]
        data = self._reader.source(filed.entry, filed.source_kind(kind))
        canonical = self._reader.canonical_of(data, kind)
        mask = self._mask(canonical, kind)
        made = PreparedFile(canonical.symbols, canonical.positions, line_starts(data), len(data), mask)
        with self._lock:
            if key not in self._cache:
                self._cache[key] = made
                self._held += made.bytes
            while self._held > self._share(CACHED) and len(self._cache) > 1:
                self._held -= self._cache.popitem(last=False)[1].bytes
        return made


class _Sides:
    """The groups of a task, each read once for every family of its symbols that it is matched in."""

    def __init__(self, exact: Exact, collection: Collection) -> None:
        self._exact, self._collection = exact, collection
        self._kinds: dict[tuple[int, str], tuple[str, ...]] = {}
        self._numbers: dict[tuple[int, str, str], int | None] = {}
        self.joined: list[JoinedFiles] = []
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
