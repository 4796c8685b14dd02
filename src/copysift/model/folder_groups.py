"""Folders that are the same or similar, within one scan."""

from __future__ import annotations

from copysift.runtime.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class FolderSet:
    """Folders with the same files under the same names; `bytes` and `files` are those of one of them."""

    members: tuple[str, ...]
    files: int
    bytes: int

    @property
    def wasted(self) -> int:
        """Bytes that would be free if one of them stayed."""
        return self.bytes * (len(self.members) - 1)


@dataclass(frozen=True, slots=True)
class FolderPair:
    """Two folders with equal or similar files, by bytes; a similar file counts by its resemblance.

    `similarity` is what they share of both together, `containment_left` of the left one. `files` counts the
    files of the smaller one that the other has, too.
    """

    left: str
    right: str
    similarity: float
    containment_left: float
    containment_right: float
    files: int
    files_left: int
    files_right: int
    bytes_left: int
    bytes_right: int
