"""What file names and very small texts say about two versions of a file (sif, section 6)."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import PurePath

_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=1 << 14)
def name_likeness(left: str, right: str) -> float:
    """Say how similar the names of two paths are, 0 to 1: 1 for the same file name.

    Either the letters of the file names or the words of the last two parts of the paths may show it:
    `page_pool.h` became `page_pool/types.h`.
    """
    one, other = PurePath(left), PurePath(right)
    if one.name == other.name:
        return 1.0
    letters = SequenceMatcher(None, one.stem.lower(), other.stem.lower(), autojunk=False).ratio()
    words, others = _words(one), _words(other)
    both = 2 * len(words & others) / max(1, len(words) + len(others))
    return 0.99 * max(letters, both)


def _words(path: PurePath) -> set[str]:
    return {word.lower() for part in (path.parent.name, path.stem) for word in _WORD.findall(part)}


def line_likeness(left: bytes, right: bytes) -> float:
    """Give the share of the larger text that is in lines of both; for texts too small for fingerprints."""
    if not left or not right:
        return 0.0
    lines = Counter(left.splitlines()) & Counter(right.splitlines())
    common = sum((len(line) + 1) * count for line, count in lines.items() if line.strip())
    return min(1.0, common / max(len(left), len(right)))
