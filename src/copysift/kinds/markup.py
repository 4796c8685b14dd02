"""HTML: markup is blanked in place, then the rest is text or words; offsets are those of the HTML.

What is blanked, and with what, is in `kernels/reference/markup.py`. Exceptions to the position-map
law, besides those of the text or words: a run inside a title, textarea or xmp, where < is text, and a
run that starts or ends inside an element that is cut off with it (a lone </template> or <script>).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from copysift import kernels
from copysift.kinds import positions, text, words
from copysift.kinds.kind import Canonicaliser, Kind, stream
from copysift.kinds.positions import widened
from copysift.model.values import Canonical

if TYPE_CHECKING:
    from copysift.model.values import Offsets


def blank_markup(data: bytes) -> bytes:
    """Overwrite the markup of an HTML document; the length, and every offset, stays the same."""
    return kernels.text.markup_block(data, 0, 0, True)[0]


class Html:
    """Blanks the markup, then leaves the rest to another canonicaliser."""

    def __init__(self, inner: Canonicaliser) -> None:
        self.inner = inner

    def blocks(self, chunks: Iterable[bytes]) -> Iterator[Canonical]:
        """Canonicalise a document that comes in chunks of any size."""
        references = _References()
        for block in self.inner.blocks(references.blanked(chunks)):
            yield references.widen(block)

    def whole(self, data: bytes) -> Canonical:
        """Canonicalise a document that is in memory."""
        references = _References()
        blanked = b"".join(references.blanked([data]))
        return references.widen(self.inner.whole(blanked))


class _References:
    """The character references of a document that later blocks may still refer to."""

    def __init__(self) -> None:
        self.starts: list[Offsets] = []
        self.ends: list[Offsets] = []

    def blanked(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Blank the markup chunk by chunk, and note the references."""
        state = 0

        def step(data: bytes | memoryview, offset: int, final: bool) -> tuple[bytes, int]:
            nonlocal state
            narrow = offset + len(data) <= positions.NARROW
            blanked, starts, ends, used, state = kernels.text.markup_block(
                data, offset if narrow else 0, state, final
            )
            if len(starts):
                self.starts.append(starts if narrow else positions.moved(starts, offset))
                self.ends.append(ends if narrow else positions.moved(ends, offset))
            return blanked, used

        return stream(chunks, step, uneven=True)

    def widen(self, block: Canonical) -> Canonical:
        """Give a block whose spans hold whole references, and forget those that lie before it."""
        if not self.starts or not len(block.symbols):
            return block
        starts, ends = np.concatenate(self.starts), np.concatenate(self.ends)
        edges = np.array([0, len(block.symbols) - 1])
        first, last = block.positions.spans(edges, edges)
        start, stop = np.searchsorted(ends, first[0], "right"), np.searchsorted(starts, last[1], "left")
        self.starts, self.ends = [starts[start:]], [ends[start:]]
        if start >= stop:
            return block
        return Canonical(block.symbols, widened(block.positions, starts[start:stop], ends[start:stop]))


HTML = Kind(
    replace(
        text.KIND.traits,
        name="html",
        description="text without tags, comments, scripts and styles",
        family="text",
        suffixes=(".htm", ".html", ".shtml", ".xht", ".xhtml"),
        markup=True,
    ),
    lambda: Html(text.Text()),
)
HTML_WORDS = Kind(
    replace(
        words.KIND.traits,
        name="html-words",
        description="the same as shingles of words; --kind words uses it for HTML",
        family="words",
    ),
    lambda: Html(words.Words()),
)
