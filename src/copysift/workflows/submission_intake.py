"""What a teacher hands in: folders and archives of submissions → files, and the group of each.

With `--by dir` a group is a first-level folder or archive of a PATH with all its files; a loose file is
a group of its own, unless its name tells that a learning platform put several of one author there.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from copysift.model.values import Skipped
from copysift.sources.containers import ArchiveLimits, documents_in_archive, is_archive, zip_names
from copysift.sources.exports import known_export
from copysift.sources.walk import Entry, Linked, WalkSettings, walk
from copysift.workflows.stored_texts import Stored

Place = str | os.PathLike[str]
# What students hand in although nothing here looks into it.
_CLOSED = {".rar": "a RAR archive", ".7z": "a 7z archive", ".pdf": "a PDF"}


@dataclass(slots=True)
class Taken:
    """The files of some paths in the order of input, with their groups; `groups` has empty ones, too."""

    files: list[tuple[Entry, str]] = field(default_factory=list)
    groups: dict[str, None] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)


class Intake:
    """Takes paths in; an archive that is named is opened, and with `by_dir` those in folders are, too."""

    def __init__(self, settings: WalkSettings, stored: Stored, by_dir: bool, archives: bool = True) -> None:
        self._settings = dataclasses.replace(settings, name_links=by_dir)
        self._stored = stored
        self._by_dir = by_dir
        self._archives = archives
        self._seen: set[tuple[int, int]] = set()
        self._passed: list[str] = []  # names of files that were taken before
        self._named: set[tuple[int, int]] = set()  # archives that are paths themselves

    def take(self, paths: Iterable[Place]) -> Taken:
        """Find every file at or below the paths."""
        taken = Taken()
        roots = [os.fspath(path) for path in paths]
        for root in filter(is_archive, roots):
            with suppress(OSError):
                status = Path(root).stat()
                self._named.add((status.st_dev, status.st_ino))
        for root in roots:
            found = list(self._found(root))
            if not self._by_dir:
                self._take_files(found, taken)
                continue
            names = [each.name if isinstance(each, Skipped) else each.path for each in found]
            folders = self._folders(root)
            grouping = Grouping(root, [*names, *(f"{folder}/" for folder in folders)])
            for each, name in zip(found, names, strict=True):
                group = grouping.group(name)
                if isinstance(each, Skipped):
                    taken.skipped.append(each)
                    if group != root:  # a submission of which nothing could be read is still one
                        taken.groups.setdefault(group)
                else:
                    taken.files.append((each, group))
                    taken.groups.setdefault(group)
            for folder in folders:
                if grouping.wraps(f"{folder}/"):
                    continue
                if not any(name.startswith(f"{folder}/") for name in self._passed):
                    taken.groups.setdefault(grouping.group(f"{folder}/"))
        return taken

    def _take_files(self, found: Iterable[Entry | Skipped], taken: Taken) -> None:
        for each in found:
            if isinstance(each, Skipped):
                taken.skipped.append(each)
            else:
                taken.files.append((each, each.path))
                taken.groups.setdefault(each.path)

    def _found(self, root: str) -> Iterator[Entry | Skipped]:
        for found in walk([root], self._settings):
            if isinstance(found, Linked) or (isinstance(found, Entry) and self._seen_before(found)):
                self._passed.append(found.path)
                continue  # a further name of the same file is the same file
            if isinstance(found, Entry) and self._opens(found, root):
                for loaded in documents_in_archive(found, ArchiveLimits(), self._settings):
                    kept = loaded if isinstance(loaded, Skipped) else self._stored.keep(loaded)
                    yield from self._noted(kept)
            else:
                yield from self._noted(found)

    def _noted(self, found: Entry | Skipped) -> Iterator[Entry | Skipped]:
        """Name what cannot be opened beside it: copies of it that are equal byte for byte are found still."""
        if self._by_dir and self._archives and isinstance(found, Entry):
            what = _CLOSED.get(Path(found.path).suffix.lower())
            if what:
                yield Skipped(found.path, f"cannot be opened: {what} is compared byte for byte only")
        yield found

    def _seen_before(self, entry: Entry) -> bool:
        """Note a file; paths may overlap."""
        key = (entry.device, entry.inode)
        if not entry.inode:
            return False
        before = key in self._seen
        self._seen.add(key)
        return before

    def _opens(self, entry: Entry, root: str) -> bool:
        named = entry.path == root or (entry.device, entry.inode) in self._named
        return self._archives and is_archive(entry.path) and (self._by_dir or named)

    def _folders(self, root: str) -> list[str]:
        """Give the first-level folders of a folder, or all that a zip names: an empty one has no files."""
        if is_archive(root) and not Path(root).is_dir():
            names = [name for name in zip_names(root) or [] if name.endswith("/")]
            return [f"{root}/{name.strip('/')}" for name in names if ".." not in name]
        with suppress(OSError), os.scandir(root) as entries:
            return sorted(each.path for each in entries if each.is_dir() and not each.name.startswith("."))
        return []


class Grouping:
    """The groups below one path."""

    def __init__(self, root: str, names: list[str]) -> None:
        self._root = root.rstrip("/") or "/"
        self._inside = [part for name in names if (part := self._relative(name))]
        self._wrapper = self._wrapping() if is_archive(root) else ""
        inner = [name.removeprefix(self._wrapper) for name in self._inside]
        # An archive of loose files is one submission that was named itself.
        self._whole = is_archive(root) and not any(
            "/" in name or is_archive(name) or known_export(name) for name in inner
        )

    def group(self, name: str) -> str:
        """Give the group of a file by its name; a name that ends with a slash is a folder's."""
        inside = self._relative(name)
        if not inside:
            return name
        if self._whole:
            return self._root
        first, slash, _ = inside.removeprefix(self._wrapper).partition("/")
        prefix = f"{self._root}/{self._wrapper}" if self._root != "/" else f"/{self._wrapper}"
        if slash:
            return prefix + first
        export = known_export(first)
        return prefix + (export.key if export else first)

    def wraps(self, folder: str) -> bool:
        """Tell whether a folder is one that wraps everything in an archive: it is nobody's submission."""
        inside = self._relative(folder)
        return bool(inside) and self._wrapper.startswith(inside)

    def _relative(self, name: str) -> str:
        inside = name.removeprefix(self._root)
        below = self._root == "/" or (inside != name and inside.startswith("/"))
        return inside.lstrip("/") if below else ""

    def _wrapping(self) -> str:
        """Give the one folder that holds everything in an archive, as zipping a folder makes it."""
        wrapper = ""
        while True:
            firsts = {name.removeprefix(wrapper).partition("/")[:2] for name in self._inside}
            firsts.discard(("", ""))
            if len(firsts) != 1:
                return wrapper
            ((first, slash),) = firsts
            inner = {name.removeprefix(wrapper + first + "/") for name in self._inside}
            deeper = any("/" in name or is_archive(name) for name in inner)
            if not slash or not first or is_archive(first) or known_export(first) or not deeper:
                return wrapper
            wrapper += f"{first}/"
