"""Regions of two documents: spans in the sources, lines, and the way for large ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copysift.errors import UsageError
from copysift.match import exact
from copysift.match.exact import (
    line_span,
    line_starts,
    regions,
    runs_among,
    touched_lines,
)
from copysift.model.values import Canonical


class Places:
    """A position map made of two arrays."""

    def __init__(self, starts, ends):
        self.starts = np.array(starts, np.uint32)
        self.ends = np.array(ends, np.uint32)

    def spans(self, first, last):
        return self.starts[first], self.ends[last]


def letters(data):
    """The letters of a source, lower-cased, with their places."""
    kept = [i for i, byte in enumerate(data) if chr(byte).isalpha()]
    symbols = np.array([ord(chr(data[i]).lower()) for i in kept], np.uint8)
    return Canonical(symbols, Places(kept, [i + 1 for i in kept]))


LEFT = b"The quick brown fox\njumps over the lazy dog.\nNothing else.\n"
RIGHT = b"Zzz! Over the  LAZY dog,\n  the quick\n  brown fox.\n"


def spans(source, starts, ends):
    return [source[i:j] for i, j in zip(starts.tolist(), ends.tolist(), strict=True)]


def test_regions_give_spans_of_the_sources_in_order_of_the_left():
    found = regions(letters(LEFT), letters(RIGHT), 6)
    assert spans(LEFT, found.left_starts, found.left_ends) == [b"The quick brown fox", b"over the lazy dog"]
    right = spans(RIGHT, found.right_starts, found.right_ends)
    assert right == [b"the quick\n  brown fox", b"Over the  LAZY dog"]
    assert found.lengths.tolist() == [16, 14]
    assert (found.longest, found.symbols, len(found), found.exact) == (16, 30, 2, True)


def covered_lines(line_starts, starts, ends):
    first, last = line_span(line_starts, starts, ends)
    return int(touched_lines(np.zeros(len(first), np.int64), first, last, 1)[0])


def test_lines_of_each_side_are_counted():
    found = regions(letters(LEFT), letters(RIGHT), 6)
    left, right = line_starts(LEFT), line_starts(RIGHT)
    assert covered_lines(left, found.left_starts, found.left_ends) == 2
    assert covered_lines(right, found.right_starts, found.right_ends) == 3
    first, last = line_span(right, found.right_starts, found.right_ends)
    assert (first.tolist(), last.tolist()) == ([2, 1], [3, 1])


@given(st.binary(max_size=40), st.lists(st.tuples(st.integers(0, 39), st.integers(1, 9)), max_size=6))
def test_covered_lines_are_counted_once(data, pieces):
    data = bytes(10 if byte % 4 == 0 or byte == 13 else byte for byte in data) + b"." * 50
    starts = np.array([i for i, _ in pieces], np.uint32)
    ends = np.array([i + n for i, n in pieces], np.uint32)
    lines = {data[:at].count(b"\n") for i, n in pieces for at in range(i, i + n)}
    assert covered_lines(line_starts(data), starts, ends) == len(lines)


def test_nothing_shared_is_no_region():
    found = regions(letters(b"abcdef"), letters(b"ghijkl"), 3)
    assert (len(found), found.longest, found.symbols) == (0, 0, 0)


@pytest.mark.parametrize("data", [b"", b"a", b"ab"])
def test_a_document_shorter_than_the_noise_threshold_matches_nothing(data):
    assert len(regions(letters(data), letters(b"abab"), 3)) == 0


def test_masked_symbols_never_match():
    left, right = letters(b"abcdefgh"), letters(b"abcdefgh")
    mask = np.array([0, 0, 0, 1, 0, 0, 0, 0], np.uint8)
    assert regions(left, right, 2, mask_left=mask).lengths.tolist() == [3, 4]
    assert regions(left, right, 2, mask_right=mask).lengths.tolist() == [3, 4]


@pytest.mark.parametrize("room", ["SIEVE_ROOM", "SUFFIX_ROOM"])
def test_large_documents_are_matched_by_seeds(monkeypatch, room):
    monkeypatch.setattr(exact, room, 10)
    found = regions(letters(LEFT), letters(RIGHT), 6, 10)
    assert not found.exact
    assert spans(LEFT, found.left_starts, found.left_ends) == [b"The quick brown fox", b"over the lazy dog"]


def test_a_noise_threshold_of_zero_is_a_usage_error():
    with pytest.raises(UsageError):
        regions(letters(b"a"), letters(b"a"), 0)


@pytest.mark.parametrize("room", ["", "SIEVE_ROOM", "SUFFIX_ROOM"])
def test_runs_among_documents_are_the_regions_of_each_pair(monkeypatch, room):
    if room:
        monkeypatch.setattr(exact, room, 40)
    random = np.random.default_rng(3)
    texts = [random.integers(0, 3, random.integers(0, 60)).astype(np.uint8) for _ in range(6)]
    lefts, rights = (each.ravel() for each in np.meshgrid(range(6), range(6)))
    found = runs_among(texts, lefts, rights, 4, 6)
    assert np.all(np.diff(found.pairs) >= 0)
    for number, (a, b) in enumerate(zip(lefts.tolist(), rights.tolist(), strict=True)):
        here = found.pairs == number
        one, other = (
            Canonical(texts[side], Places(*(np.arange(len(texts[side])) + at for at in (0, 1))))
            for side in (a, b)
        )
        expected = regions(one, other, 4, 6)
        columns = (found.left_firsts[here], found.right_firsts[here], found.lengths[here])
        assert sorted(zip(*(each.tolist() for each in columns), strict=True)) == sorted(
            zip(expected.left_starts.tolist(), expected.right_starts.tolist(), expected.lengths.tolist(),
                strict=True)
        )  # fmt: skip


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 30), st.integers(0, 9)), max_size=20))
def test_touched_lines_are_counted_once_for_each_owner(spans):
    owners, first, more = (np.array([span[i] for span in spans], np.int64) for i in range(3))
    found = touched_lines(owners, first, first + more, 5)
    for owner in range(5):
        touched = {line for o, a, n in spans if o == owner for line in range(a, a + n + 1)}
        assert found[owner] == len(touched)
