"""Many texts at once, to be read: the definition of what `_batch` does without the GIL."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from copysift.kernels.reference.markup import markup_block
from copysift.kernels.reference.selection import winnow
from copysift.kernels.reference.text import unicode_block


def has_avx2() -> bool:
    """Say that there is no AVX2 here: this is plain Python."""
    return False


def winnow_texts(
    sources: Sequence[bytes],
    marked: Sequence[bool],
    k: int,
    w: int,
    seed: int = 0,
    robust: bool = True,
    inner: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Winnow texts in UTF-8; give all their hashes, and where in them those of each text start and end.

    The markup of those that are `marked` is blanked first. At most half of CS_CHUNK is `w`.
    """
    found = [np.empty(0, np.uint64)]
    for source, html in zip(sources, marked, strict=True):
        text = markup_block(source, 0, 0, True)[0] if html else source
        symbols = unicode_block(text, 0, True)[0]
        found.append(winnow(symbols, k, w, seed, robust, inner)[1])
    bounds = np.cumsum([len(each) for each in found], dtype=np.int64)
    return np.concatenate(found), bounds
