"""Where symbols are in a source that is too large to be held: it is read again, once for all questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from copysift import kernels
from copysift.model.values import Canonical
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Int64s = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StreamedPositions:
    """The positions of the symbols of a document; `blocks` canonicalises it again."""

    blocks: Callable[[], Iterable[Canonical]]

    def spans(self, first: NDArray[Any], last: NDArray[Any]) -> tuple[Int64s, Int64s]:
        """Source spans of the runs of symbols first[i]..last[i], both ends included."""
        sides = [(np.argsort(each, kind="stable"), np.sort(each).astype(np.int64)) for each in (first, last)]
        found = (np.zeros(len(first), np.int64), np.zeros(len(first), np.int64))
        done, at = [0, 0], 0
        for block in self.blocks():
            end = at + len(block.symbols)
            for side, (order, places) in enumerate(sides):
                upto = int(np.searchsorted(places, end))
                here = places[done[side] : upto] - at
                if len(here):
                    found[side][order[done[side] : upto]] = block.positions.spans(here, here)[side]
                done[side] = upto
            if min(done) == len(first):
                break
            at = end
        return found


@dataclass(frozen=True, slots=True)
class StreamedLines:
    """The lines of a source; `chunks` gives it again."""

    chunks: Callable[[], Iterable[bytes]]

    def numbers(self, offsets: Int64s) -> Int64s:
        """Give the line of every byte offset; the first line is 1."""
        order = np.argsort(offsets, kind="stable")
        places = offsets[order]
        found = np.zeros(len(offsets), np.int64)
        done, at, line = 0, 0, 1
        for data in _whole_ends(self.chunks()):
            if done == len(places):
                break
            starts = kernels.match.line_starts(data)[1:].astype(np.int64) + at
            at += len(data)
            upto = int(np.searchsorted(places, at))
            found[order[done:upto]] = line + np.searchsorted(starts, places[done:upto], "right")
            done = upto
            line += len(starts)
        found[order[done:]] = line
        return found


def _whole_ends(chunks: Iterable[bytes]) -> Iterable[bytes]:
    """Give chunks that do not part a \\r from the \\n after it."""
    held = b""
    for chunk in chunks:
        data = held + chunk if held else chunk
        held = b"\r" if data.endswith(b"\r") else b""
        yield data[: len(data) - len(held)]
    yield held
