"""The runs that the operator shares with all users, opened once."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

from copysift.runs.run_browser import RunBrowser


class Runs:
    """Opens runs by name; one that was made again is read again."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths, self._lock = paths, threading.Lock()
        self._open: dict[str, tuple[int, RunBrowser]] = {}
        for name in paths:
            self.get(name)  # raises RunError now, and not when somebody looks

    def names(self) -> list[str]:
        """Give the names of the runs."""
        return sorted(self._paths)

    def get(self, name: str) -> RunBrowser:
        """Give a run; KeyError when there is none of that name."""
        path = self._paths[name]
        try:
            stamp = (path / "run.json").stat().st_mtime_ns
        except OSError:
            stamp = 0
        with self._lock:
            known = self._open.get(name)
            if known is None or known[0] != stamp:
                known = self._open[name] = (stamp, RunBrowser(path))
            return known[1]
