"""What to do so that one folder becomes like another: moves first, then copies; nothing is done here.

Every step has the checksums of the files it changes, so that the script can see that they are still the same.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from copysift.model.folders import (
    COPY,
    GONE,
    MERGE,
    MOVE,
    MOVED,
    NEW,
    REMOVE,
    RENAMED,
    SAME,
    FolderChange,
    Folders,
    Step,
    SyncPlan,
)  # fmt: skip
from copysift.model.values import Skipped
from copysift.report.wording import percent


def plan_sync(found: Folders) -> SyncPlan:
    """Plan how the left folder becomes like the right one."""
    planner = _Planner(Path(found.left).absolute(), Path(found.right).absolute())
    steps = [step for change in found.changes for step in planner.steps(change)]
    order = (MOVE, COPY, MERGE, REMOVE)
    steps.sort(key=lambda step: order.index(step.action))
    return SyncPlan(os.fspath(planner.left), os.fspath(planner.right), tuple(steps), tuple(planner.skipped))


class _Planner:
    def __init__(self, left: Path, right: Path) -> None:
        self.left, self.right = left, right
        self.skipped: list[Skipped] = []

    def steps(self, change: FolderChange) -> Iterator[Step]:
        if change.relation == SAME:
            return
        moved = change.relation in (MOVED, RENAMED)
        if moved:
            old, new = change.left[0], change.right[0]
            before = self._sum(self.left / old)
            if before:
                yield Step(MOVE, old, new, before, "-", change.relation)
                if not change.equal:
                    yield from self._copy(new, before, _changed(change), self.left / old)
            return
        for path in change.right:
            why = change.relation if change.relation == NEW else _changed(change)
            there = self.left / path
            if change.relation != NEW and path in change.left:
                yield from self._copy(path, self._sum(there), why, there)
            else:
                yield from self._copy(path, "-", why, None)
        for path in change.left:
            if path not in change.right:
                before = self._sum(self.left / path)
                if before:
                    reason = GONE if change.relation == GONE else f"its text is in {', '.join(change.right)}"
                    yield Step(REMOVE, path, path, before, before, reason)

    def _copy(self, path: str, before: str, why: str, old: Path | None) -> Iterator[Step]:
        after = self._sum(self.right / path)
        if before and after:
            newer = old is not None and old.stat().st_mtime_ns > (self.right / path).stat().st_mtime_ns
            action, why = (MERGE, f"{why}, newer on the left") if newer else (COPY, why)
            yield Step(action, path, path, after, before, why)

    def _sum(self, path: Path) -> str:
        try:
            if path.is_symlink():
                self.skipped.append(Skipped(os.fspath(path), "is a symbolic link: not part of the plan"))
                return ""
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            self.skipped.append(Skipped(os.fspath(path), f"{error.strerror}: not part of the plan"))
            return ""


def _changed(change: FolderChange) -> str:
    share = change.resemblance
    return change.relation if share is None else f"{change.relation}, {percent(share)} the same"
