"""The kit that every kind must pass, built-in or added: call `check` with the kind and samples of it.

    from copysift.kinds.kind_conformance import check
    check(KIND, [b"a document …", b"another …"])

It raises AssertionError with the law that is broken. (For a programming language: `conformance`.)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from copysift.kinds.kind import CHANNELS, Canonicaliser, Kind
from copysift.model.values import Canonical

_HOSTILE = (b"", b"\0", b"\xff\xfe\x80", b"\r\n\r\n", b"<" * 300, "ß\u0301\U0001f600".encode(), b"a" * 5000)


def check(kind: Kind, samples: Sequence[bytes]) -> None:
    """Check every law on samples, which must have symbols."""
    has_traits(kind)
    for sample in samples:
        assert len(kind().whole(sample).symbols), f"{kind.traits.name}: a sample has no symbols"
    for sample in (*samples, *_HOSTILE):
        spans_ascend(kind, sample)
        ignores_how_a_document_is_cut(kind, sample)
        repeats_itself(kind, sample)


def has_traits(kind: Kind) -> None:
    """Its traits name it, describe it, and have thresholds that make a window."""
    traits = kind.traits
    assert ":" not in (traits.name or ":"), f"{traits.name!r} is not a name"
    assert traits.description, f"{traits.name} needs a description"
    assert traits.symbols, f"{traits.name} does not say what its symbols are"
    assert 1 <= traits.thresholds.noise <= traits.thresholds.guarantee, f"{traits.name}: no window"
    assert traits.channel in CHANNELS, f"{traits.name} has an unknown channel"
    assert all(each.startswith(".") and each == each.lower() for each in traits.suffixes), "suffixes: .abc"


def spans_ascend(kind: Kind, sample: bytes) -> None:
    """Every symbol has a place in the document, in order."""
    found = kind().whole(sample)
    starts, ends = (np.asarray(each, np.int64) for each in (found.starts, found.ends))
    name = kind.traits.name
    assert len(starts) == len(ends) == len(found.symbols), f"{name}: spans and symbols differ in number"
    assert (ends >= starts).all(), f"{name}: a span ends before it starts"
    assert (np.diff(starts) >= 0).all(), f"{name}: spans go back"
    assert not len(ends) or (starts[0] >= 0 and ends.max() <= len(sample)), f"{name}: a span past the end"


def ignores_how_a_document_is_cut(kind: Kind, sample: bytes) -> None:
    """The symbols of the blocks, one after the other, are those of the whole, and no block is empty."""
    made: Canonicaliser = kind()
    whole = _columns([made.whole(sample)])
    for size in (1, 7, 64, len(sample) + 1):
        chunks = [sample[at : at + size] for at in range(0, len(sample), size)]
        blocks = list(made.blocks(chunks))
        assert all(len(each.symbols) for each in blocks), f"{kind.traits.name}: an empty block"
        assert _columns(blocks) == whole, f"{kind.traits.name}: chunks of {size} bytes have other symbols"


def repeats_itself(kind: Kind, sample: bytes) -> None:
    """A document gives the same symbols again, from the same canonicaliser and from another."""
    made = kind()
    first, second, other = (_columns([each.whole(sample)]) for each in (made, made, kind()))
    assert first == second == other, f"{kind.traits.name} gives other symbols the second time"


def _columns(blocks: Iterable[Canonical]) -> list[tuple[int, int, int]]:
    return [
        row
        for block in blocks
        for row in zip(block.symbols.tolist(), block.starts.tolist(), block.ends.tolist(), strict=True)
    ]
