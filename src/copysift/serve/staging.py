"""Lay an upload out for a scan, and give its own names back to the result.

The scan sees numbered folders and files only, with the suffix of the name where it is harmless: names
never become paths. What comes back is renamed, every name in every value at once.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from copysift.errors import CopysiftError
from copysift.model.document import INSIDE
from copysift.serve.incoming import UploadedFile
from copysift.sources.containers import zip_names
from copysift.sources.formats import is_archive

_SUFFIX = re.compile(r"\.[A-Za-z0-9+_#-]{1,12}\Z")
_ARCHIVE = re.compile(r"\.(zip|tar|tgz|tbz2?|txz|tzst|tar\.(gz|bz2|xz|zst))\Z", re.IGNORECASE)

Value = TypeVar("Value")


@dataclass(slots=True)
class StagedScan:
    """Paths for a scan, and what they are called; `by` is file or dir."""

    paths: list[str] = field(default_factory=list)
    base: list[str] = field(default_factory=list)
    earlier: list[str] = field(default_factory=list)
    by: str = "file"
    names: dict[str, str] = field(default_factory=dict)
    _archives: list[tuple[str, str, str]] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)  # of indexes: their submissions are named without
    left_out: int = 0  # files that the filters of the request do not take
    _back: dict[str, str] = field(default_factory=dict)
    _lines: tuple[str, str] = ("", "")

    def name(self, path: str) -> str:
        """Give the name of a path that the scan knows; anything else stays as it is."""
        if path in self.names:
            return self.names[path]
        table, shown = self._lines
        if table and path.startswith(f"{table}, line "):
            return f"{shown}{path.removeprefix(table)}"
        for folder in self.folders:
            if path.startswith(folder):
                return path.removeprefix(folder)
        at = path.find(INSIDE)
        while at >= 0:
            if path[:at] in self.names:  # a record, or what a file of the upload contains
                return f"{self.names[path[:at]]}{path[at:]}"
            at = path.find(INSIDE, at + 1)
        for archive, shown, own in self._archives:
            if path == archive:
                return own
            if path.startswith((f"{archive}/", f"{archive}{INSIDE}")):
                inside = path[len(archive) + 1 :]
                return f"{shown}/{inside}" if shown else inside
        return path

    @property
    def archives(self) -> bool:
        """Whether the upload has archives."""
        return bool(self._archives)

    def in_words(self, note: str) -> str:
        """Give a note with names instead of the paths that it mentions."""
        known = [*self.names.items(), *((path, own) for path, _, own in self._archives)]
        for path, name in sorted(known, key=lambda each: -len(each[0])):  # g10 before g1
            note = note.replace(path, name) if path in note else note
        return note

    @contextmanager
    def naming(self) -> Iterator[None]:
        """Let an error name what was uploaded, not the paths that the scan sees."""
        try:
            yield
        except CopysiftError as error:
            error.message, error.hint = self.in_words(error.message), self.in_words(error.hint)
            raise

    def rename_lines(self, table: str, shown: str) -> None:
        """Let `name` know what a table is called whose lines the scan mentions."""
        self._lines = (table, shown)

    def submissions(self) -> list[tuple[str, str]]:
        """Give path and name of every submission that is not in an archive: folders, and files in none."""
        folders = {path: name for path, name in self.names.items() if Path(path).is_dir()}
        files = {path: name for path, name in self.names.items() if str(Path(path).parent) not in folders}
        return [(path, name) for path, name in (folders | files).items()]

    def path(self, name: str) -> str:
        """Give the path that the scan knows for a name that `renamed` gave."""
        return self._back.get(name, name)

    def is_new(self, name: str) -> bool:
        """Say whether a name that `renamed` gave is of a submission, not of earlier years or of an index."""
        path = self.path(name)
        return any(path == each or path.startswith((f"{each}/", f"{each}{INSIDE}")) for each in self.paths)

    def renamed(self, value: Value) -> Value:
        """Give a value with names instead of paths."""
        renamed: Value = self._rename(value)
        return renamed

    def _rename(self, value: Any) -> Any:
        if isinstance(value, str):
            name = self.name(value)
            if name != value:
                self._back.setdefault(name, value)
            return name
        if isinstance(value, bytes):
            return value
        if isinstance(value, Sequence):  # a tuple, or pairs that are made when needed
            found = [self._rename(each) for each in value]
            return type(value)(*found) if hasattr(value, "_fields") else tuple(found)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            changes = {
                each.name: self._rename(getattr(value, each.name))
                for each in dataclasses.fields(value)
                if each.name not in ("kind", "text")
            }
            return dataclasses.replace(value, **changes)
        return value


def stage(
    uploads: Iterable[tuple[UploadedFile, Path]],
    folder: Path,
    by: str = "auto",
    wanted: Callable[[str], bool] = lambda name: True,
) -> StagedScan:
    """Lay out an upload below an empty folder; `by` is file, dir, or auto: dir where there are folders.

    `wanted` says by their names which files are compared; those in archives the scan filters itself.
    """
    folder.mkdir(parents=True)
    staged = StagedScan()
    loose: dict[str, list[tuple[UploadedFile, Path]]] = {"file": [], "base": [], "earlier": []}
    archives: list[tuple[str, UploadedFile]] = []
    for number, (each, path) in enumerate(uploads, 1):
        if each.role == "metadata":
            continue
        packing = _ARCHIVE.search(each.name)
        if packing is None:
            if each.role != "base" and not wanted(each.name):
                staged.left_out += 1
                continue
            loose[each.role].append((each, path))
            continue
        place = str(folder / f"a{number}{packing.group().lower()}")
        os.link(path, place)
        archives.append((place, each))
        {"file": staged.paths, "base": staged.base, "earlier": staged.earlier}[each.role].append(place)
    # One archive alone is the collection: its own name says nothing.
    alone = [each for _, each in archives if each.role == "file"] if not loose["file"] else []
    for place, each in archives:
        staged._archives.append((place, "" if alone == [each] else each.name, each.name))
    named = [each.name for each, _ in loose["file"]]
    if by == "auto":
        by = "dir" if _in_folders(named) or any(map(_has_folders, staged.paths)) else "file"
    staged.by = by
    for role, uploads_of in loose.items():
        if uploads_of:
            root = folder / role
            _lay(uploads_of, root, staged, by if role != "base" else "file")
            {"file": staged.paths, "base": staged.base, "earlier": staged.earlier}[role].append(str(root))
    return staged


def stage_earlier(
    files: Sequence[tuple[UploadedFile, Path]], folder: Path, staged: StagedScan, by: str
) -> None:
    """Lay the files of one check of an earlier term out below an empty folder, beside those of an upload."""
    folder.parent.mkdir(exist_ok=True)
    _lay(files, folder, staged, by)
    staged.earlier.append(str(folder))


def _lay(uploads: Sequence[tuple[UploadedFile, Path]], root: Path, staged: StagedScan, by: str) -> None:
    taken = set(staged.names.values())
    groups = grouped([each.name for each, _ in uploads])
    group_of = {at: name for name, members in groups.items() for at in members}
    numbers = {name: number for number, name in enumerate(groups, 1)}
    root.mkdir()
    for at, (each, path) in enumerate(uploads):
        group = group_of[at]
        place = root
        if by == "dir" and len(groups[group]) + (group != each.name) > 1:
            place = root / f"g{numbers[group]}"
            place.mkdir(exist_ok=True)
            staged.names.setdefault(str(place), _free(group, taken))
        file = place / f"f{each.number}{suffix_of(each.name)}"
        os.link(path, file)
        staged.names[str(file)] = _free(each.name, taken)


def suffix_of(name: str) -> str:
    """Give the suffix of a name where it is harmless in a path, else nothing."""
    found = _SUFFIX.search(name)
    return found.group() if found else ""


def _free(name: str, taken: set[str]) -> str:
    """Give a name that no other file has: the second of a name gets a number."""
    made, number = name, 1
    while made in taken:
        number += 1
        made = f"{name} ({number})"
    taken.add(made)
    return made


def grouped(names: Sequence[str]) -> dict[str, list[int]]:
    """Put names into groups: the first folder below those that all of them share, as MOSS's -d does.

    `a/b.c` belongs to `a`; a name without a folder is a group of its own.
    """
    parts = [name.replace("\\", "/").split("/") for name in names]
    folders = [each[:-1] for each in parts]
    common = _shared(folders)
    if all(len(each) == len(common) for each in folders):
        common = common[:-1]  # all in one folder: that folder is the submission
    groups: dict[str, list[int]] = {}
    for at, (name, each) in enumerate(zip(names, folders, strict=True)):
        group = "/".join(each[: len(common) + 1]) if len(each) > len(common) else name
        groups.setdefault(group, []).append(at)
    return groups


def _shared(folders: Sequence[list[str]]) -> list[str]:
    """Give the folders that all names start with."""
    common: list[str] = []
    for level in zip(*folders, strict=False):
        if len(set(level)) > 1:
            break
        common.append(level[0])
    return common


def _in_folders(names: Sequence[str]) -> bool:
    """Say whether names are in several folders, apart from those around everything."""
    groups = grouped(names)
    return len(groups) > 1 and any(group != names[members[0]] for group, members in groups.items())


def _has_folders(path: str) -> bool:
    """Say whether an archive holds submissions in folders or archives of their own."""
    names = zip_names(path)
    if names is None:
        return True  # a tar, or not to be read: the scan will say
    return any(map(is_archive, names)) or _in_folders([name for name in names if not name.endswith("/")])
