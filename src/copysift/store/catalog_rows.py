"""The rows of a catalog: segments, contents, further views of them, and documents."""

from __future__ import annotations

from typing import NamedTuple

from copysift.runtime.lazy_dataclass import dataclass

Checksum = bytes
LOST = b"lost fingerprints:"  # before the checksum of such a content: no file is taken for the same as it


class SegmentRow(NamedTuple):
    """A live segment: of its postings those count whose keys lie in low .. high − 1, in units of 2^32.

    `run` joins segments that were made together, `target` is the run that a merge writes them into.
    """

    number: int
    run: int
    low: int
    high: int
    postings: int
    live: int
    bytes: int
    target: int | None


@dataclass(frozen=True, slots=True)
class ContentRow:
    """What is behind documents: `fingerprints` with repeats, distinct `hashes`, all k-`grams`."""

    number: int
    checksum: bytes
    kind: str
    bytes: int
    fingerprints: int
    hashes: int
    grams: int

    @property
    def lost(self) -> bool:
        """Say whether it lost fingerprints that could not be read again."""
        return self.checksum.startswith(LOST)

    @property
    def original(self) -> Checksum:
        """Give the checksum of its bytes, though it lost some fingerprints."""
        return self.checksum.removeprefix(LOST)


class ViewRow(NamedTuple):
    """Further fingerprints of a content, whose postings have another number: by tokens, or all k-grams.

    `entries.WHOLE` after the channel: all k-grams of a content with few fingerprints.
    """

    number: int
    content: int
    channel: str
    fingerprints: int
    hashes: int
    grams: int


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A name in the index; `mtime` in nanoseconds, 0 if it cannot be trusted; `file` if it names a file."""

    number: int
    name: str
    content: int
    file: bool
    mtime: int
