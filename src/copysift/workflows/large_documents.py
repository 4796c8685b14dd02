"""Documents too large to be held while they are matched: their symbols are in a temporary file.

Positions and lines are not kept at all. The few that a match needs are found by reading the document again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from copysift.match.base_code import Base
from copysift.match.streamed import StreamedLines, StreamedPositions
from copysift.model.values import Canonical
from copysift.runtime.mapped import ArrayFile
from copysift.workflows.collection import FiledDocument
from copysift.workflows.group_matches import JoinedFiles, PreparedFile
from copysift.workflows.reading import Reader

if TYPE_CHECKING:
    from numpy.typing import NDArray


class _Row:
    """Symbols of files in a row, with a masked 0 after each if there are several."""

    def __init__(self, reader: Reader, base: Base, folder: Path | None, several: bool) -> None:
        self._reader, self._base, self._several = reader, base, several
        self._symbols, self._mask = ArrayFile(folder), ArrayFile(folder)
        self._masked = bool(base) or several
        self._type: np.dtype[np.generic] = np.dtype(np.uint8)

    def add(self, filed: FiledDocument, kind: str) -> tuple[int, int]:
        """Put a file in; give its first symbol and one past its last."""
        first = len(self._symbols)
        blocks = self._passed(self._reader.blocks_of(filed.entry, kind, filed.source_kind(kind)))
        if self._base:
            pieces = self._reader.gram_pieces(blocks, kind)
            for marks in self._base.masks(pieces, self._reader.noise(kind)[0]):
                self._mask.append(marks[: len(self._symbols) - len(self._mask)])
        else:
            for block in blocks:
                self._mark(0, len(block.symbols))
        end = len(self._symbols)
        if self._several:
            self._symbols.append(np.zeros(1, self._type))
            self._mark(1, 1)
        return first, end

    def arrays(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
        """Give all symbols, and the mask if any is masked."""
        return self._symbols.array(), self._mask.array() if self._masked else None

    def _passed(self, blocks: Iterable[Canonical]) -> Iterator[Canonical]:
        for block in blocks:
            self._symbols.append(block.symbols)
            self._type = block.symbols.dtype
            yield block

    def _mark(self, mark: int, count: int) -> None:
        if self._masked:
            self._mask.append(np.full(count, mark, np.uint8))


def spooled(
    reader: Reader, base: Base, files: Sequence[tuple[int, FiledDocument, str]], folder: Path | None
) -> JoinedFiles:
    """Give files as one side of a match: place, file and the kind to read it as."""
    row = _Row(reader, base, folder, len(files) > 1)
    bounds = [row.add(filed, kind) for _, filed, kind in files]
    symbols, mask = row.arrays()
    made = []
    for (place, filed, kind), (first, end) in zip(files, bounds, strict=True):
        own = None if mask is None else mask[first:end]
        source = filed.source_kind(kind)
        positions = StreamedPositions(partial(reader.blocks_of, filed.entry, kind, source))
        lines = StreamedLines(partial(reader.source_chunks, filed.entry, source))
        made.append((place, PreparedFile(symbols[first:end], positions, lines, filed.size, own)))
    return JoinedFiles(made, (symbols, mask))


def streamed(reader: Reader, chunks: Callable[[], Iterable[bytes]], size: int, kind: str) -> PreparedFile:
    """Give a document ready to be matched; `chunks` gives its readable source, as often as it is needed."""
    symbols = ArrayFile()
    for block in reader.blocks(kind, chunks()):
        symbols.append(block.symbols)
    positions = StreamedPositions(lambda: reader.blocks(kind, chunks()))
    return PreparedFile(symbols.array(), positions, StreamedLines(chunks), size)


def whole_span(reader: Reader, filed: FiledDocument) -> tuple[int, int, int]:
    """Count the symbols of a file; give the offset of the first, and of the end of the last."""
    count, start, end = 0, 0, 0
    for block in reader.blocks_of(filed.entry, filed.kind, filed.kind):
        edges = np.array([0, len(block.symbols) - 1])
        starts, ends = block.positions.spans(edges, edges)
        start = start if count else int(starts[0])
        end = int(ends[-1])
        count += len(block.symbols)
    return count, start, end
