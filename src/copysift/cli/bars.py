"""Progress bars on standard error, one a phase."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


class Bars:
    """The engine's progress, drawn by rich."""

    def __init__(self, drawn: Progress) -> None:
        self._drawn = drawn
        self._task: TaskID | None = None

    def phase(self, name: str, total: int | None) -> None:
        """Start a phase; a total of None is not known yet."""
        if self._task is not None:
            self._drawn.remove_task(self._task)
        self._task = self._drawn.add_task(name, total=total)

    def advance(self, count: int = 1) -> None:
        """Note that this many steps of the phase are done."""
        if self._task is not None:
            self._drawn.advance(self._task, count)


@contextmanager
def bars() -> Iterator[Bars]:
    """Draw bars until the block ends, then wipe them."""
    drawn = Progress(
        TextColumn("{task.description:<12}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with drawn:
        yield Bars(drawn)
