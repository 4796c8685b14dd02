"""Headers of C and C++: files of declarations, whose tokens are those of C.

Two unrelated headers have many tokens in common, for every one is a list of declarations. So in a tree of any
files they count as programs of their own kind, which are compared with each other alone, and a pair needs
more evidence (`join/alike.py`). The first tokens of a header decide: they are as many whatever its comments
are, and headers of many thousands take most of the time. Where programs are compared, headers are C like any
other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from copysift.kinds.positions import Explicit
from copysift.model.values import Canonical

NAME = "header"
KIND = f"code:{NAME}"
LANGUAGE = "c"
SUFFIXES = (".h", ".H")
MOST = 768  # tokens of a header that have fingerprints


def beginning(blocks: Iterable[Canonical]) -> Iterator[Canonical]:
    """Give the blocks of a header as far as its first tokens."""
    left = MOST
    for block in blocks:
        count = len(block.symbols)
        if count > left:
            block = Canonical(block.symbols[:left], Explicit(block.starts[:left], block.ends[:left]))
        yield block
        left -= count
        if left <= 0:
            return
