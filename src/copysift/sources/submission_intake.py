"""What a teacher hands in: folders and archives of submissions → documents, and the group of each.

With `--by dir` a group is a first-level folder or archive of a PATH with all its files; a loose file is
a separate group, unless its name says that a learning platform put several of one author there.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path

from copysift.model.document import INSIDE, Document
from copysift.model.values import Skipped
from copysift.runtime.lazy_dataclass import dataclass
from copysift.sources.containers import zip_names
from copysift.sources.exports import known_export
from copysift.sources.file_content import FileContent, RemoteFile
from copysift.sources.formats import is_archive
from copysift.sources.inputs import File, Inputs
from copysift.sources.places import entries_of, exists, is_uri
from copysift.sources.source import DOCUMENTS, KEPT, Reading
from copysift.sources.spool import Spool
from copysift.sources.walk import is_index

Place = str | os.PathLike[str]
# What students hand in although nothing here looks into it, or it is not what its name says.
_CLOSED = {".rar": "a RAR archive", ".7z": "a 7z archive", ".pdf": "a PDF"}


@dataclass(slots=True)
class Taken:
    """The documents of some paths in the order of input, with their groups; `groups` has empty ones, too."""

    files: list[tuple[Document, str]] = field(default_factory=list)
    groups: dict[str, None] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Intake:
    """Takes paths in; with `whole` files are taken as they are, and no container is opened.

    With `qualified` every record has the name of its file before its own.
    """

    def __init__(
        self, reading: Reading, spool: Spool, by_dir: bool, whole: bool = False, qualified: bool = False
    ) -> None:
        reading = replace(reading, walking=replace(reading.walking, name_links=by_dir))
        if by_dir and reading.records == "auto":  # what is handed in as one file is one file
            reading = replace(reading, records="no")
        self._inputs = Inputs(reading, spool, qualified=qualified)
        self._by_dir, self._whole = by_dir, whole
        self._seen: set[tuple[int, int] | str] = set()
        self._passed: list[str] = []  # names of files that were taken before
        self._opened: set[str] = set()  # containers that were named
        self._names: set[str] = set()  # of documents that were taken

    @property
    def notes(self) -> tuple[str, ...]:
        """Say what could have been read in another way."""
        return self._inputs.notes

    def take(self, paths: Iterable[Place]) -> Taken:
        """Find every document at or below the paths."""
        taken = Taken()
        for path in paths:
            root = os.fspath(path)
            found = list(self._found(root))
            self._names.update(each.name for each in found)
            if not self._by_dir:
                self._take_files(found, taken)
                continue
            opened = root in self._opened
            names = [(each.name, _slashed(each)) for each in found]
            folders = self._folders(root, opened)
            grouping = Grouping(root, [each for _, each in names] + [f"{each}/" for each in folders], opened)
            for each, (name, slashed) in zip(found, names, strict=True):
                group = grouping.group(slashed, name)
                if isinstance(each, Skipped):
                    taken.skipped.append(each)
                    if group != root:  # a submission of which nothing could be read is still one
                        taken.groups.setdefault(group)
                else:
                    group = each.unit or group  # an index knows its submissions
                    taken.files.append((each, group))
                    taken.groups.setdefault(group)
            for folder in folders:
                if grouping.wraps(f"{folder}/"):
                    continue
                if not any(name.startswith(f"{folder}/") for name in self._passed):
                    shown = root + INSIDE + folder[len(root) + 1 :] if opened else folder
                    taken.groups.setdefault(grouping.group(f"{folder}/", f"{shown}/"))
        return taken

    def _take_files(self, found: Iterable[Document | Skipped], taken: Taken) -> None:
        for each in found:
            if isinstance(each, Skipped):
                taken.skipped.append(each)
            else:
                taken.files.append((each, each.name))
                taken.groups.setdefault(each.name)

    def _found(self, root: str) -> Iterator[Document | Skipped]:
        listed = self._inputs.as_files([root]) if self._whole else self._inputs.files([root])
        for found in listed:
            if isinstance(found, Skipped):
                yield found
                continue
            document = found.document if isinstance(found, File) else found
            if document.same_as or self._seen_before(document):
                self._passed.append(document.path)
                continue  # a further name of the same file is the same file
            if isinstance(found, File):
                if found.source is None and not self._by_dir:  # most files are documents themselves
                    yield document
                    continue
                if found.named and found.source is not None:
                    self._opened.add(root)
                indexed = found.source is not None and found.source.traits.gives == DOCUMENTS
                for member in self._inputs.members(found):
                    yield from self._indexed(member, root) if indexed else self._noted(member)
            else:
                yield document

    def _indexed(self, found: Document | Skipped, index: str) -> Iterator[Document | Skipped]:
        """Give a document of an index, unless it is a file that was taken; a kept text is none of those."""
        if isinstance(found, Document) and found.read_as == KEPT:
            yield replace(found, name=f"{index}{INSIDE}{found.name}")
        elif isinstance(found, Document) and found.name in self._names:
            self._passed.append(found.path)
        else:
            yield found

    def _noted(self, found: Document | Skipped) -> Iterator[Document | Skipped]:
        """Name what cannot be opened beside it: copies of it that are equal byte for byte are found still."""
        if self._by_dir and self._inputs.reading.containers and isinstance(found, Document):
            what = "" if found.original else _CLOSED.get(Path(found.file).suffix.lower())
            if what:
                yield Skipped(found.name, f"cannot be opened: {what} is compared byte for byte only")
            elif is_archive(found.file):
                yield Skipped(found.name, "is not a zip or tar archive: it is compared as a file")
        yield found

    def _seen_before(self, document: Document) -> bool:
        """Note a file; paths may overlap."""
        content = document.content
        remote = isinstance(content, RemoteFile)
        if not isinstance(content, FileContent) or not (content.inode or remote):
            return False
        key = content.path if remote else (content.device, content.inode)
        before = key in self._seen
        self._seen.add(key)
        return before

    def _folders(self, root: str, opened: bool) -> list[str]:
        """Give the first-level folders of a folder, or all that a zip names: an empty one has no files."""
        if opened:
            names = [name for name in zip_names(root) or [] if name.endswith("/")]
            return [f"{root}/{name.strip('/')}" for name in names if ".." not in name]
        if is_index(root):
            return []
        if is_uri(root):
            with suppress(OSError):
                return sorted(each.path for each in entries_of(root) if each.is_dir() and each.name[0] != ".")
            return []
        with suppress(OSError), os.scandir(root) as entries:
            return sorted(each.path for each in entries if each.is_dir() and not each.name.startswith("."))
        return []


def _slashed(found: Document | Skipped) -> str:
    """Give the path of a document as if containers were folders."""
    if isinstance(found, Document):
        return found.file
    return found.name if exists(found.name) else found.name.replace(INSIDE, "/")


class Grouping:
    """The groups below one path, by the paths of files as if containers were folders."""

    def __init__(self, root: str, names: list[str], container: bool | None = None) -> None:
        container = is_archive(root) if container is None else container
        self._root = root.rstrip("/") or "/"
        self._inside = [part for name in names if (part := self._relative(name))]
        self._wrapper = self._wrapping()
        if not container and not self._is_export(self._wrapper):  # the folders of one submission are no class
            self._wrapper = ""
        inner = [name.removeprefix(self._wrapper) for name in self._inside]
        self._parted = _parted(
            {first for first, slash, _ in (each.partition("/") for each in inner) if slash}
        )
        # An archive of loose files is one submission that was named itself.
        self._whole = container and not any(
            "/" in name or is_archive(name) or known_export(name) for name in inner
        )

    def group(self, path: str, name: str = "") -> str:
        """Give the group of a file by its path; one that ends with a slash is a folder's.

        With a `name`, which differs from the path in what is between containers and members, the group is
        named like it.
        """
        found, prefix = self._group(path)
        if not name:
            return found
        end = len(found) if path.startswith(found) else len(prefix)
        return name[:end] + found[end:]

    def _group(self, name: str) -> tuple[str, str]:
        """Give the group of a file, and what of it is the beginning of its path."""
        inside = self._relative(name)
        if not inside:
            return name, name
        if self._whole:
            return self._root, self._root
        first, slash, _ = inside.removeprefix(self._wrapper).partition("/")
        prefix = f"{self._root}/{self._wrapper}" if self._root != "/" else f"/{self._wrapper}"
        export = known_export(first)
        if slash and not (export and export.key in self._parted):
            return prefix + first, prefix
        return prefix + (export.key if export else first), prefix

    def wraps(self, folder: str) -> bool:
        """Say whether a folder is one that wraps everything in an archive: it is nobody's submission."""
        inside = self._relative(folder)
        return bool(inside) and self._wrapper.startswith(inside)

    def _relative(self, name: str) -> str:
        inside = name.removeprefix(self._root)
        below = self._root == "/" or (inside != name and inside.startswith("/"))
        return inside.lstrip("/") if below else ""

    def _is_export(self, wrapper: str) -> bool:
        """Say whether what is in a folder has the names of a platform: submissions, or clones of one task."""
        parts = (name.removeprefix(wrapper).partition("/") for name in self._inside)
        folders = {first for first, slash, _ in parts if slash and first}
        tasks = {each.rpartition("-")[0] for each in folders}  # GitHub Classroom: task-user
        clones = len(folders) > 2 and len(tasks) == 1 and "" not in tasks
        return clones or sum(known_export(each) is not None for each in folders) > 1

    def _wrapping(self) -> str:
        """Give the one folder that holds everything, as zipping a folder, or unpacking a zip, makes it."""
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


def _parted(folders: set[str]) -> set[str]:
    """Give the keys of exported submissions of which a platform has made several folders, as Moodle does."""
    exports = [found for each in folders if (found := known_export(each)) is not None and not found.attempt]
    return {key for key, count in Counter(each.key for each in exports).items() if count > 1}
