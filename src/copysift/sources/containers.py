"""Containers: zip and tar archives and compressed files, opened in place; nothing is written to disk.

They are known by their content, not by their names: a wheel and a Java archive are zips. Containers come
from strangers, so limits are counted while bytes are unpacked, names become safe labels, and what cannot
be read is named while the rest is kept. Office documents are zips too, which have readers of their own.
"""

from __future__ import annotations

import os
import posixpath
import zipfile
from collections.abc import Callable, Iterator
from typing import BinaryIO

from copysift.model.document import INSIDE, Document, Hint, Memory
from copysift.model.values import DAMAGED, LIMIT, Skipped
from copysift.sources.compressed import PACKED_SUFFIXES, UNPACK_ERRORS, packing, unpacked_stream
from copysift.sources.container_limits import (
    BROKEN,
    ArchiveLimits,
    Budget,
    DamagedError,
    Item,
    LimitReachedError,
    TooSlowMemberError,
)
from copysift.sources.container_paths import Names, climbs, safe_name
from copysift.sources.file_content import file_at
from copysift.sources.formats import may_hold_others
from copysift.sources.globs import Globs
from copysift.sources.opening import why
from copysift.sources.source import MEMBERS, WHOLE, Given, Part, Reading, SourceTraits, WholeSource
from copysift.sources.tar_members import CountingStream, tar_items
from copysift.sources.walk import VCS_FOLDERS, WalkSettings
from copysift.sources.zip_members import check_directory, zip_items

ZIP_MAGIC = (b"PK\3\4", b"PK\5\6")
# The reader of an office document by a folder in it, and by its type, the longest first.
_OFFICE_FOLDERS = {"word/": "docx", "xl/": "xlsx", "ppt/": "pptx"}
_OFFICE_TYPES = {
    b"application/epub+zip": "epub",
    b"application/vnd.oasis.opendocument.spreadsheet": "ods",
    b"application/vnd.oasis.opendocument.presentation": "odp",
    b"application/vnd.oasis.opendocument": "odt",
    b"application/vnd.sun.xml.calc": "ods",
    b"application/vnd.sun.xml.impress": "odp",
    b"application/vnd.sun.xml": "odt",
}
_UNREADABLE: tuple[type[Exception], ...] = (DamagedError, *BROKEN)
_CHUNK = 1 << 16

Wanted = Callable[[str], bool]  # by the path below the outermost container


def zip_names(path: str, most: int = 100_000) -> list[str] | None:
    """Give the names that a zip lists, folders with a slash behind them; None if it is not a readable zip."""
    try:
        with file_at(path).open() as file, zipfile.ZipFile(file) as archive:
            return [name for name in archive.namelist()[:most] if "__MACOSX" not in name]
    except BROKEN:
        return None


def office_format(file: BinaryIO, limits: ArchiveLimits) -> str:
    """Name the reader of a zip that is an office document (DOCX, XLSX, PPTX, ODF) or an EPUB; "" for others.

    One whose table of contents cannot be read is known by its first member.
    """
    first = file.read(30 + 64)[30:]
    try:
        check_directory(file, Budget(limits, 0))
        file.seek(0)
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            if "[Content_Types].xml" in names:
                return next((each for name in names if (each := _by_folder(name))), "")
            kind = archive.open("mimetype").read(100) if "mimetype" in names else b""
    except LimitReachedError:
        return ""
    except BROKEN:
        kind = first.removeprefix(b"mimetype")
        found = _by_folder(first.decode("latin-1"))
        if found or first.startswith(b"[Content_Types].xml"):
            return found or "docx"
    return next((name for start, name in _OFFICE_TYPES.items() if kind.startswith(start)), "")


def _by_folder(name: str) -> str:
    return next((reader for folder, reader in _OFFICE_FOLDERS.items() if name.startswith(folder)), "")


class ZipSource(WholeSource):
    """Members of zip archives, wheels and Java archives."""

    traits = SourceTraits("zip", "Zip archives, wheels, Java archives", MEMBERS, ZIP_MAGIC)

    def open(self, outer: Document, reading: Reading, part: Part = WHOLE) -> Given:
        """Give the members in the order of the table of contents."""
        return give_members(outer, reading, "member of a zip archive", zip_items)


class TarSource(WholeSource):
    """Members of tar archives, compressed or not."""

    traits = SourceTraits("tar", "Tar archives, also compressed by gzip, bzip2, xz, zstd or lz4", MEMBERS)

    def claims(self, name: str, head: bytes) -> bool:
        """Say whether unpacked bytes start a tar; one from before 1988 is known by its name alone."""
        old = name.lower().endswith(".tar") and len(head) == 512 and b"\0" in head
        return head[257:262] == b"ustar" or old

    def open(self, outer: Document, reading: Reading, part: Part = WHOLE) -> Given:
        """Give the members in their order."""

        def items(file: BinaryIO, budget: Budget) -> Iterator[Item]:
            how = packing(file.read(16))
            file.seek(0)
            return tar_items(file, how, budget)

        return give_members(outer, reading, "member of a tar archive", items)


class PackedSource(WholeSource):
    """The one file in a compressed file."""

    traits = SourceTraits("compressed", "Single files compressed by gzip, bzip2, xz, zstd or lz4", MEMBERS)

    def claims(self, name: str, head: bytes) -> bool:
        """Say whether a file is compressed."""
        return bool(packing(head))

    def open(self, outer: Document, reading: Reading, part: Part = WHOLE) -> Given:
        """Give the file in it, named without the suffix of the compression."""
        name = posixpath.basename(outer.file)
        stem = next((name[: -len(end)] for end in PACKED_SUFFIXES if name.lower().endswith(end)), name)

        def items(file: BinaryIO, budget: Budget) -> Iterator[Item]:
            how = packing(file.read(16))
            file.seek(0)
            stream = CountingStream(unpacked_stream(file, how), budget)

            def chunks() -> Iterator[bytes]:
                while chunk := stream.read(_CHUNK):
                    yield chunk
                if stream.error is not None:
                    raise DamagedError("is truncated or damaged") from stream.error

            yield Item(stem or name, 0, "", chunks)

        for found in give_members(outer, reading, "compressed file, unpacked", items):
            damaged = isinstance(found, Skipped) and found.code == DAMAGED
            yield Skipped(outer.name, "is truncated or damaged", DAMAGED) if damaged else found


def give_members(
    outer: Document, reading: Reading, read_as: str, items: Callable[[BinaryIO, Budget], Iterator[Item]]
) -> Given:
    """Give the members of one container; the budget is that of the outermost one."""
    budget = reading.budget_of(outer)
    wanted = member_filter(reading.walking)
    names = Names()
    below = len(reading.top) + 1 if reading.top else len(outer.file) + 1
    try:
        with outer.content.open() as file:
            for item in items(file, budget):
                budget.member()
                safe = safe_name(item.name)
                if not safe:
                    yield Skipped(f"{outer.name}{INSIDE}{item.name!r}", "has a name that leads nowhere")
                    continue
                inner = names.take(safe)
                name, path = f"{outer.name}{INSIDE}{inner}", f"{outer.file}/{inner}"
                if climbs(item.name):
                    yield Skipped(
                        name,
                        f"is named {item.name!r} in the archive, which leads out of it: "
                        "it was read under this name",
                    )
                if not wanted(path[below:]):
                    continue
                if item.reason:
                    yield Skipped(name, item.reason)
                    continue
                data = _data(name, item, budget)
                if isinstance(data, Skipped):
                    yield data
                else:
                    yield Document(name, Memory(data, item.mtime_ns), Hint(path), read_as=read_as)
                budget.restart()
    except DamagedError as error:
        yield Skipped(outer.name, str(error), DAMAGED)
    except OSError as error:
        yield Skipped(outer.name, why(error), DAMAGED)


def _data(name: str, item: Item, budget: Budget) -> bytes | Skipped:
    """Give the bytes of a member, or say why there are none."""
    parts = []
    left = budget.limits.member_bytes
    try:
        for chunk in item.chunks():
            left -= len(chunk)
            if left < 0:
                return Skipped(name, f"is larger than {budget.limits.member_bytes:,} bytes", LIMIT)
            parts.append(chunk)
    except TooSlowMemberError as error:
        return Skipped(name, str(error), LIMIT)
    except _UNREADABLE + UNPACK_ERRORS:
        return Skipped(name, "is truncated or damaged inside the archive", DAMAGED)
    return b"".join(parts)


def member_filter(settings: WalkSettings) -> Wanted:
    """Apply the filters of a walk to members; `__MACOSX` has no files, only attributes of files."""
    include, exclude = Globs(settings.include), Globs(settings.exclude)

    def wanted(name: str) -> bool:
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
        return include.empty or may_hold_others(leaf) or include.matches(prefix, leaf, folder=False)

    return wanted


def included(settings: WalkSettings, name: str) -> bool:
    """Say whether --include takes a member, by its path below the outermost container."""
    folder, _, leaf = name.rpartition("/")
    include = Globs(settings.include)
    return include.empty or include.matches(f"{folder}/" if folder else "", leaf, folder=False)


def tail_of(file: BinaryIO) -> bytes:
    """Give the end of a file, where the table of contents of a zip is."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 0x10015))
    return file.read()


ZIP, TAR, PACKED = ZipSource(), TarSource(), PackedSource()
