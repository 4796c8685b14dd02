"""The phases of a corpus as steps: each has tasks that any scheduler may run, in any order, more than once.

A task reads files that no longer change and writes files that never change: they get their names when they
are complete, so a task that was stopped left nothing. This machine runs the tasks in threads (`local.py`);
processes of an array job could run them as well. A step is made once in each process and loads what its
tasks share; the steps come in the order of `STEPS` in `template_steps.py`, and each needs all tasks of the
one before.
"""

from __future__ import annotations

import contextlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from copysift.clusters.classes import collapse
from copysift.errors import RunError
from copysift.fingerprints import shingles as sketching
from copysift.join.spill import Spill, Spills
from copysift.runs.sets import Sets
from copysift.runtime import durable
from copysift.runtime.arrays import numbered
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.corpus import CorpusSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]
    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]

PLAN = "plan.json"
PARTS = 4  # parts of the sets that are worth a task
MOST_TASKS = 64  # of a step: each leaves a number for every document


@dataclass(frozen=True, slots=True)
class Plan:
    """What all tasks must agree on: how many there are, and how much memory one may take."""

    least: int  # tasks of a step of a small corpus
    tasks: int  # of a large one
    share: int  # bytes that one task may hold of its part
    memory: int  # bytes for what all tasks share

    @classmethod
    def of(cls, settings: CorpusSettings) -> Plan:
        """Plan for the threads of this machine; a few tasks for each where there is much to do."""
        jobs = settings.jobs or os.cpu_count() or 1
        share, memory = settings.memory // (8 * jobs), settings.memory // 8
        return cls(min(jobs, MOST_TASKS), min(4 * jobs, MOST_TASKS), share, memory)

    def save(self, folder: Path) -> Plan:
        """Write the plan, or give the one that was written before."""
        path = folder / PLAN
        if not path.exists():
            durable.replace(path, json.dumps([self.least, self.tasks, self.share, self.memory]).encode())
        return Plan(*json.loads(path.read_bytes()))


class Job:
    """A run while it is made: where its files are, its settings and its plan."""

    def __init__(self, run: Path, settings: CorpusSettings, plan: Plan | None = None) -> None:
        self.run = run
        self.folder = run / "work"
        self.settings = settings
        self.plan = (plan or Plan.of(settings)).save(self.folder)
        self.sets = Sets(run / "sketches")

    def file(self, name: str, task: int, suffix: str) -> Path:
        """Name a file that a task leaves."""
        return self.folder / f"{name}-{task:05d}.{suffix}"

    def files(self, name: str, suffix: str) -> list[Path]:
        """Give the files that the tasks of a step left, in order of tasks."""
        return sorted(self.folder.glob(f"{name}-?????.{suffix}"))

    def classes(self) -> tuple[Int64s, NDArray[np.uint8]]:
        """Give for every document the first that is the same, and how it is the same."""
        with np.load(self.file("collapse", 0, "npz")) as loaded:
            return loaded["first"], loaded["how"]

    def standing(self) -> Bools:
        """Give which documents are compared: the first of those that are the same."""
        first, _ = self.classes()
        return np.asarray(first == numbered(len(first)))

    def moduli(self) -> UInt32s:
        """Give the modulus of the sample of every document."""
        return sketching.moduli(self.sets.column("compared"), self.settings.modulus)

    def spans(self, count: int) -> list[range]:
        """Divide this many parts or ranges among the tasks."""
        plan = self.plan
        tasks = min(max(plan.least, min(plan.tasks, self.sets.parts // PARTS)), count)
        return [range(count * task // tasks, count * (task + 1) // tasks) for task in range(tasks)]


class Step(ABC):
    """Tasks 0 … `tasks` − 1; `name` is that of the files that they leave, `suffix` of the last one."""

    name: ClassVar[str]
    suffix: ClassVar[str] = "npz"
    tasks: int = 1

    def __init__(self, job: Job) -> None:
        self.job = job

    @abstractmethod
    def run(self, task: int) -> None:
        """Do a task."""

    def is_done(self, task: int) -> bool:
        """Say whether a task has left its files."""
        return self.job.file(self.name, task, self.suffix).exists()

    def left(self) -> list[int]:
        """Give the tasks that are still to do."""
        return [task for task in range(self.tasks) if not self.is_done(task)]

    def clean(self) -> None:  # noqa: B027  most steps have nothing to remove
        """Remove what no later step reads, when all tasks are done."""

    def save(self, task: int, **arrays: NDArray[Any]) -> None:
        """Write arrays as what a task leaves."""
        with placed(self.job.file(self.name, task, "npz")) as spare, spare.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type] # which takes any names


class Collapse(Step):
    """Find the documents that are the same for every measure: one task, over numbers only."""

    name = "collapse"

    def run(self, task: int) -> None:
        """Compare the digests of all documents, which are read part by part."""
        sets = self.job.sets
        first, how = collapse(sets.bounds(), sets.of_part)
        first = first.astype(numbered(len(first)).dtype)
        sets.forget("content", "lexical", "sets")
        self.save(task, first=first, how=how)


@contextlib.contextmanager
def placed(target: Path) -> Iterator[Path]:
    """Give a file to write; it gets its name when it is complete, also if another task wrote it meanwhile."""
    spare = target.with_name(f"{target.name}.{os.urandom(8).hex()}.part")
    try:
        yield spare
        spare.replace(target)
    except OSError as error:
        raise RunError(
            f"cannot write {target}: {error.strerror or error}",
            hint="a run may need about twice the size of the texts; run the same command to continue",
        ) from error
    finally:
        spare.unlink(missing_ok=True)


Tables = list[tuple[Path, "Int64s", "Int64s"]]


def read_tables(job: Job, step: str, name: str, prefix: str = "") -> Tables:
    """Load the tables of the files that the tasks of a step wrote, in their order."""
    found = []
    for path in job.files(step, "npz"):
        with np.load(path) as loaded:
            offsets, bounds = loaded[f"{prefix}offsets"], loaded[f"{prefix}bounds"]
        found.append((job.folder / f"{name}-{path.stem[-5:]}.bin", offsets, bounds))
    return found


def spills(tables: Tables) -> Spills:
    """Open the files of such tables as one."""
    return Spills([Spill.reopened(*table) for table in tables])
