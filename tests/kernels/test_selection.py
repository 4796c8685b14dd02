from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copysift.kernels import _selection as compiled
from copysift.kernels.reference import selection as reference
from tests import strategies
from tests.kernels.remembered import Remembered

twins = Remembered(reference)
FIGURE_2 = np.array([77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98], np.uint64)


ABLE = {"avx2": compiled.has_avx2(), "vector": compiled.has_vector(), "portable": True}


def use(edition: str) -> None:
    if edition == "vector":
        compiled.use_vector(True)
    else:
        compiled.use_avx2(edition == "avx2")


@pytest.fixture(params=ABLE)
def edition(request: pytest.FixtureRequest):
    if not ABLE[request.param]:
        pytest.skip(f"this processor has no {request.param}")
    use(request.param)
    yield request.param
    compiled.use_avx2(True)


def in_every_edition(check) -> None:
    for each in ABLE:
        if ABLE[each]:
            use(each)
            check()
    compiled.use_avx2(True)


@pytest.mark.parametrize("kernel", [compiled, reference])
def test_figure_2_of_the_winnowing_paper(kernel):
    for robust in (False, True):
        assert list(kernel.minima(FIGURE_2, 4, robust)) == [3, 6, 8, 11, 15]


def test_minima_equal_the_twin_on_every_small_sequence():
    for length in range(8):
        for values in itertools.product((1, 2, 3), repeat=length):
            array = np.array(values, np.uint64)
            for w, robust in itertools.product(range(1, 6), (False, True)):
                assert (
                    compiled.minima(array, w, robust).tolist() == reference.minima(array, w, robust).tolist()
                )


def test_winnow_equals_the_twin_on_every_small_text(edition):
    for length in range(9):
        for values in itertools.product((0, 1), repeat=length):
            array = np.array(values, np.uint8)
            for k, w, robust in itertools.product((1, 2, 3), (1, 2, 3, 4), (False, True)):
                ours, twin = compiled.winnow(array, k, w, 0, robust), twins.winnow(array, k, w, 0, robust)
                assert ours[0].tolist() == twin[0].tolist()
                assert ours[1].tolist() == twin[1].tolist()


@pytest.mark.parametrize("width", [np.uint8, np.uint32])
@pytest.mark.parametrize(("k", "w"), [(8, 5), (9, 12), (12, 20)])
def test_texts_that_repeat_themselves_equal_the_twin(edition, k, w, width):
    for period, changed, robust in itertools.product((1, 2, 3, 7, w - 1, w), range(0, 90, 4), (False, True)):
        text = np.resize(np.arange(period, dtype=width) % 5 + 97, 80)
        if changed < len(text):  # the others repeat to the end
            text[changed] = 120
        for inner in (0, 4):
            ours = compiled.winnow(text, k, w, 0, robust, inner)
            twin = twins.winnow(text, k, w, 0, robust, inner)
            assert [part.tolist() for part in ours] == [part.tolist() for part in twin], (period, changed)


@given(strategies.symbols(), st.integers(1, 40), strategies.seeds)
def test_hashes_and_orders_equal_the_twin(symbols, k, seed):
    hashes = reference.hashes(symbols, k, seed).tolist()
    orders = [reference.orders(symbols, k, seed, inner).tolist() for inner in range(min(4, k) + 1)]

    def check():
        assert compiled.hashes(symbols, k, seed).tolist() == hashes
        for inner, twin in enumerate(orders):
            assert compiled.orders(symbols, k, seed, inner).tolist() == twin

    in_every_edition(check)


@given(
    strategies.symbols(), st.integers(1, 30), st.integers(1, 40), st.integers(0, 4), strategies.seeds,
    st.booleans(), st.booleans(), st.booleans(),
)  # fmt: skip
def test_winnow_equals_the_twin(symbols, k, w, inner, seed, robust, resumed, whole):
    inner = min(inner, k)
    twin = reference.winnow(symbols, k, w, seed, robust, inner, resumed, whole)

    def check():
        ours = compiled.winnow(symbols, k, w, seed, robust, inner, resumed, whole)
        assert ours[0].tolist() == twin[0].tolist()
        assert ours[1].tolist() == twin[1].tolist()

    in_every_edition(check)


def test_winnow_equals_the_twin_where_windows_hold_equal_k_grams(edition):
    """Texts of a few repeated words: equal smallest k-grams within a window, away from the last choice."""
    for case in range(300):
        rng = np.random.default_rng(case)
        words = [rng.integers(0, 26, int(rng.integers(4, 16))) for _ in range(int(rng.integers(2, 5)))]
        text = np.concatenate([words[i] for i in rng.integers(0, len(words), 30)]).astype(np.uint8)
        k, w, inner = int(rng.integers(2, 14)), int(rng.integers(8, 60)), int(rng.choice([0, 0, 2]))
        ours, twin = (kernel.winnow(text, k, w, case, True, inner) for kernel in (compiled, twins))
        assert ours[0].tolist() == twin[0].tolist(), (case, k, w)


@given(strategies.symbols(), st.integers(1, 12), st.integers(1, 9), st.integers(1, 12), st.integers(0, 20))
def test_sample_equals_the_twin(symbols, k, modulus, skip, start):
    ours = compiled.sample(symbols, k, modulus, 7, skip, start)
    twin = reference.sample(symbols, k, modulus, 7, skip, start)
    assert [part.tolist() for part in ours[:2]] == [part.tolist() for part in twin[:2]]
    assert ours[2] == twin[2]


@pytest.mark.parametrize(
    ("k", "w", "inner"), [(50, 100, 0), (20, 20, 0), (8, 5, 0), (25, 26, 4), (50, 100, 4)]
)
@pytest.mark.parametrize("letters", [1, 2, 26])
def test_editions_and_chunks_agree_on_long_texts(k, w, inner, letters):
    text = np.random.default_rng(letters).integers(97, 97 + letters, 100_000).astype(np.uint8)
    compiled.use_avx2(False)
    plain = compiled.winnow(text, k, w, 3, True, inner)

    def check():
        fast = compiled.winnow(text, k, w, 3, True, inner)
        assert np.array_equal(plain[0], fast[0])
        assert np.array_equal(plain[1], fast[1])

    in_every_edition(check)
    fast = plain
    keys = compiled.orders(text, k, 3, inner).astype(np.uint64) << np.uint64(32)
    if letters == 26:  # no ties in 32 bits here, so the order alone decides
        assert np.array_equal(compiled.minima(keys, w), fast[0])
    assert np.array_equal(compiled.hashes(text, k, 3)[fast[0]], fast[1])


@pytest.mark.parametrize("w", [8, 9, 10, 12])
def test_windows_of_k_grams_that_are_neither_open_nor_closed(edition, w):
    """Long k-grams and short windows: most have no candidate better than one of the rest."""
    text = np.random.default_rng(w).integers(97, 123, 1_000_000).astype(np.uint8)
    ours = compiled.winnow(text, 60, w, 0, True, 4)[0]
    orders, hashes = compiled.orders(text, 60, 0, 4), compiled.hashes(text, 60)
    ranked = np.empty(len(orders), np.uint64)
    ranked[np.lexsort((hashes, orders))] = np.arange(len(orders))  # random text: no two k-grams are equal
    assert np.array_equal(ours, compiled.minima(ranked, w))


def test_the_width_of_symbols_does_not_matter():
    text = np.random.default_rng(5).integers(0, 256, 5000)
    results = [compiled.winnow(text.astype(width), 20, 20) for width in strategies.WIDTHS]
    for places, hashes in results[1:]:
        assert np.array_equal(places, results[0][0])
        assert np.array_equal(hashes, results[0][1])


def test_texts_of_other_widths_and_rules_in_between_change_nothing():
    symbols = np.random.default_rng(3).integers(0, 200, 900)
    calls = [
        (kind, *rule) for kind in (np.uint8, np.uint32, np.uint64) for rule in ((8, 5), (25, 26), (3, 40))
    ]
    expected = [[each.tolist() for each in reference.winnow(symbols.astype(kind), k, w, 7, True, 1)]
                for kind, k, w in calls]  # fmt: skip
    for at in [*range(9), *range(9)[::-1], *range(0, 9, 3), *range(0, 9, 3)]:
        kind, k, w = calls[at]
        found = compiled.winnow(symbols.astype(kind), k, w, 7, True, 1)
        assert [each.tolist() for each in found] == expected[at], calls[at]


def test_another_seed_gives_other_hashes_and_other_choices():
    text = np.random.default_rng(5).integers(97, 123, 5000).astype(np.uint8)
    one, two = compiled.winnow(text, 20, 20, 1), compiled.winnow(text, 20, 20, 2)
    assert not set(one[1].tolist()) & set(two[1].tolist())
    assert one[0].tolist() != two[0].tolist()


def test_equal_orders_of_different_k_grams_are_told_apart_by_content():
    """A forced tie: with all orders equal, the choice must follow the hash, not history."""
    text = np.random.default_rng(9).integers(0, 4, 400).astype(np.uint8)
    for w in (3, 10, 30):
        places, hashes = reference.winnow(text, 5, w)
        assert compiled.winnow(text, 5, w)[0].tolist() == places.tolist()
        assert hashes.tolist() == compiled.hashes(text, 5)[places].tolist()


def test_hash_values_spread_evenly():
    """Chi-square over 256 cells of every byte of the hash: 3 sigma at most around 255."""
    text = np.random.default_rng(11).integers(97, 123, 500_000).astype(np.uint8)
    hashes = np.unique(compiled.hashes(text, 12))
    for byte in range(8):
        cells = np.bincount((hashes >> np.uint64(8 * byte)).astype(np.uint8), minlength=256)
        expected = len(hashes) / 256
        assert ((cells - expected) ** 2 / expected).sum() < 255 + 5 * (2 * 255) ** 0.5


def test_every_symbol_affects_every_bit_of_the_hash():
    rng = np.random.default_rng(12)
    flips = np.zeros((10, 64))
    for _ in range(200):
        gram = rng.integers(97, 123, 10).astype(np.uint8)
        before = int(compiled.hashes(gram, 10)[0])
        for place in range(10):
            changed = gram.copy()
            changed[place] ^= 1
            difference = before ^ int(compiled.hashes(changed, 10)[0])
            flips[place] += [(difference >> bit) & 1 for bit in range(64)]
    assert flips.min() > 60
    assert flips.max() < 140


def test_empty_and_short_texts_have_no_k_grams():
    for size in range(5):
        places, hashes = compiled.winnow(np.zeros(size, np.uint8), 5, 3)
        assert len(places) == len(hashes) == 0
    assert len(compiled.winnow(np.zeros(5, np.uint8), 5, 3)[0]) == 1
