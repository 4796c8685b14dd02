"""A part of the sketches by the words of its documents, which give their sets and the order in the text.

Shingles take more space than the texts that they are of, and words a third of it. The file has blocks of
documents: a list of words, each once, where the words of every document end, and the number of each word in
the list, as they come. All is little-endian, and aligned to eight bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from copysift import kernels
from copysift.errors import RunError
from copysift.fingerprints.shingles import WordCodes
from copysift.join.boilerplate import bounds_of
from copysift.runs.sketches import read_array, write_arrays
from copysift.runtime.arrays import mapped

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Int64s = NDArray[np.int64]
    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]
    Kernel = Callable[..., tuple[UInt64s, Int64s]]

MAGIC = int.from_bytes(b"words  1", "little")
HEAD, ROW = (
    3,
    4,
)  # numbers of the file, and of each block: MAGIC, w, blocks; documents, words, all words, width


class Block(NamedTuple):
    """Documents that have a list of words together."""

    words: UInt64s
    ends: UInt32s
    numbers: NDArray[np.uint16] | UInt32s


class Place(NamedTuple):
    """Where a block is: its first document and their number; how many words it lists, and how many it has.

    `at` is the first byte, `size` the bytes of the number of a word.
    """

    first: int
    documents: int
    words: int
    numbers: int
    size: int
    at: int

    @property
    def end(self) -> int:
        """The byte behind the block."""
        return self.at + 8 * self.words + _whole(4 * self.documents) + _whole(self.size * self.numbers)

    def of(self, data: Bytes) -> Block:
        """Give the block in the bytes of its file."""
        ends = self.at + 8 * self.words
        numbers = ends + _whole(4 * self.documents)
        return Block(
            data[self.at : ends].view(np.uint64),
            data[ends : ends + 4 * self.documents].view(np.uint32),
            data[numbers : numbers + self.size * self.numbers].view(f"<u{self.size}"),
        )


def write_codes(path: Path, blocks: Sequence[tuple[WordCodes, Int64s]]) -> None:
    """Write the words of blocks of documents, one or more, with the number of words of each document."""
    rows = [
        [len(counts), len(codes.words), len(codes.numbers), codes.numbers.itemsize]
        for codes, counts in blocks
    ]
    head = [MAGIC, blocks[0][0].width, len(rows), *(number for row in rows for number in row)]
    arrays: list[NDArray[Any]] = [np.array(head, np.uint64)]
    for codes, counts in blocks:
        ends = np.cumsum(counts).astype(np.uint32)
        arrays += [codes.words, ends, _padding(ends), codes.numbers, _padding(codes.numbers)]
    write_arrays(path, arrays)


def _padding(numbers: NDArray[np.uint16] | UInt32s) -> Bytes:
    """Give the zeros that numbers need up to a multiple of eight bytes."""
    return np.zeros(-numbers.nbytes % 8, np.uint8)


class CodedPart:
    """A part that is read where it lies; documents are numbered from its first one.

    It remembers where its blocks are, not what they hold: pages that were read do not stay in memory.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            places, self._width = _places(read_array(path, np.uint8))
        except (OSError, ValueError, OverflowError) as error:
            raise self._damaged() from error
        self._places = places
        self._firsts = bounds_of(np.array([each.documents for each in places], np.int64))

    def sets(self, which: Int64s | None = None) -> tuple[UInt64s, Int64s]:
        """Give the sets of some documents, ascending by number, or of all: values and bounds."""
        return self._made(kernels.codes.sets, which)

    def in_order(self, which: Int64s | None = None) -> tuple[UInt64s, Int64s]:
        """Give the shingles of some documents, or of all, as they come in the texts: values and bounds."""
        return self._made(kernels.codes.in_order, which)

    def _made(self, kernel: Kernel, which: Int64s | None) -> tuple[UInt64s, Int64s]:
        found = []
        for block, some in self._asked(which):
            starts = np.concatenate([np.zeros(1, np.uint32), block.ends[:-1]])[some].astype(np.int64)
            ends = block.ends[some].astype(np.int64)
            try:
                found.append(kernel(block.numbers, block.words, starts, ends, self._width))
            except IndexError as error:
                raise self._damaged() from error
        if len(found) == 1:
            return found[0]
        sizes = np.concatenate([np.zeros(0, np.int64), *(np.diff(bounds) for _, bounds in found)])
        return np.concatenate([np.zeros(0, np.uint64), *(values for values, _ in found)]), bounds_of(sizes)

    def _asked(self, which: Int64s | None) -> Iterator[tuple[Block, Int64s | slice]]:
        if which is None:
            data = mapped(self._path, np.uint8)
            for place in self._places:
                yield place.of(data), slice(None)
        elif len(which):
            data = mapped(self._path, np.uint8)  # it was compared with its checksum at first
            cuts = np.searchsorted(which, self._firsts).tolist()
            for place, low, high in zip(self._places, cuts[:-1], cuts[1:], strict=True):
                if low < high:
                    yield place.of(data), which[low:high] - place.first

    def _damaged(self) -> RunError:
        return RunError(f"{self._path} is damaged", hint="recreate the run")


class CodedParts(dict[int, CodedPart]):
    """Coded parts by number: where the blocks of each are is looked up once."""

    def __init__(self, path: Callable[[int], Path]) -> None:
        super().__init__()
        self._path = path

    def __missing__(self, part: int) -> CodedPart:
        found = self[part] = CodedPart(self._path(part))
        return found


def _whole(count: int) -> int:
    """Round a number of bytes up to a multiple of eight."""
    return -(-count // 8) * 8


def _places(data: Bytes) -> tuple[list[Place], int]:
    """Find the blocks in a file, and how many words make a shingle; ValueError where it is none."""
    whole = data[: len(data) // 8 * 8].view(np.uint64)
    magic, width, count = whole[:HEAD].tolist()
    if magic != MAGIC or not 0 < width < 1 << 32 or HEAD + ROW * count > len(whole):
        raise ValueError
    at, first, found = 8 * (HEAD + ROW * count), 0, []
    for row in range(count):
        documents, words, numbers, size = whole[HEAD + ROW * row :][:ROW].tolist()
        if size not in (2, 4) or max(documents, words, numbers) > len(data):
            raise ValueError
        place = Place(first, documents, words, numbers, size, at)
        if place.end - _whole(size * numbers) + size * numbers > len(data):
            raise ValueError
        ends = place.of(data).ends
        if numbers != (int(ends[-1]) if documents else 0) or (np.diff(ends.astype(np.int64)) < 0).any():
            raise ValueError
        found.append(place)
        at, first = place.end, first + documents
    return found, width
