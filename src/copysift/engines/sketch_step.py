"""The first step: read the sources and shingle their documents; a task has one segment of the sources.

A task writes parts as it goes. One that was stopped keeps the parts that are complete, reads its segment
again and continues behind their documents, so no more than one part is lost.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from copysift.engines import phases
from copysift.engines.reading import Batches, feature_function, segment_records
from copysift.engines.steps import Job, Step
from copysift.engines.submissions import count_of
from copysift.model.values import Skipped
from copysift.runs.sets import PART_STEMS, Sets
from copysift.runs.sketches import SketchedPart
from copysift.runs.workspace import Skips, link
from copysift.runtime import durable
from copysift.runtime.lazy_dataclass import dataclass
from copysift.runtime.threads import Failed, ordered_map
from copysift.settings.corpus import CorpusSettings
from copysift.sources.inputs import ReadAs
from copysift.sources.record_segments import Segment

PART = 16 << 20  # bytes of shingles in a part of the sets, at most; arrays of up to 32 MB are used again

Reader = Callable[[ReadAs], Batches]


@dataclass(frozen=True, slots=True)
class Threads:
    """How many threads shingle what one task reads, and how many bytes may be under way."""

    count: int = 1
    budget: int = 1 << 24


ALONE = Threads()


class Sketch(Step):
    """Phase 1. `adopted` parts of an earlier run come first; they are in their place already."""

    name, suffix = "sketch", "json"

    def __init__(
        self, job: Job, readers: Sequence[Reader], files: phases.OptionFiles, adopted: int = 0
    ) -> None:
        super().__init__(job)
        self.tasks = len(readers)
        self._readers, self._files, self._adopted = readers, files, adopted
        self._function = feature_function(job.settings.features)
        self._written: dict[int, Sets] = {}  # by this process

    def run(
        self, task: int, threads: Threads = ALONE, advance: Callable[[pa.Table], None] | None = None
    ) -> None:
        """Write the parts of a segment, and then what was left out of it."""
        job, sets = self.job, Sets(self._folder(task, make=True), self.job.plan.memory // self.tasks)
        self._written[task] = sets
        skips, read_as = Skips(), ReadAs()
        limit = min(PART, max(job.plan.share // 2, 1 << 20))  # a part and its sample are held together
        part: list[SketchedPart] = []
        held = 0
        batches = _behind(_noted(self._readers[task](read_as), skips), int(sets.bounds()[-1]))
        for sketched in ordered_map(
            lambda batch: phases.sketch(batch, job.settings, self._function, self._files, coded=True),
            batches,
            jobs=threads.count,
            weigh=lambda batch: 6 * int(batch.nbytes),
            budget=threads.budget,
        ):
            if isinstance(sketched, Failed):
                raise sketched.error
            for each in sketched.unread:
                skips.add(each)
            if advance is not None:
                advance(sketched.table)
            if part and (held >= limit or (part[0].codes is None) != (sketched.codes is None)):
                sets.write(part)
                sets.let_go(job.plan.share)
                part, held = [], 0
            part.append(sketched)
            held += sketched.values.nbytes + sketched.order.nbytes
        if part:
            sets.write(part)
        left = {"skips": skips.saved(), "files": read_as.record_files, "attached": read_as.attached}
        left |= {"raw": read_as.raw, "left_out": read_as.left_out}
        durable.replace(job.file(self.name, task, self.suffix), json.dumps(left).encode())

    def documents(self, tasks: Iterable[int]) -> int:
        """Count the documents of some tasks."""
        return sum(int(Sets(self._folder(task)).bounds()[-1]) for task in tasks)

    def collect(self) -> tuple[Skips, ReadAs]:
        """Put the parts of all tasks in their place, by link where the disk allows it."""
        skips, read_as, number = Skips(), ReadAs(), self._adopted
        for task in range(self.tasks):
            left: dict[str, Any] = json.loads(self.job.file(self.name, task, self.suffix).read_bytes())
            skips.extend(left["skips"])
            read_as.add(ReadAs(left["files"], left["attached"], left["raw"], left["left_out"]))
            sets = Sets(self._folder(task))
            for part in range(sets.parts):
                for stem, suffix in PART_STEMS:
                    written = sets.folder / f"{stem}-{part:05d}.{suffix}"
                    if written.exists():
                        link(written, self.job.sets.folder / f"{stem}-{number:05d}.{suffix}")
                number += 1
        self.job.sets = Sets(self.job.sets.folder)
        if len(self._written) == self.tasks:
            self.job.sets.take_sets((self._written[task] for task in range(self.tasks)), self._adopted)
        if len(self._written) == self.tasks and not self._adopted:
            self.job.sets.take_numbers(self._written[task] for task in range(self.tasks))
            self.job.sets.let_go(self.job.plan.memory)
        return skips, read_as

    def clean(self) -> None:
        """Remove the parts, which are in their place."""
        for task in range(self.tasks):
            shutil.rmtree(self._folder(task), ignore_errors=True)

    def parts(self) -> int:
        """Count the parts that are complete."""
        folders = (self._folder(task) for task in range(self.tasks))
        return sum(Sets(folder).parts for folder in folders if folder.is_dir())

    def _folder(self, task: int, *, make: bool = False) -> Path:
        folder = self.job.folder / f"{self.name}-{task:05d}"
        if make:
            folder.mkdir(exist_ok=True)
        return folder


def readers_of(segments: Sequence[Segment], settings: CorpusSettings) -> list[Reader]:
    """Give what reads each segment."""
    return [lambda read_as, each=each: segment_records(each, settings, read_as) for each in segments]  # type: ignore[misc]


def _noted(batches: Batches, skips: Skips) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if isinstance(batch, Skipped):
            skips.add(batch)
        else:
            yield batch


def _behind(batches: Iterator[pa.RecordBatch], documents: int) -> Iterator[pa.RecordBatch]:
    """Give what comes behind this many documents."""
    for batch in batches:
        if documents >= count_of(batch):
            documents -= count_of(batch)
            continue
        yield batch.slice(documents) if documents else batch
        documents = 0
