"""Find the files below the paths that the user named, in a stable order.

Every folder is listed in the order of the raw bytes of its names, depth first, and the paths keep
the order in which they were given. What filters leave out is left out silently; what was wanted
but cannot be had is a `Skipped` with its reason. Nothing is opened here but `.gitignore` files. Who opens
every file anyway takes them `Unseen`, and says what it saw: to ask the system twice takes as long as to walk.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import NamedTuple

from copysift.model.document import Document
from copysift.model.values import LINK, Skipped
from copysift.runtime.lazy_dataclass import dataclass
from copysift.settings.reading import Reading
from copysift.sources import gitignore
from copysift.sources.file_content import FileContent, RemoteFile
from copysift.sources.formats import holds_records_by_name, may_hold_others
from copysift.sources.globs import Globs
from copysift.sources.opening import describe, why
from copysift.sources.places import (
    RemoteEntry,
    RemoteStatus,
    entries_of,
    expanded_uris,
    forbidden,
    is_uri,
    status_of,
)

VCS_FOLDERS = frozenset({".git", ".hg", ".svn", ".bzr", "CVS", "_darcs", ".jj"})


@dataclass(frozen=True, slots=True)
class WalkSettings:
    """Which of the files below a named folder are wanted; a path named itself is always taken."""

    hidden: bool = False  # names that begin with a dot
    vcs: bool = False  # the folders of version control systems
    gitignore: bool = False  # leave out what .gitignore files leave out
    include: tuple[str, ...] = ()  # globs; when there are any, other files are left out
    exclude: tuple[str, ...] = ()  # globs of files and folders to leave out
    follow: bool = False  # follow symbolic links
    name_links: bool = False  # those that are not followed are a `Skipped`
    one_file_system: bool = False
    containers: bool = False  # files named like containers are given whatever `include` says
    shards: bool = False  # in a folder of record files, names with _ or a dot are not part of it
    indexes: bool = True  # an index that is named gives its documents
    unseen: bool = False  # files below folders are given as `Unseen` where nothing else must be known


def walk_settings(settings: Reading) -> WalkSettings:
    """Give the walk its part of the settings."""
    return WalkSettings(
        hidden=settings.hidden,
        gitignore=settings.gitignore,
        include=settings.include,
        exclude=settings.exclude,
        follow=settings.follow,
        one_file_system=settings.one_file_system,
    )


@dataclass(frozen=True, slots=True)
class OnlyIfContainer:
    """A file that no --include names: what is in it may be wanted, if it is a container."""

    document: Document


class Unseen(NamedTuple):
    """A regular file of which nothing but the name is known; `left_out`: no --include names it."""

    path: str
    left_out: bool


Found = Document | OnlyIfContainer | Skipped


Entry = os.DirEntry[str] | RemoteEntry
Status = os.stat_result | RemoteStatus

CATALOG = "catalog.sqlite"
INDEX_FILES = (CATALOG, "postings")
INDEX = "is an index, and its files are no documents"
RUN_FILES = ("run.json", "documents.parquet")
RUN = "is a run, which keeps no texts: name the files that it was made of, or query it"
STANDARD_INPUT = "is standard input, which only cluster, dedup, sweep and query read: save it to a file"


@dataclass(slots=True)
class _Folder:
    """A folder being walked: what is left of it, and the path of it relative to the root."""

    entries: Iterator[Entry]
    prefix: str
    rules: gitignore.Rules | None


def walk(paths: Iterable[str | os.PathLike[str]], settings: WalkSettings | None = None) -> Iterator[Found]:
    """Give every wanted file at or below `paths` once, and what could not be had."""
    for found in Walker(settings or WalkSettings()).below(paths):
        assert not isinstance(found, Unseen)  # nobody asked for them
        yield found


class Walker:
    """Walks folders; `settings.unseen` files are given to `seen` by who looked at them."""

    def __init__(self, settings: WalkSettings) -> None:
        self.settings = settings
        self.include = Globs(settings.include)
        self.exclude = Globs(settings.exclude)
        self.first: dict[tuple[int, int], str] = {}  # (device, inode) → the name that stands
        self.folders: set[tuple[int, int]] = set()  # walked, when links are followed

    def below(self, paths: Iterable[str | os.PathLike[str]]) -> Iterator[Found | Unseen]:
        """Give every wanted file at or below `paths` once, and what could not be had."""
        for path in paths:
            place = os.fspath(path)
            if not is_uri(place):
                yield from self.root(place)
                continue
            try:
                places = expanded_uris(place)
            except OSError as error:
                yield Skipped(place, why(error))
                continue
            if not places:
                yield Skipped(place, "matches no file or folder")
            for each in places:
                yield from self.root(each)

    def seen(self, file: Unseen, look: tuple[int, int, int, int, bytes] | None) -> Found | None:
        """Give a file by what was seen of it (`kernels.files.look_at`); None where it is known already."""
        if look is None:  # it cannot be opened, so it is asked for
            try:
                status = os.lstat(file.path)
            except OSError as error:
                return Skipped(file.path, why(error))
            if not stat.S_ISREG(status.st_mode):
                return Skipped(file.path, describe(status.st_mode))
            found = self.file(file.path, status, follow=False)
        else:
            found = self._file(FileContent(file.path, *look[:4]))
        return OnlyIfContainer(found) if file.left_out and found is not None and not found.same_as else found

    def root(self, path: str) -> Iterator[Found | Unseen]:
        try:
            status: Status = status_of(path) if is_uri(path) else os.stat(path)
        except (OSError, ValueError) as error:
            yield Skipped(path, STANDARD_INPUT if path == "-" else why(error))
            return
        if stat.S_ISDIR(status.st_mode):
            yield from self.tree(path, status)
        elif stat.S_ISREG(status.st_mode):
            found = self.file(path, status, follow=True)
            if found is not None:
                yield found
        else:
            yield Skipped(path, describe(status.st_mode))

    def tree(self, root: str, status: Status) -> Iterator[Found | Unseen]:
        device = status.st_dev if self.settings.one_file_system else None
        if is_index(root) or is_run(root):
            yield from self._own(root)
            return
        if self._walked(status):
            return
        rules, above = None, ""
        if self.settings.gitignore:
            try:
                rules, above = gitignore.rules_above(root)
            except OSError as error:
                yield Skipped(root, f"a {gitignore.NAME} above it cannot be read: {why(error)}")
        notes: list[Skipped] = []
        stack = [self.folder(root, "", above, rules, notes)]
        yield from notes
        while stack:
            folder = stack[-1]
            for entry in folder.entries:
                found = self.look(entry, folder, above, device)
                if found is None:
                    continue
                if found is not _DESCEND:
                    yield found
                    continue
                notes = []
                prefix = f"{folder.prefix}{entry.name}/"
                stack.append(self.folder(entry.path, prefix, above, folder.rules, notes))
                yield from notes
                break
            else:
                stack.pop()

    def _own(self, root: str) -> Iterator[Found]:
        """Give the catalog of an index that was named, which opens as its documents; refuse a run."""
        catalog = os.path.join(root, CATALOG)
        if not os.path.exists(catalog):
            yield Skipped(root, RUN)
        elif forbidden() or not (self.settings.containers and self.settings.indexes):
            yield Skipped(root, INDEX)
        elif found := self.file(catalog, os.stat(catalog), follow=True):
            yield found

    def folder(
        self, path: str, prefix: str, above: str, rules: gitignore.Rules | None, notes: list[Skipped]
    ) -> _Folder:
        """List a folder; what cannot be read of it goes to `notes`."""
        entries: list[Entry] = []
        try:
            if is_uri(path):
                entries.extend(entries_of(path))
            else:
                with os.scandir(path) as listing:
                    entries.extend(listing)
        except OSError as error:
            notes.append(Skipped(path, why(error)))
        entries.sort(key=_name if all(entry.name.isascii() for entry in entries) else _raw_name)
        own = any(entry.name in (CATALOG, RUN_FILES[0]) for entry in entries)
        if own and (is_index(path) or is_run(path)):
            entries = []  # passed over, as .git is
        if self.settings.shards and any(entry.name[0] == "_" for entry in entries):
            entries = _without_marks(entries)
        if self.settings.shards:
            entries = _without_facts(entries)
        if self.settings.gitignore and any(entry.name == gitignore.NAME for entry in entries):
            try:
                rules = gitignore.read_rules(path, len(above + prefix), rules)
            except OSError as error:
                notes.append(Skipped(os.path.join(path, gitignore.NAME), why(error)))
        return _Folder(iter(entries), prefix, rules)

    def look(self, entry: Entry, folder: _Folder, above: str, device: int | None) -> Found | Unseen | None:
        """Judge one entry of a folder: a file, a note, `_DESCEND` for a folder, None for nothing."""
        settings = self.settings
        name = entry.name
        if name[0] == "." and not settings.hidden and not (settings.vcs and name in VCS_FOLDERS):
            return None
        try:
            link = not (settings.follow and isinstance(entry, os.DirEntry)) and entry.is_symlink()
            if link and not settings.name_links:
                return None
            is_folder = entry.is_dir()
            if not self.wanted(folder, name, above, is_folder):
                return None
            left_out = not is_folder and not self.included(folder.prefix, name)
            if left_out and not (settings.containers and may_hold_others(name)):
                return None
            if link:
                return Skipped(entry.path, "is a symbolic link, which is read with --follow only", LINK)
            if is_folder:
                return self._descend(entry, device)
            by_name = settings.unseen and device is None and not settings.follow
            if by_name and isinstance(entry, os.DirEntry) and entry.is_file(follow_symlinks=False):
                return Unseen(entry.path, left_out)
            status = entry.stat()
        except OSError as error:
            return Skipped(entry.path, why(error))
        if device is not None and status.st_dev != device:
            return None
        if not stat.S_ISREG(status.st_mode):
            return Skipped(entry.path, describe(status.st_mode))
        found = self.file(entry.path, status, follow=settings.follow)
        return OnlyIfContainer(found) if left_out and found is not None and not found.same_as else found

    def included(self, prefix: str, name: str) -> bool:
        """Say whether --include takes a file."""
        return self.include.empty or self.include.matches(prefix, name, folder=False)

    def wanted(self, folder: _Folder, name: str, above: str, is_folder: bool) -> bool:
        if is_folder and name in VCS_FOLDERS and not self.settings.vcs:
            return False
        prefix = folder.prefix
        if not self.exclude.empty and self.exclude.matches(prefix, name, folder=is_folder):
            return False
        return folder.rules is None or not folder.rules.ignores(above + prefix, name, folder=is_folder)

    def file(self, path: str, status: Status, *, follow: bool) -> Document | None:
        made = RemoteFile if is_uri(path) else FileContent
        content = made(path, status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino, follow)
        return self._file(content)

    def _file(self, content: FileContent) -> Document | None:
        path, same_as = content.path, ""
        if content.inode:  # 0 where the system does not tell
            first = self.first.setdefault((content.device, content.inode), path)
            if first is not path:
                if os.path.normpath(first) == os.path.normpath(path):
                    return None  # the same name met again (overlapping paths) is no other name of the file
                same_as = first
        return Document(path, content, same_as=same_as) if same_as else Document(path, content)

    def _descend(self, entry: Entry, device: int | None) -> Skipped | None:
        if device is None and not self.settings.follow:
            return _DESCEND  # no status needed: a tree without links has no loops
        status = entry.stat()
        if device is not None and status.st_dev != device:
            return None
        return None if self._walked(status) else _DESCEND

    def _walked(self, status: Status) -> bool:
        """Note a folder; True when links are followed and it was walked before: a loop, or a second way."""
        key = (status.st_dev, status.st_ino)
        if not self.settings.follow or not status.st_ino:
            return False
        if key in self.folders:
            return True
        self.folders.add(key)
        return False


def is_index(path: str) -> bool:
    """Say whether a path is the folder of an index, whose files are no documents."""
    return all(os.path.exists(os.path.join(path, name)) for name in INDEX_FILES)


def is_run(path: str) -> bool:
    """Say whether a path is the folder of a finished run, whose files are no documents."""
    return all(os.path.exists(os.path.join(path, name)) for name in RUN_FILES)


_DESCEND = Skipped("", "a folder to descend into")  # never yielded, compared by identity


_name = attrgetter("name")


def _raw_name(entry: Entry) -> bytes:
    return os.fsencode(entry.name)


def _without_marks(entries: list[Entry]) -> list[Entry]:
    """Leave out what jobs write beside record files: _SUCCESS, _metadata, checksums; else leave all."""
    files = [entry.name for entry in entries if entry.is_file()]
    parts = [name for name in files if name[0] not in "_."]
    package = any(name.startswith("__") for name in files)  # of Python, with data beside its modules
    sharded = "_SUCCESS" in files or (parts and not package and all(map(holds_records_by_name, parts)))
    return [entry for entry in entries if entry.name[0] not in "_."] if sharded else entries


def _without_facts(entries: list[Entry]) -> list[Entry]:
    """Leave out what Hugging Face's save_to_disk writes beside the Arrow files of a data set."""
    names = {entry.name for entry in entries}
    if {"state.json", "dataset_info.json"} <= names:
        return [
            entry
            for entry in entries
            if entry.name not in ("state.json", "dataset_info.json") and not entry.name.startswith("cache-")
        ]
    if "dataset_dict.json" in names:  # of several data sets, a folder each
        return [entry for entry in entries if entry.name != "dataset_dict.json"]
    return entries
