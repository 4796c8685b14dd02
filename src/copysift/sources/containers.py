"""Open zip and tar archives in place: nothing is ever written to disk.

Archives come from strangers. Limits are counted while bytes are unpacked, names become safe labels,
and what cannot be read is named while the rest is kept. Archives inside an archive, as learning
platforms export them, are opened too.
"""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from copysift.model.values import Skipped
from copysift.sources.container_limits import (
    BROKEN,
    ArchiveLimits,
    Budget,
    DamagedError,
    Item,
    LimitReachedError,
)
from copysift.sources.container_paths import Names, climbs, safe_name
from copysift.sources.files import DIGEST, Loaded
from copysift.sources.globs import Globs
from copysift.sources.opening import open_regular, why
from copysift.sources.tar_members import PACKINGS, tar_items
from copysift.sources.walk import VCS_FOLDERS, Entry, WalkSettings
from copysift.sources.zip_members import zip_items

__all__ = ["ArchiveLimits", "Member", "documents_in_archive", "is_archive", "members", "zip_names"]

# By name, not by content: a .docx or a .jar is a zip, but as a document it is one thing.
_SUFFIXES = (
    *(".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz", ".tbz2"),
    *(".tar.xz", ".txz", ".tar.zst", ".tzst"),
)
_UNREADABLE: tuple[type[Exception], ...] = (DamagedError, *BROKEN)

Wanted = Callable[[str, bool], bool]  # (safe name, whether it is an archive itself)


@dataclass(frozen=True, slots=True)
class Member:
    """A file inside an archive; the name of one in an inner archive begins with that archive's name."""

    name: str
    data: bytes
    mtime_ns: int


def is_archive(name: str) -> bool:
    """Tell by its name whether a file is an archive that `members` opens."""
    return name.lower().endswith(_SUFFIXES)


def zip_names(path: str, most: int = 100_000) -> list[str] | None:
    """Give the names that a zip lists, folders with a slash behind them; None if it is no readable zip."""
    try:
        with _opened(path) as file, zipfile.ZipFile(file) as archive:
            return [name for name in archive.namelist()[:most] if "__MACOSX" not in name]
    except BROKEN:
        return None


def members(
    source: str | bytes, limits: ArchiveLimits | None = None, *, name: str = "", wanted: Wanted | None = None
) -> Iterator[Member | Skipped]:
    """Give the members of an archive, a path or its bytes, in their order, and what was left out.

    All names begin with `name` and a slash, if one is given. `wanted` is asked before a member is
    read; what it does not want is left out silently.
    """
    limits = limits or ArchiveLimits()
    shown = name or (source if isinstance(source, str) else "the archive")
    try:
        file = _opened(source)
    except OSError as error:
        yield Skipped(shown, why(error))
        return
    with file:
        packed = file.seek(0, os.SEEK_END)
        budget = Budget(limits, packed)
        opened = _Archive(budget, wanted or (lambda name, archive: True), f"{name}/" if name else "")
        try:
            yield from opened.members(file, shown, "", 1)
        except LimitReachedError as error:
            yield Skipped(shown, f"{error}; the rest of it was not read")


def documents_in_archive(
    entry: Entry, limits: ArchiveLimits | None = None, settings: WalkSettings | None = None
) -> Iterator[Loaded | Skipped]:
    """Give the members of an archive that a walk found as if they were files below it."""
    wanted = _wanted(settings or WalkSettings())
    for member in members(entry.path, limits, name=entry.path, wanted=wanted):
        if isinstance(member, Skipped):
            yield member
            continue
        size = len(member.data)
        inside = Entry(member.name, size, member.mtime_ns, 0, 0, entry.path)
        checksum = hashlib.blake2b(member.data, digest_size=DIGEST).digest()
        yield Loaded(inside, member.data, size, checksum, member.mtime_ns)


@dataclass(frozen=True, slots=True)
class _Archive:
    """An archive and those inside it, which share one budget; `top` stands before all names."""

    budget: Budget
    wanted: Wanted
    top: str

    def members(self, file: BinaryIO, shown: str, prefix: str, depth: int) -> Iterator[Member | Skipped]:
        """Give what lies in one archive; `prefix` is its path inside the outermost one."""
        names = Names()
        try:
            for item in _items(file, shown, self.budget):
                self.budget.member()
                safe = safe_name(item.name)
                if safe:
                    taken = prefix + names.take(safe)
                    if climbs(item.name):
                        yield Skipped(
                            self.top + taken,
                            f"is named {item.name!r} in the archive, which leads out of it: "
                            "it was read under this name",
                        )
                    yield from self.member(item, taken, depth)
                else:
                    yield Skipped(f"{self.top}{prefix}{item.name!r}", "has a name that leads nowhere")
        except DamagedError as error:
            yield Skipped(shown, str(error))
        except OSError as error:
            yield Skipped(shown, why(error))

    def member(self, item: Item, name: str, depth: int) -> Iterator[Member | Skipped]:
        inner = is_archive(name)
        if not self.wanted(name, inner):
            return
        shown = self.top + name
        data = self.read(item)
        if isinstance(data, str):
            yield Skipped(shown, data)
        elif not inner or _format(io.BytesIO(data), name) is None:
            yield Member(shown, data, item.mtime_ns)
        elif depth >= self.budget.limits.depth:
            yield Skipped(shown, f"is an archive inside {depth} others, which is too deep")
        else:
            yield from self.members(io.BytesIO(data), shown, f"{name}/", depth + 1)

    def read(self, item: Item) -> bytes | str:
        """Give the bytes of a member, or the reason why there are none."""
        if item.reason:
            return item.reason
        parts = []
        left = self.budget.limits.member_bytes
        try:
            for chunk in item.chunks():
                left -= len(chunk)
                if left < 0:
                    return f"is larger than {self.budget.limits.member_bytes:,} bytes"
                parts.append(chunk)
        except _UNREADABLE:
            return "is cut short or damaged inside the archive"
        return b"".join(parts)


def _opened(source: str | bytes) -> BinaryIO:
    if isinstance(source, bytes):
        return io.BytesIO(source)
    return open(open_regular(source, follow=True)[0], "rb")


def _format(file: BinaryIO, name: str) -> str | None:
    """Tell what an archive is by its content: "zip", "tar", a packing of a tar, or None."""
    file.seek(0)
    head = file.read(512)
    if head.startswith((b"PK\3\4", b"PK\5\6")):
        return "zip"
    for magic, packing in PACKINGS.items():
        if head.startswith(magic):
            return packing
    if head[257:262] == b"ustar":
        return "tar"
    # A zip may have a program in front of it; a tar of before 1988 has no mark.
    lower = name.lower()
    if lower.endswith(".zip") and b"PK\5\6" in _tail(file):
        return "zip"
    return "tar" if lower.endswith(".tar") and len(head) == 512 and b"\0" in head else None


def _tail(file: BinaryIO) -> bytes:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 0x10015))
    return file.read()


def _items(file: BinaryIO, name: str, budget: Budget) -> Iterator[Item]:
    kind = _format(file, name)
    if kind is None:
        raise DamagedError("is not a zip or tar archive")
    file.seek(0)
    return (
        zip_items(file, budget) if kind == "zip" else tar_items(file, "" if kind == "tar" else kind, budget)
    )


def _wanted(settings: WalkSettings) -> Wanted:
    """Apply the filters of a walk to members; `__MACOSX` holds no files but attributes of files."""
    include, exclude = Globs(settings.include), Globs(settings.exclude)

    def wanted(name: str, archive: bool) -> bool:
        *folders, leaf = name.split("/")
        prefix = ""
        for folder in folders:
            if folder == "__MACOSX" or (folder in VCS_FOLDERS and not settings.vcs):
                return False
            if folder.startswith(".") and folder not in VCS_FOLDERS and not settings.hidden:
                return False
            if exclude.matches(prefix, folder, folder=True):
                return False
            prefix += f"{folder}/"
        if (leaf.startswith(".") and not settings.hidden) or exclude.matches(prefix, leaf, folder=False):
            return False
        return archive or include.empty or include.matches(prefix, leaf, folder=False)

    return wanted
