"""Many texts at once, to be read: the definition of what `_batch` does without the GIL."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from copysift.kernels.reference.lex import lex, statements, strings
from copysift.kernels.reference.markup import markup_block
from copysift.kernels.reference.selection import winnow
from copysift.kernels.reference.text import unicode_block

Parted = tuple[np.ndarray, np.ndarray]  # values of all sources, and where those of each start and end


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
) -> Parted:
    """Winnow texts in UTF-8; give all their hashes, and where in them those of each text start and end.

    The markup of those that are `marked` is blanked first. At most half of CS_CHUNK is `w`.
    """
    found = [np.empty(0, np.uint64)]
    for source, html in zip(sources, marked, strict=True):
        text = markup_block(source, 0, 0, True)[0] if html else source
        symbols = unicode_block(text, True)[0]
        found.append(winnow(symbols, k, w, seed, robust, inner)[1])
    return _parted(found)


def winnow_programs(
    sources: Sequence[bytes],
    table: tuple[np.ndarray, ...],
    ending: np.ndarray,
    lines: bool,
    shortest: int,
    longest: int,
    k: int,
    w: int,
    seed: int = 0,
    robust: bool = True,
    inner: int = 0,
    brief: np.ndarray | None = None,
    most: int = 0,
) -> tuple[Parted, Parted, Parted]:
    """Lex and winnow programs of one language; give their hashes, their statements and their strings.

    Each comes with where in it those of each program start and end. `brief`: each hash of a program once,
    where it first is, and neither statements nor strings; it has the lengths of the keywords for each first
    byte, as bits, which the kernel alone needs. Then the first `most` tokens count, or all if it is 0.
    """
    none = np.empty(0, np.uint64)
    found, told, texts = [none], [none], [none]
    for source in sources:
        tokens = lex(source, *table)
        counted = tokens[0][: most or None] if brief is not None else tokens[0]
        hashes = winnow(counted, k, w, seed, robust, inner)[1]
        if brief is not None:
            found.append(hashes[np.sort(np.unique(hashes, return_index=True)[1])])
            told.append(none)
            texts.append(none)
            continue
        found.append(hashes)
        told.append(statements(source, *tokens, ending, lines, shortest))
        texts.append(strings(*tokens, longest))
    return _parted(found), _parted(told), _parted(texts)


def _parted(found: list[np.ndarray]) -> Parted:
    return np.concatenate(found), np.cumsum([len(each) for each in found], dtype=np.int64)
