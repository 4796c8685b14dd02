"""The steps of a corpus on this machine: threads run the tasks that are not done yet."""

from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from copysift.clusters.classes import Membership
from copysift.engines import phases
from copysift.engines.census import Common, Count, Name, Settle
from copysift.engines.company import Company, company_of
from copysift.engines.list_files import MergeLists
from copysift.engines.option_files import option_files
from copysift.engines.pair_files import StoredPairs
from copysift.engines.pair_values import ValuedPairs, values_of
from copysift.engines.pairing import Entries, Filter, Join, Measure
from copysift.engines.reading import Batches, feature_function, plain_size, segments_of
from copysift.engines.sketch_step import Reader, Sketch, Threads, readers_of
from copysift.engines.steps import Collapse, Job, Step
from copysift.engines.template_steps import Crowd, CrowdCommon, CrowdEntries, Likeness, Refine, Works
from copysift.join.boilerplate import Told
from copysift.match.sets import MeasuredPairs
from copysift.runs.columns import release
from copysift.runs.sets import Sets
from copysift.runs.sketches import write_base, write_templates
from copysift.runs.workspace import Skips, Work
from copysift.runtime.progress import NullProgress, Progress
from copysift.runtime.threads import AHEAD, Failed, ordered_map
from copysift.settings.corpus import CorpusSettings
from copysift.sources.inputs import ReadAs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]


class Corpus:
    """One run of the steps; afterwards it knows documents, pairs and what was ignored."""

    def __init__(self, work: Work, settings: CorpusSettings, progress: Progress | None = None) -> None:
        self.work = work
        self.settings = settings
        self.job = Job(work.run, settings)
        self.skips = Skips()
        self.read_as = ReadAs()
        self._shown = progress or NullProgress()
        self._jobs = settings.jobs or os.cpu_count() or 1
        self.first: Int64s = np.zeros(0, np.int64)
        self.how: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self.pairs = StoredPairs([])
        self._valued: Iterable[MeasuredPairs] | None = None
        self.told = Told()
        self.files = phases.OptionFiles()
        self._readers: list[Reader] = []
        self._total: int | None = None
        self._adopted = 0
        self._known = 0  # readers of earlier documents
        self.company = Company(0, np.zeros(0, np.uint32))
        self.continued = 0  # parts that an interrupted run had sketched

    @property
    def sets(self) -> Sets:
        """The sketched documents."""
        return self.job.sets

    @staticmethod
    def check_features(settings: CorpusSettings) -> None:
        """Refuse features that cannot be loaded."""
        feature_function(settings.features)

    def prepare(self, earlier: Path | None) -> None:
        """Read the files that options name; `earlier` is the folder of the run that is extended."""
        self.files = option_files(self.settings, earlier and earlier / "sketches")
        self._adopted = 0 if earlier is None else Sets(earlier / "sketches").parts
        write_base(self.sets.folder, self.files.base)

    def given_earlier(self, names: list[str]) -> None:
        """Take earlier documents, which come first and are not compared with each other."""
        if self.work.done("sketch") is None:
            self._readers = readers_of(segments_of(names, self.settings), self.settings)
            self._known = len(self._readers)

    def given_sources(self, names: list[str]) -> None:
        """Take the documents of files."""
        if self.work.done("sketch") is None:
            self._readers += readers_of(segments_of(names, self.settings), self.settings)
            self._total = None if self._known else plain_size(names, self.settings)

    def given(self, batches: Batches) -> None:
        """Take documents that are no files."""
        self._readers.append(lambda _: batches)

    def part_company(self, adopted: bool) -> None:
        """Find documents that are not compared with each other; `adopted`: those of the run are earlier."""
        kept = self.work.done("sketch")
        assert kept is not None  # it is done before anything is paired
        edges = self.sets.bounds()
        earlier = int(edges[self._adopted]) if adopted else int(kept["earlier"])
        self.company, unknown = company_of(self.sets, self.settings, earlier)
        for each in unknown:
            self.skips.add(each)

    def sketch(self) -> None:
        """Make facts and sets of every part, and find documents that are the same."""
        self._sketch()
        self._steps(Collapse)
        self.first, self.how = self.job.classes()

    def pair(self) -> None:
        """Leave boilerplate out, find the pairs that share shingles, choose candidates and measure them."""
        for phase in (self._census, self._entries, self._join, self._measure):
            release(self.settings.memory // 2)
            phase()
        release(self.settings.memory // 2)

    def sampled(self) -> UInt32s:
        """Give how many shingles the sample of every document has."""
        parts = [np.zeros(0, np.uint32)]
        for path in self.job.files("entries", "npz"):
            with np.load(path) as loaded:
                parts.append(loaded["sampled"])
        found: UInt32s = np.concatenate(parts)[self.first]
        return found

    def components(self) -> Membership:
        """Give every document the first of its cluster."""
        return self.company.parted(phases.clustered(self.measured(), self.first, self.how, self.settings))

    def measured(self) -> Iterable[MeasuredPairs]:
        """Give the pairs, with the measure of the settings if it is one that is made when it is wanted."""
        if self._valued is None:
            values = values_of(self.sets.folder, self.settings, self.first == np.arange(len(self.first)))
            self._valued = self.pairs if values is None else ValuedPairs(self.pairs, values)
        return self._valued

    def _sketch(self) -> None:
        """Phase 1: read and shingle, several segments at a time where there are several."""
        done = self.work.done("sketch")
        if done is not None:
            self.skips.extend(done["skips"])
            self.read_as = ReadAs(**done["read_as"])
            self.continued = self.sets.parts - self._adopted
            return
        step = Sketch(self.job, self._readers, self.files, self._adopted)
        self.continued = step.parts()
        with self.work.phase("sketch") as left:
            self._shown.phase("sketching", self._total)
            tasks = step.left()
            together = max(1, min(self._jobs, len(tasks)))
            threads = Threads(
                -(-self._jobs // together), max(self.settings.memory // 16, 1 << 24) // together
            )
            self._read_segments(step, tasks, together, threads)
            earlier = step.documents(range(self._known))
            self.skips, self.read_as = step.collect()
            read_as = dataclasses.asdict(self.read_as)
            left |= {"skips": self.skips.saved(), "read_as": read_as, "earlier": earlier}
        step.clean()

    def _read_segments(self, step: Sketch, tasks: list[int], together: int, threads: Threads) -> None:
        """Run the tasks of the sketch; when one fails, the others stop at their next batch."""
        lock, stopped = threading.Lock(), threading.Event()

        def advance(table: pa.Table) -> None:
            if stopped.is_set():
                raise CancelledError
            with lock:
                self._shown.advance(len(table) if self._total is None else _read(table))

        if together == 1:
            for task in tasks:
                step.run(task, threads, advance)
            return
        with ThreadPoolExecutor(together) as pool:
            try:
                for done in [pool.submit(step.run, task, threads, advance) for task in tasks]:
                    done.result()
            except BaseException:
                stopped.set()
                pool.shutdown(cancel_futures=True)
                raise

    def _census(self) -> None:
        """Find boilerplate and leave it out, before anything is sampled."""
        done = self.work.done("census")
        if done is None:
            with self.work.phase("census") as left:
                self._shown.phase("counting", None)
                self._steps(Count, Name, Common)
                self.told = self._steps(Settle).told()
                left |= dataclasses.asdict(self.told)
        else:
            known = {field.name: done[field.name] for field in dataclasses.fields(Told)}
            known["commonest"] = tuple(tuple(each) for each in known["commonest"])
            self.told = Told(**known)

    def _entries(self) -> None:
        """Phase 2: (shingle, document) entries in ranges of shingles."""
        if self.work.done("entries") is None:
            with self.work.phase("entries"):
                self._steps(Filter, Entries, shown="sorting")

    def _join(self) -> None:
        """Phase 3, first half: pairs that share shingles, with how many, in ranges of documents."""
        if self.work.done("join") is None:
            with self.work.phase("join"):
                step = self._steps(Join, shown="pairing")
                self._steps(MergeLists)
            step.clean()

    def _measure(self) -> None:
        """Phase 3, second half: sum the pairs up, choose candidates, measure them."""
        with self.work.phase("measure"):
            self._steps(Measure, shown="measuring")
            step = self._steps(Crowd, Likeness, Works, CrowdEntries, CrowdCommon, Refine)
            self.pairs, self.told.templated = step.found()
            self.told.templates = step.ignored()
            write_templates(self.sets.folder, step.common)

    def _steps(self, *steps: type[Any], shown: str = "") -> Any:
        """Run what is left of the tasks of some steps; give the last step."""
        step: Step | None = None
        for made in steps:
            step = made(self.job)
            tasks = step.left()
            if shown and made is steps[-1]:
                self._shown.phase(shown, len(tasks))
            for _ in self._mapped(step.run, tasks):
                if shown and made is steps[-1]:
                    self._shown.advance()
            if made is not Join:  # its files go when the phase is marked as done
                step.clean()
        return step

    def _mapped(self, function: Callable[[int], None], tasks: Iterable[int]) -> Iterator[None]:
        """Run tasks in threads, one at a time in each; the first error ends it."""
        budget = AHEAD * self._jobs
        for done in ordered_map(function, tasks, jobs=self._jobs, weigh=lambda _: 1, budget=budget):
            if isinstance(done, Failed):
                raise done.error
            yield done


def _read(documents: pa.Table) -> int:
    """Give how many bytes of a source documents represent, about."""
    return int(documents["bytes"].to_numpy().sum()) + int(documents.select(["id", "date", "other"]).nbytes)
