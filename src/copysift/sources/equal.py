"""Find files that are equal byte for byte, by size and checksum."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from copysift.sources.file_content import FileContent
from copysift.sources.files import Loaded


@dataclass(frozen=True, slots=True)
class EqualFiles:
    """Files of the same bytes in input order; `wasted` bytes would be free if one of them stayed."""

    members: tuple[str, ...]
    size: int
    wasted: int

    @property
    def representative(self) -> str:
        """The first in input order: it stands for all in the rest of the work."""
        return self.members[0]


class Checksums:
    """What was read so far; tells of every file whether an earlier one is equal to it."""

    def __init__(self) -> None:
        self._names: dict[tuple[int, bytes], list[str]] = {}
        self._places: dict[tuple[int, bytes], set[tuple[int, int]]] = {}

    def add(self, loaded: Loaded) -> str | None:
        """Take note of a file and give the name of the first one that is equal to it, if any."""
        entry, content = loaded.entry, loaded.entry.content
        key = (loaded.size, loaded.checksum)
        names = self._names.setdefault(key, [])
        names.append(entry.name)
        place = (-1, len(names))  # what has no inode (an archive's member) is a separate place
        if isinstance(content, FileContent) and content.inode:
            place = (content.device, content.inode)
        self._places.setdefault(key, set()).add(place)
        return names[0] if len(names) > 1 else None

    def groups(self) -> list[EqualFiles]:
        """Give the equal files, groups and members in input order; hard links waste nothing."""
        return [
            EqualFiles(tuple(names), key[0], key[0] * (len(self._places[key]) - 1))
            for key, names in self._names.items()
            if len(names) > 1
        ]


def equal_files(loaded: Iterable[Loaded]) -> list[EqualFiles]:
    """Group files that are equal byte for byte."""
    checksums = Checksums()
    for one in loaded:
        checksums.add(one)
    return checksums.groups()
