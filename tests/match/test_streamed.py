"""Positions and lines of a source that is read again."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copysift.kinds import canonicaliser
from copysift.match.base_code import Base
from copysift.match.exact import line_starts
from copysift.match.streamed import StreamedLines, StreamedPositions

TEXT = ("Ein größerer Käse, and plain text of several lines;\r\n" * 40).encode()


def cut(data, size):
    return [data[at : at + size] for at in range(0, len(data), size)]


@given(st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\r\n", b"bc"]), max_size=12), st.integers(1, 5))
def test_lines_are_those_of_the_whole_however_it_is_cut(parts, size):
    data = b"".join(parts)
    offsets = np.arange(len(data) + 1)[::-1]
    expected = np.searchsorted(line_starts(data), offsets, "right")
    lines = StreamedLines(lambda: iter(cut(data, size)))
    assert lines.numbers(offsets)[1:].tolist() == expected[1:].tolist()  # in the source
    assert lines.numbers(offsets)[:1].tolist() == expected[:1].tolist()  # and at its end


@pytest.mark.parametrize("kind", ["text", "words", "bytes", "code:c"])
def test_spans_are_those_of_the_whole(kind):
    whole = canonicaliser(kind).whole(TEXT)
    count = len(whole.symbols)
    first = np.random.default_rng(1).integers(0, count, 100)
    last = np.minimum(first + np.random.default_rng(2).integers(0, 99, 100), count - 1)
    streamed = StreamedPositions(lambda: canonicaliser(kind).blocks(cut(TEXT, 100)))
    for ours, theirs in zip(streamed.spans(first, last), whole.positions.spans(first, last), strict=True):
        assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize("cuts", [[], [1], [3, 3, 7], [2, 4, 6, 8]])
def test_base_code_is_marked_the_same_piece_by_piece(cuts):
    base = Base([np.array([5, 9], np.uint64)])
    for k, bits in itertools.product([1, 3, 4], range(1 << 8)):
        grams = np.array([5 if bits >> at & 1 else 1 for at in range(8)] + [1, 9], np.uint64)
        count = len(grams) + k - 1
        expected = [
            any(grams[i] in (5, 9) for i in range(max(0, s - k + 1), min(s + 1, 10))) for s in range(count)
        ]
        pieces = np.split(grams, cuts)
        assert np.concatenate(list(base.masks(pieces, k))).tolist() == expected
        assert base.mask(grams, k, count).tolist() == expected
    assert base.mask(np.empty(0, np.uint64), 4, 2).tolist() == [0, 0]  # shorter than a k-gram
