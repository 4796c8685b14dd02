"""The compiled exact matching equals its readable twin, and tiles keep their promises."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copysift.kernels import _match as compiled
from copysift.kernels.reference import match as reference
from copysift.runtime.mapped import mapped_array

EDITIONS = [compiled, reference]


def u8(values):
    return np.array(values, np.uint8)


def lists(found):
    assert all(column.dtype == np.uint32 for column in found)
    return [column.tolist() for column in found]


def strings(letters, most):
    return [u8(s) for n in range(most + 1) for s in itertools.product(range(letters), repeat=n)]


@pytest.mark.parametrize(("letters", "most"), [(2, 6), (3, 3)])
def test_tiles_equal_twin_on_all_small_pairs(letters, most):
    for a, b in itertools.product(strings(letters, most), repeat=2):
        for k in (1, 2, 3):
            assert lists(compiled.tiles(a, b, k)) == lists(reference.tiles(a, b, k)), (a, b, k)


def test_seed_tiles_equal_twin_on_all_small_pairs():
    for a, b in itertools.product(strings(2, 5), repeat=2):
        for k, stride in ((1, 1), (2, 1), (2, 2), (1, 3)):
            found = compiled.seed_tiles(a, b, k, stride)
            assert lists(found) == lists(reference.seed_tiles(a, b, k, stride)), (a, b, k, stride)


SEQUENCES = st.integers(1, 4).flatmap(lambda letters: st.lists(st.integers(0, letters - 1), max_size=60))
PERIODIC = st.tuples(st.lists(st.integers(0, 2), min_size=1, max_size=4), st.integers(1, 15)).map(
    lambda pair: pair[0] * pair[1]
)
SIDE = st.one_of(
    SEQUENCES, PERIODIC, st.tuples(PERIODIC, SEQUENCES, PERIODIC).map(lambda p: p[0] + p[1] + p[2])
)


def masks(draw, n):
    return draw(st.none() | st.lists(st.sampled_from([0, 0, 0, 0, 1]), min_size=n, max_size=n).map(u8))


@st.composite
def problems(draw):
    a, b = draw(SIDE), draw(SIDE)
    widths = [np.uint8, np.uint32, np.uint64]
    left, right = np.array(a, draw(st.sampled_from(widths))), np.array(b, draw(st.sampled_from(widths)))
    if left.dtype == right.dtype == np.uint64:  # word hashes: large and sparse
        left, right = (side * np.uint64(0x9E3779B97F4A7C15) for side in (left, right))
    return left, right, draw(st.integers(1, 6)), masks(draw, len(a)), masks(draw, len(b))


@pytest.mark.thorough
@settings(max_examples=300)
@given(problems())
def test_tiles_equal_twin(problem):
    assert lists(compiled.tiles(*problem)) == lists(reference.tiles(*problem))


@st.composite
def collections(draw):
    """Sequences of any widths, pairs of them in any order, k, masks."""
    a, b, k, mask_a, mask_b = draw(problems())
    c, d, _, mask_c, mask_d = draw(problems())
    pairs = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=8))
    lefts, rights = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    return [a, b, c, d], lefts, rights, k, [mask_a, mask_b, mask_c, mask_d]


@pytest.mark.thorough
@settings(max_examples=300)
@given(collections(), st.sampled_from([0, 30, 1 << 20]))
def test_tiles_among_equal_twin(problem, room):
    ours, twins = (edition.tiles_among(*problem, room=room) for edition in EDITIONS)
    assert ours[0].tolist() == twins[0].tolist()
    assert lists(ours[1:]) == lists(twins[1:])


def test_tiles_among_small_strings_are_those_of_each_pair():
    rows = strings(2, 5)
    lefts, rights = (each.ravel() for each in np.meshgrid(range(len(rows)), range(len(rows)), indexing="ij"))
    for k in (1, 2, 4, 5):
        counts, *columns = compiled.tiles_among(rows, lefts, rights, k)
        ends = np.cumsum(counts).tolist()
        for a, b, start, end in zip(lefts.tolist(), rights.tolist(), [0, *ends], ends, strict=False):
            found = [column[start:end] for column in columns]
            assert lists(found) == lists(reference.tiles(rows[a], rows[b], k)), (rows[a], rows[b], k)


@pytest.mark.parametrize("edition", EDITIONS)
def test_tiles_among_refuses_what_does_not_fit(edition):
    rows, none, one = [u8([1, 2]), u8([1])], np.zeros(1, np.int64), np.ones(1, np.int64)
    with pytest.raises(IndexError):
        edition.tiles_among(rows, none, one + 1, 1)
    with pytest.raises(IndexError):
        edition.tiles_among(rows, none - 1, one, 1)
    with pytest.raises(ValueError):
        edition.tiles_among(rows, none, np.ones(2, np.int64), 1)
    with pytest.raises(ValueError):
        edition.tiles_among(rows, none, one, 1, [None])
    with pytest.raises(ValueError):
        edition.tiles_among(rows, none, one, 1, [u8([0]), None])
    with pytest.raises(ValueError):
        edition.tiles_among(rows, none, one, 0)


@settings(max_examples=300)
@given(problems(), st.integers(1, 5))
def test_seed_tiles_equal_twin(problem, stride):
    a, b, k, *masks = problem
    ours = compiled.seed_tiles(a, b, k, stride, *masks)
    assert lists(ours) == lists(reference.seed_tiles(a, b, k, stride, *masks))


def cover(starts, lengths, n):
    """How many tiles each symbol is in."""
    counts = np.zeros(n + 1, np.int64)
    np.add.at(counts, starts, 1)
    np.add.at(counts, starts + lengths, -1)
    return np.cumsum(counts)[:n]


def check_promises(a, b, k, found):
    """No overlap; equal; longest first; none can grow into free symbols; no run of k is left."""
    starts_a, starts_b, lengths = (column.astype(np.int64) for column in found)
    in_a, in_b = cover(starts_a, lengths, len(a)), cover(starts_b, lengths, len(b))
    assert in_a.max(initial=0) <= 1
    assert in_b.max(initial=0) <= 1
    assert np.all(lengths >= k)
    assert np.all(np.diff(lengths) <= 0)
    for i, j, n in zip(starts_a.tolist(), starts_b.tolist(), lengths.tolist(), strict=True):
        assert np.array_equal(a[i : i + n], b[j : j + n])
        for x, y in ((i - 1, j - 1), (i + n, j + n)):
            if 0 <= x < len(a) and 0 <= y < len(b) and not in_a[x] and not in_b[y]:
                assert a[x] != b[y]
    assert not grams(a, in_a, k) & grams(b, in_b, k)


def grams(symbols, taken, k):
    data = symbols.tobytes()
    free = np.convolve(taken == 0, np.ones(k), "valid") == k if len(symbols) >= k else []
    return {data[i : i + k] for i in np.flatnonzero(free)}


def low_entropy():
    random = np.random.default_rng(5)
    ones = np.full(20_000, 1, np.uint8)
    noisy = ones.copy()
    noisy[random.integers(0, len(ones), 60)] = 2
    pairs = np.tile(u8([1, 2]), 10_000)
    stairs = u8([s for n in range(190, 0, -1) for s in [1] * n + [2]])
    x, y = b"\1", b"\1\2"
    while len(y) < 20_000:
        x, y = y, y + x
    fibonacci = np.frombuffer(y, np.uint8)
    bits = random.integers(0, 2, (2, 20_000)).astype(np.uint8)
    text = random.integers(0, 26, 20_000).astype(np.uint8)
    moved = np.concatenate([text[i : i + 100] for i in random.permutation(200) * 100])
    return {
        "one letter": (ones, ones[:-7]),
        "one letter with others": (ones, noisy),
        "one letter with others, twice": (np.roll(noisy, 777), noisy),
        "two letters": (pairs, pairs[1:]),
        "ever shorter runs": (ones, stairs),
        "ever longer runs": (stairs[::-1].copy(), noisy),
        "fibonacci": (fibonacci, fibonacci[::-1].copy()),
        "coins": (bits[0], bits[1]),
        "moved blocks": (text, moved),
    }


@pytest.mark.parametrize("name", low_entropy())
@pytest.mark.parametrize("k", [1, 5, 25])
def test_tiles_keep_their_promises_on_low_entropy(name, k):
    a, b = low_entropy()[name]
    check_promises(a, b, k, compiled.tiles(a, b, k))


def test_a_common_run_as_long_as_the_guarantee_is_met_by_seeds():
    random = np.random.default_rng(8)
    k, stride = 10, 7
    for _ in range(300):
        a, b = (random.integers(0, 26, 200).astype(np.uint8) for _ in range(2))
        i, j = random.integers(0, 184, 2)
        a[i : i + 16] = b[j : j + 16] = random.integers(30, 50, 16)
        starts_a, starts_b, lengths = compiled.seed_tiles(a, b, k, stride)
        assert any(
            s <= i and i + 16 <= s + n and t - s == j - i
            for s, t, n in zip(*(c.astype(int) for c in (starts_a, starts_b, lengths)), strict=True)
        )


@pytest.mark.parametrize(
    ("one", "other"), list(itertools.product([np.uint8, np.uint32, np.uint64], repeat=2))
)
def test_seeds_match_symbols_of_any_width(tmp_path, one, other):
    random = np.random.default_rng(3)
    for number in range(20):
        a, b = (random.integers(0, 3, 90).astype(np.uint8) for _ in range(2))
        expected = lists(reference.seed_tiles(a, b, 4, 3))
        mapped = np.memmap(tmp_path / str(number), one, "w+", shape=90)
        mapped[:] = a
        assert lists(compiled.seed_tiles(mapped, b.astype(other), 4, 3, allocate=mapped_array)) == expected


@pytest.mark.parametrize("edition", EDITIONS)
def test_more_shared_symbols_than_room_are_refused(edition):
    a = np.arange(50, dtype=np.uint8)
    b = np.concatenate([a[:20], a[15:]])
    assert edition.tiles(a, b, 5, room=107)[2].tolist() == [35, 15]  # 50 + 55, and one symbol after each
    with pytest.raises(OverflowError):
        edition.tiles(a, b, 5, room=106)
    assert edition.tiles(a, a + np.uint8(100), 5, room=0)[2].tolist() == []


@pytest.mark.parametrize("edition", EDITIONS)
def test_wrong_arguments_are_refused(edition):
    a = u8([1, 2, 3])
    with pytest.raises(ValueError, match="at least 1"):
        edition.tiles(a, a, 0)
    with pytest.raises(ValueError, match="at least 1"):
        edition.seed_tiles(a, a, 1, 0)
    with pytest.raises(ValueError, match="mask"):
        edition.tiles(a, a, 1, u8([0, 0]))
    with pytest.raises(ValueError, match="mask"):
        edition.tiles(a, a, 1, None, u8([0] * 4))


@given(st.lists(st.sampled_from([b"a", b"\n", b"\r\n", b"\r", b"bc\n", b"\x00"]), max_size=20).map(b"".join))
def test_line_starts_equal_twin(data):
    assert compiled.line_starts(data).tolist() == reference.line_starts(data).tolist()


def test_a_large_sequence_that_many_pairs_share_is_read_once():
    random = np.random.default_rng(3)
    large = random.integers(0, 256, 4_000_000, np.uint8)
    other = random.integers(0, 256, 500, np.uint8)
    small = [np.concatenate([large[at : at + 50], other]) for at in range(40)]

    def seconds(pairs, side):
        numbers, zeros = np.arange(1, pairs + 1, dtype=np.uint32), np.zeros(pairs, np.uint32)
        begun = time.thread_time()
        found = compiled.tiles_among(
            [large, *small], *((zeros, numbers) if side else (numbers, zeros)), 30, None, 1 << 23
        )
        assert found[0].tolist() == [1] * pairs
        return time.thread_time() - begun

    for side in (0, 1):  # each of the 40 pairs cost as much as the first
        assert min(seconds(40, side) for _ in range(3)) < 8 * min(seconds(1, side) for _ in range(3))
