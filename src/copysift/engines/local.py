"""The four phases on this machine: parts on disk, threads for the parts, a marker after each phase."""

from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pyarrow as pa

from copysift import kernels
from copysift.engines import census, phases
from copysift.engines.option_files import option_files
from copysift.engines.reading import Batches, feature_function, plain_size, records
from copysift.fingerprints import shingles as sketching
from copysift.join import lists
from copysift.join.boilerplate import Told
from copysift.join.spill import ENTRY, Spill
from copysift.match.sets import Measured
from copysift.model.values import Skipped
from copysift.runs.columns import release
from copysift.runs.sets import Sets, Sketched, write_base
from copysift.runs.workspace import Skips, Work
from copysift.runtime.progress import Progress, Silent
from copysift.runtime.threads import Failed, ordered_map
from copysift.settings.corpus import CorpusSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

Item = TypeVar("Item")
Result = TypeVar("Result")

RANGES = 10  # bits of the ranges of shingles: a range of 2^33 entries is then 100 MB
PAIR_RANGES = 1024
PART = 16 << 20  # bytes of shingles in a part of the sets, at most; arrays of up to 32 MB are used again
BATCH = 4 << 20  # bytes of shingles that one check of candidates holds, about


class Corpus:
    """One run of the phases; afterwards it knows documents, pairs and what was ignored."""

    def __init__(self, work: Work, settings: CorpusSettings, progress: Progress | None = None) -> None:
        self.work = work
        self.settings = settings
        self.sets = Sets(work.run / "sketches")
        self.skips = Skips()
        self._shown = progress or Silent()
        self._jobs = settings.jobs or os.cpu_count() or 1
        self._share = settings.memory // (8 * self._jobs)  # bytes that one thread may hold of its part
        self.first: Int64s = np.zeros(0, np.int64)
        self.how: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self.pairs = Measured.joined([])
        self.told = Told()
        self.files = phases.OptionFiles()
        self._given: Batches = ()
        self._total: int | None = None
        self._sizes: Int64s = np.zeros(0, np.int64)

    @staticmethod
    def check_features(settings: CorpusSettings) -> None:
        """Refuse features that cannot be loaded."""
        feature_function(settings.features)

    def prepare(self, earlier: Path | None) -> None:
        """Read the files that options name; `earlier` is the folder of the run that is extended."""
        self.files = option_files(self.settings, earlier and earlier / "sketches")
        write_base(self.sets.folder, self.files.base)

    def given_sources(self, names: list[str], notes: list[str]) -> None:
        """Take the documents of files; what could have been read in another way is added to `notes`."""
        self.given(records(names, self.settings, notes=notes), plain_size(names, self.settings))

    def given(self, batches: Batches, total: int | None = None) -> None:
        """Take the documents; `total` is their size in bytes, about, if it is known."""
        self._given, self._total = batches, total

    def run(self, batches: Batches) -> None:
        """Do every phase that is not done yet."""
        self.given(batches)
        self.sketch()
        self.pair()

    def sketch(self) -> None:
        """Make facts and sets of every part, and find documents that are the same."""
        self._sketch(self._given)
        facts = {
            name: self.sets.column(name)
            for name in ("content", "lexical", "sets", "bytes", "words", "shingles")
        }
        self.first, self.how = phases.collapsed(facts)
        self.sets.forget("content", "lexical", "sets")

    def pair(self) -> None:
        """Leave boilerplate out, find the pairs that share shingles, choose candidates and measure them."""
        for phase in (self._census, self._entries, self._join, self._measure):
            release()
            phase()
        release()

    def sampled(self) -> UInt32s:
        """Give how many shingles the sample of every document has."""
        found: UInt32s = np.load(self.work.folder / "sampled.npy")
        return found

    def components(self) -> phases.Clustered:
        """Give every document the first of its cluster."""
        return phases.clustered(self.pairs, self.first, self.how, self.settings)

    def _sketch(self, batches: Batches) -> None:
        """Phase 1: read and shingle."""
        done = self.work.done("sketch")
        if done is not None:
            for name, reason in done["skipped"]:
                self.skips.add(Skipped(name, reason))
            self.skips.reasons.update(done["more"])
            self.skips.total = done["total"]
            return
        with self.work.phase("sketch") as left:
            self._shown.phase("sketching", self._total)
            function = feature_function(self.settings.features)
            limit = min(PART, max(self._share, 1 << 20))
            part: list[Sketched] = []
            held = 0
            for sketched in self._mapped(
                lambda batch: phases.sketch(batch, self.settings, function, self.files),
                self._noted(batches),
                lambda batch: 6 * batch.nbytes,
                max(self.settings.memory // 16, 1 << 24),
            ):
                self._shown.advance(len(sketched.table) if self._total is None else _read(sketched.table))
                part.append(sketched)
                held += sketched.values.nbytes + sketched.order.nbytes
                if held >= limit:
                    self.sets.write(part)
                    part, held = [], 0
            if part:
                self.sets.write(part)
            named = self.skips.named
            more = self.skips.reasons - type(self.skips.reasons)(note.reason for note in named)
            left |= {
                "skipped": [[note.name, note.reason] for note in named],
                "more": dict(more),
                "total": self.skips.total,
            }

    def _noted(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if isinstance(batch, Skipped):
                self.skips.add(batch)
            else:
                yield batch

    def _census(self) -> None:
        """Find boilerplate and leave it out, before anything is sampled."""
        done = self.work.done("census")
        if done is None:
            with self.work.phase("census") as left:
                self._shown.phase("counting", None)
                found = census.boilerplate(self.sets, self.first, self.settings, self._mapped, self._jobs)
                self.told = census.settle(self.sets, self.first, *found, self._mapped)
                self.sets.forget("words", "places")
                left |= dataclasses.asdict(self.told)
        else:
            known = {field.name: done[field.name] for field in dataclasses.fields(Told)}
            known["commonest"] = tuple(tuple(each) for each in known["commonest"])
            self.told = Told(**known)

    def _entries(self) -> None:
        """Phase 2: (shingle, document) entries in ranges of shingles."""
        if self.work.done("entries") is not None:
            return
        target = self.work.folder / "entries.bin"
        with self.work.phase("entries"), Spill(target, 1 << RANGES) as spill:
            standing = self.first == np.arange(len(self.first))
            by = sketching.moduli(self.sets.column("compared"), self.settings.modulus)
            edges = self.sets.bounds()
            known = None if self.settings.method == "super" else self._filter(by, standing)
            self._shown.phase("sorting", self.sets.parts)

            sampled = np.zeros(len(by), np.uint32)

            def part(number: int) -> tuple[UInt64s, UInt32s, Int64s]:
                span = slice(int(edges[number]), int(edges[number + 1]))
                hashes, docs, sampled[span] = phases.entries(
                    self.sets.places(number), span.start, by[span], standing[span], known, self.settings
                )
                return lists.partition(hashes, docs, RANGES)

            for block in self._mapped(part, range(self.sets.parts)):
                spill.write(*block)
                self._shown.advance()
            spill.save(self.work.folder / "entries.npz")
            np.save(self.work.folder / "sampled.npy", sampled[self.first])

    def _filter(self, by: UInt32s, standing: NDArray[np.bool_]) -> UInt64s | None:
        """Make the filter of what finer samples have; None when there is nothing to ask for."""
        modulus, edges = self.settings.modulus, self.sets.bounds()
        finer = standing & (by < modulus)
        total = int((self.sets.column("compared")[finer] // by[finer]).sum())
        if not total:
            return None
        known = sketching.new_filter(total, self.settings.memory // 8)
        for number in range(self.sets.parts):
            span = slice(int(edges[number]), int(edges[number + 1]))
            if finer[span].any():
                asked = phases.probes(self.sets.places(number), by[span], standing[span], modulus)
                kernels.shingle.note(known, asked)
        return known

    def _join(self) -> None:
        """Phase 3, first half: pairs that share shingles, with how many, in ranges of documents."""
        folder = self.work.folder
        if self.work.done("join") is None:
            with (
                self.work.phase("join"),
                Spill.open(folder / "entries.bin", folder / "entries.npz") as spill,
                Spill(folder / "pairs.bin", PAIR_RANGES) as pairs,
                Spill(folder / "common.bin", PAIR_RANGES) as common,
            ):
                sizes = self._join_ranges(spill, pairs, common)
                np.save(folder / "sizes.npy", sizes)
                pairs.save(folder / "pairs.npz")
                common.save(folder / "common.npz")
            (folder / "entries.bin").unlink()

    def _join_ranges(self, spill: Spill, pairs: Spill, common: Spill) -> UInt32s:
        count = len(self.first)
        sizes = np.zeros(count, np.uint32)
        by = sketching.moduli(self.sets.column("compared"), self.settings.modulus)
        if self.settings.method == "super":
            by = np.ones(count, np.uint32)
        spans = list(spill.spans(self._entries_at_once(spill.counts())))
        self._shown.phase("pairing", len(spans))
        edges = (
            np.arange(PAIR_RANGES + 1, dtype=np.uint64) * np.uint64(count) // np.uint64(PAIR_RANGES)
        ) << np.uint64(32)
        lock = threading.Lock()

        def part(span: tuple[int, int]) -> None:
            seen = np.zeros(count, np.uint32)
            found = lists.lists_of(*spill.read(*span), by, self.settings.most_shared(count), seen)
            with lock:
                np.add(sizes, seen, out=sizes)
            few = lists.common_pairs(found)
            common.write(few, np.zeros(len(few), np.uint32), np.searchsorted(few, edges))
            for keys, weights in lists.pairs_of(found):
                pairs.write(keys, weights, np.searchsorted(keys, edges))

        for _ in self._mapped(part, spans):
            self._shown.advance()
        return sizes

    def _measure(self) -> None:
        """Phase 3, second half: sum the pairs up, choose candidates, measure them."""
        folder = self.work.folder
        target = folder / "measured.npz"
        if self.work.done("measure") is not None:
            with np.load(target) as loaded:
                self.pairs = Measured(*(loaded[name] for name in Measured.__dataclass_fields__))
        else:
            with (
                self.work.phase("measure"),
                Spill.open(folder / "pairs.bin", folder / "pairs.npz") as pairs,
                Spill.open(folder / "common.bin", folder / "common.npz") as common,
            ):
                self.pairs = self._measured(np.load(folder / "sizes.npy"), pairs, common)
                self.sets.keep(0)
                named = Measured.__dataclass_fields__
                np.savez(target, **{name: getattr(self.pairs, name) for name in named})

    def _measured(self, sizes: UInt32s, pairs: Spill, common: Spill) -> Measured:
        rule = phases.Candidates(
            self.sets.column("compared"), sizes, self.settings.floor, self.settings.method
        )
        counts = pairs.counts() + common.counts()
        spans = list(pairs.spans(self._entries_at_once(counts), counts))
        self._shown.phase("measuring", len(spans))
        self.sets.keep(self.settings.memory // 8)
        self._sizes = self.sets.column("compared")  # what threads share is made before they start

        def candidates() -> Iterator[UInt64s]:  # of one span, while those of the one before are measured
            for span in spans:
                keys, weights = lists.summed(*pairs.read(*span))
                yield from self._batches(rule.of(keys, weights, lists.distinct(common.read(*span)[0])))
                self._shown.advance()

        return Measured.joined([part for part in self._mapped(self.check, candidates()) if len(part)])

    def _entries_at_once(self, counts: Int64s) -> int:
        """Give how many entries a span may have: what the memory allows, but enough spans for all threads."""
        return max(min(self._share // (4 * ENTRY), int(counts.sum()) // (4 * self._jobs)), 1)

    def check(self, pairs: UInt64s) -> Measured:
        """Measure some candidates over all their shingles."""
        left, right = phases.split(pairs)
        if not self.settings.estimate:
            sizes = self._sizes
            shared = self.sets.shared(left, right)
            return phases.counted(left, right, shared, sizes[left], sizes[right], self.settings.floor)
        numbers = lists.distinct(np.concatenate([left, right]))
        values, bounds = self.sets.some(numbers)
        return phases.measured(values, bounds, numbers, pairs, self.settings, self.settings.floor)

    def _batches(self, pairs: UInt64s) -> Iterator[UInt64s]:
        """Cut candidates, in order, where their sets together would take too much memory."""
        left, right = phases.split(pairs)
        sizes = 8 * self.sets.column("compared")
        limit = max(min(BATCH, self._share), 1)
        # every left document once, every right one as if it came for the first time
        weights = np.where(np.diff(left, prepend=-1) != 0, sizes[left], 0) + sizes[right]
        total = np.cumsum(weights)
        start = 0
        while start < len(pairs):
            base = int(total[start - 1]) if start else 0
            end = max(int(np.searchsorted(total, base + 4 * limit, side="right")), start + 1)
            yield pairs[start:end]
            start = end

    def _mapped(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        weigh: Callable[[Item], int] | None = None,
        budget: int = 64 << 20,
    ) -> Iterator[Result]:
        """Map in threads, in order; the first error ends it."""
        for done in ordered_map(
            function,
            items,
            jobs=self._jobs,
            weigh=weigh or (lambda _: budget // (2 * self._jobs)),
            budget=budget,
        ):
            if isinstance(done, Failed):
                raise done.error
            yield done


def _read(documents: pa.Table) -> int:
    """Give how many bytes of a source documents stand for, about."""
    return int(documents["bytes"].to_numpy().sum()) + int(documents.select(["id", "date", "other"]).nbytes)
