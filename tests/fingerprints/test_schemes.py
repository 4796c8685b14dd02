from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from copysift.errors import UsageError
from copysift.fingerprints import FingerprintSettings, fingerprinter, learn_anchors
from copysift.model.values import Canonical
from tests import strategies

GUARANTEED = ("robust", "winnow", "open-closed", "safe-mod", "all")
SCHEMES = (*GUARANTEED, "mod", "min", "adaptive-mod", "anchor")
KINDS_OF_TEXT = ("random", "periodic", "two letters", "one letter")


class Places:
    """Every symbol stands at its own number: the plainest position map."""

    def __init__(self, first: int, count: int) -> None:
        self.starts = np.arange(first, first + count, dtype=np.uint32)
        self.ends = self.starts + 1

    def spans(self, first, last):
        return self.starts[first], self.ends[last]


def canonical(symbols, first: int = 0) -> Canonical:
    return Canonical(np.asarray(symbols), Places(first, len(symbols)))


def settings(scheme: str, k: int = 12, w: int = 10, **others) -> FingerprintSettings:
    return FingerprintSettings(
        scheme, k, w, **{"anchors": (b"a", b"be"), "inner": min(4, max(1, k - 2)), **others}
    )


def run(symbols, scheme: str, k: int = 12, w: int = 10, **others):
    return fingerprinter(settings(scheme, k, w, **others)).fingerprint([canonical(symbols)])


def text(kind: str, size: int, rng) -> np.ndarray:
    letters = {"random": 26, "periodic": 26, "two letters": 2, "one letter": 1}[kind]
    made = rng.integers(97, 97 + letters, size if kind != "periodic" else int(rng.integers(1, 9)))
    return np.resize(made, size).astype(np.uint8)


@pytest.mark.parametrize("kind", KINDS_OF_TEXT)
@pytest.mark.parametrize("scheme", GUARANTEED)
def test_a_shared_run_of_the_guarantee_threshold_shares_a_fingerprint(scheme, kind):
    for seed in range(150):
        rng = np.random.default_rng(seed)
        k, w = int(rng.integers(3, 30)), int(rng.integers(1, 40))
        passage = text(kind, w + k - 1, rng)
        documents = [
            np.concatenate([text(kind, before, rng), passage, text(kind, after, rng)])
            for before, after in rng.integers(0, 150, (2, 2)).tolist()
        ]
        left, right = (run(document, scheme, k, w, seed=seed) for document in documents)
        assert set(left.hashes.tolist()) & set(right.hashes.tolist()), (seed, k, w)


@pytest.mark.parametrize("scheme", SCHEMES)
@given(data=st.data())
def test_nothing_shorter_than_the_noise_threshold_ever_matches(scheme, data):
    """Two texts that share no k-gram share no fingerprint."""
    left, right = data.draw(strategies.symbols(120)), data.draw(strategies.symbols(120))
    k = data.draw(st.integers(3, 12))
    grams = [{tuple(s[i : i + k].tolist()) for i in range(len(s) - k + 1)} for s in (left, right)]
    assume(not grams[0] & grams[1])
    found = [set(run(s, scheme, k, 4).hashes.tolist()) for s in (left, right)]
    assert not found[0] & found[1]


@pytest.mark.parametrize("scheme", SCHEMES)
@given(data=st.data())
def test_the_answer_does_not_depend_on_where_blocks_are_cut(scheme, data):
    symbols = data.draw(strategies.symbols(400))
    k, w = data.draw(st.integers(3, 20)), data.draw(st.integers(1, 30))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(symbols)), max_size=6)))
    edges = [0, *cuts, len(symbols)]
    blocks = [canonical(symbols[a:b], a) for a, b in itertools.pairwise(edges)]
    make = fingerprinter(settings(scheme, k, w, size=20, overlap=data.draw(st.booleans()), modulus=3))
    whole, cut = make.fingerprint([canonical(symbols)]), make.fingerprint(blocks)
    assert cut.hashes.tolist() == whole.hashes.tolist()
    assert cut.starts.tolist() == whole.starts.tolist()
    assert cut.ends.tolist() == whole.ends.tolist()
    assert cut.grams == whole.grams


@pytest.mark.parametrize("scheme", SCHEMES)
def test_spans_hold_the_k_gram_of_each_hash_in_order(scheme):
    symbols = text("random", 3000, np.random.default_rng(3))
    found = run(symbols, scheme)
    judge = run(symbols, "all")
    assert len(found.hashes) > 5
    assert (np.diff(found.starts.astype(int)) > 0).all()
    assert (found.ends - found.starts == 12).all()
    assert found.hashes.tolist() == judge.hashes[found.starts].tolist()
    assert found.grams == len(judge.hashes) == 3000 - 11


@pytest.mark.parametrize("scheme", ["robust", "winnow", "open-closed", "mod", "safe-mod", "all"])
def test_permuting_adding_and_removing_paragraphs_leaves_the_matches_of_the_rest(scheme):
    """§2.1: every fingerprint chosen well inside a paragraph is chosen wherever the paragraph stands."""
    rng = np.random.default_rng(4)
    k, w = 12, 10
    paragraphs = [text("random", 300, rng) for _ in range(6)]
    inner = [set(run(p, scheme, k, w).hashes[w:-w].tolist()) for p in paragraphs]
    for order in ([0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4], [2, 0], [4]):
        whole = set(run(np.concatenate([paragraphs[i] for i in order]), scheme, k, w).hashes.tolist())
        for i in order:
            assert inner[i] <= whole


def test_a_coarser_window_chooses_a_subset_of_positions_with_winnow():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        symbols = text(KINDS_OF_TEXT[seed % 4], 600, rng)
        for fine, coarse in ((1, 2), (5, 8), (10, 40)):
            a, b = run(symbols, "winnow", 5, fine), run(symbols, "winnow", 5, coarse)
            assert set(b.starts.tolist()) <= set(a.starts.tolist())


def test_a_coarser_window_chooses_a_subset_of_hash_values_with_robust():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        symbols = text(KINDS_OF_TEXT[seed % 4], 600, rng)
        for scheme in ("robust", "open-closed"):
            for fine, coarse in ((1, 2), (5, 8), (10, 40)):
                a, b = run(symbols, scheme, 5, fine), run(symbols, scheme, 5, coarse)
                assert set(b.hashes.tolist()) <= set(a.hashes.tolist())


@pytest.mark.parametrize("scheme", ["robust", "open-closed"])
def test_a_coarser_window_chooses_a_subset_of_hash_values_in_every_short_text(scheme):
    """All texts of two and three letters: what queries with --window rest on, for the default too."""
    for letters, size in ((2, 11), (3, 8)):
        for text in itertools.product(range(97, 97 + letters), repeat=size):
            symbols = np.array(text, np.uint8)
            found = [set(run(symbols, scheme, 3, w, inner=1).hashes.tolist()) for w in range(1, 8)]
            assert all(coarse <= fine for fine, coarse in itertools.pairwise(found)), text


@pytest.mark.parametrize("k", [1, 2])
def test_k_grams_without_a_middle_are_neither_open_nor_closed(k):
    symbols = text("two letters", 300, np.random.default_rng(k))
    found, robust = run(symbols, "open-closed", k, 5, inner=4), run(symbols, "robust", k, 5)
    assert found.starts.tolist() == robust.starts.tolist()
    assert found.hashes.tolist() == robust.hashes.tolist()


def test_short_k_grams_have_shorter_inner_ones():
    symbols = text("random", 2000, np.random.default_rng(9))
    found, shorter = (run(symbols, "open-closed", 4, 9, inner=inner) for inner in (4, 2))
    assert found.starts.tolist() == shorter.starts.tolist()
    assert found.starts.tolist() != run(symbols, "robust", 4, 9).starts.tolist()


def test_robust_winnowing_picks_one_in_w_of_a_single_letter():
    found = run(np.full(10_011, 48, np.uint8), "robust", 12, 100)
    assert len(found.hashes) == 100
    assert set(np.diff(found.starts).tolist()) == {100}
    assert len(run(np.full(10_011, 48, np.uint8), "winnow", 12, 100).hashes) == 9901


def test_density_on_random_text_is_two_in_w_plus_one():
    symbols = text("random", 8 << 20, np.random.default_rng(2003))
    for scheme in ("winnow", "robust"):
        found = run(symbols, scheme, 50, 100)
        assert len(found.hashes) / found.grams == pytest.approx(2 / 101, rel=0.01)
    assert len(run(symbols, "open-closed", 50, 100).hashes) / found.grams < 0.85 * 2 / 101


def test_mod_keeps_one_in_p_and_safe_mod_as_the_paper_says():
    symbols = text("random", 400_000, np.random.default_rng(8))
    found = run(symbols, "mod", 50, 100, modulus=50)
    assert len(found.hashes) / found.grams == pytest.approx(1 / 50, rel=0.05)
    assert not (found.hashes % np.uint64(50)).any()
    w = 100
    safe = run(symbols, "safe-mod", 50, w)
    assert len(safe.hashes) / safe.grams == pytest.approx((1 + np.log(w)) / w, rel=0.06)
    gaps = np.diff(safe.starts.astype(int))
    assert gaps.max() <= w


def test_fingerprints_of_mod_without_overlap_do_not_overlap():
    symbols = np.full(500, 95, np.uint8)
    for seed in range(50):
        found = run(symbols, "mod", 12, 10, modulus=2, overlap=False, seed=seed)
        if len(found.hashes):
            assert (np.diff(found.starts.astype(int)) == 12).all()
            assert len(run(symbols, "mod", 12, 10, modulus=2, seed=seed).hashes) == 489
            break
    else:
        raise AssertionError("no seed selected the gram")


def test_min_keeps_the_s_smallest_distinct_hashes():
    symbols = np.tile(text("random", 700, np.random.default_rng(6)), 3)
    judge = np.unique(run(symbols, "all").hashes)
    assert sorted(run(symbols, "min", size=64).hashes.tolist()) == judge[:64].tolist()
    assert len(run(symbols, "min", size=10**6).hashes) == len(judge)


def test_adaptive_mod_keeps_between_half_and_all_of_its_size_and_levels_nest():
    rng = np.random.default_rng(14)
    for size in (300, 3_000, 30_000, 300_000):
        found = run(text("random", size, rng), "adaptive-mod", size=100)
        assert 25 <= len(found.hashes) <= 100
        level = int(np.bitwise_or.reduce(found.hashes))
        assert (level & -level) >= size // 400  # all divisible by about 2^i


@pytest.mark.parametrize("modulus", [7, 16, 24])
def test_adaptive_mod_keeps_at_most_one_k_gram_in_a_modulus_that_is_given(modulus):
    symbols = text("random", 2000, np.random.default_rng(15))
    few = run(symbols, "adaptive-mod", size=10_000, modulus=modulus).hashes
    every = run(symbols, "all").hashes
    assert sorted(few.tolist()) == sorted(every[every % modulus == 0].tolist())
    fewer = run(symbols, "adaptive-mod", size=len(few) - 1, modulus=modulus).hashes
    assert set(fewer.tolist()) == {each for each in few.tolist() if each % (2 * modulus) == 0}


def test_anchors_are_learned_quite_common_and_found_everywhere():
    rng = np.random.default_rng(15)
    words = [bytes(rng.integers(97, 123, int(rng.integers(3, 8))).astype(np.uint8)) for _ in range(400)]
    corpus = [canonical(np.frombuffer(b"".join(rng.choice(words, 3000)), np.uint8)) for _ in range(3)]
    anchors = learn_anchors(corpus, length=4, density=1 / 100)
    found = run(corpus[0].symbols, "anchor", anchors=anchors)
    assert 1 / 300 < len(found.hashes) / found.grams < 1 / 40
    source = corpus[0].symbols.tobytes()
    assert {source[start : start + 4] for start in found.starts.tolist()} <= set(anchors)
    assert learn_anchors([]) == ()


@pytest.mark.parametrize(
    "wrong",
    [{"k": 0}, {"w": 0}, {"w": 9000}, {"modulus": -1}, {"seed": -1}, {"size": 0}, {"scheme": "best"},
     {"scheme": "open-closed", "inner": 5}, {"scheme": "anchor"},
     {"scheme": "anchor", "anchors": (b"",)}],
)  # fmt: skip
def test_wrong_settings_are_refused_with_a_message(wrong):
    with pytest.raises(UsageError, match=r"\w"):
        fingerprinter(FingerprintSettings(**wrong))
