"""A git repository: which files it tracks, and which of their lines are new since a commit."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from copysift.errors import UsageError
from copysift.sources.git_revision import git_output

Lines = frozenset[int]  # numbers of lines, the first is 1
_HUNK = re.compile(rb"^@@ -[0-9,]+ \+([0-9]+)(?:,([0-9]+))? @@", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Repository:
    """A work tree, seen from a folder in it: names are relative to that folder."""

    folder: Path
    top: Path

    @classmethod
    def around(cls, folder: Path) -> Repository:
        """Find the repository that a folder is in."""
        found = git_output(os.fspath(folder), "rev-parse", "--show-toplevel")
        return cls(folder, Path(os.fsdecode(found.rstrip(b"\n"))))

    def files(self, paths: Sequence[str] = ()) -> list[str]:
        """Name the tracked files that are there, of the whole repository or at or below some paths."""
        options = ("ls-files", "-z", "--full-name", "--", *(self._from_top(path) for path in paths))
        listed = git_output(os.fspath(self.top), *options).split(b"\0")
        return [name for name in map(self._seen, filter(None, listed)) if os.path.isfile(name)]

    def changed(self, since: str, paths: Sequence[str] = ()) -> Iterator[tuple[str, Lines]]:
        """Name the files with lines that are new since the two branches parted; and those lines."""
        if since.startswith("-"):
            raise UsageError(f"{since} is not a commit", hint="name a branch, a tag or a commit")
        limits = [self._from_top(path) for path in paths]
        names = git_output(
            os.fspath(self.top),
            "diff",
            "--name-only",
            "-z",
            "--diff-filter=d",
            "--merge-base",
            since,
            "--",
            *limits,
        )
        for name in filter(None, names.split(b"\0")):
            literal = os.fsdecode(b":(top,literal)" + name)
            diff = git_output(
                os.fspath(self.top),
                "diff",
                "-U0",
                "--no-color",
                "--no-ext-diff",
                "--merge-base",
                since,
                "--",
                literal,
            )
            lines = frozenset(_new_lines(diff))
            if lines:
                yield self._seen(name), lines

    def _from_top(self, path: str) -> str:
        inside = os.path.relpath((self.folder / path).resolve(), self.top.resolve())
        return ":(top)" if inside == "." else f":(top,literal){inside}"

    def _seen(self, name: bytes) -> str:
        return os.path.relpath(self.top / os.fsdecode(name), self.folder)


def _new_lines(diff: bytes) -> Iterator[int]:
    for hunk in _HUNK.finditer(diff):
        first, count = int(hunk[1]), int(hunk[2] or b"1")
        yield from range(first, first + count)
