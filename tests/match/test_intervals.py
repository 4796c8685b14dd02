"""Intervals of sampled measures: formulas, what is exact, and how often they hold."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import copysift
from copysift.fingerprints import FingerprintSettings, fingerprinter
from copysift.kinds.text import Text
from copysift.match.intervals import Sampling, ends, sampling_of, wilson
from copysift.model.intervals import Interval

WORDS = [f"{one}{two}{three}" for one in "bdfgklmn" for two in "aeiou" for three in ("r", "st", "nd", "lk")]


def page(words: int, seed: int) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=words))


def edited(text: str, share: float, seed: int) -> str:
    chance = random.Random(seed)
    return " ".join(chance.choice(WORDS) if chance.random() < share else word for word in text.split())


def test_wilsons_interval_is_that_of_the_paper():
    low, high = wilson(np.array([0.5, 1.0, 0.0]), np.array([10.0, 10.0, 10.0]))
    assert low == pytest.approx([0.2366, 0.7225, 0.0], abs=1e-4)
    assert high == pytest.approx([0.7634, 1.0, 0.2775], abs=1e-4)


def test_a_bias_moves_only_the_upper_end_and_as_far_as_differences_can_hide():
    columns = [np.array([each]) for each in (800, 0.8 / 1.2, 0.8, 0.8)]
    plain, moved = ends(Sampling(), *columns)[0], ends(Sampling(hidden=0.2), *columns)[0]
    assert moved[:, 0] == pytest.approx(plain[:, 0])
    c = moved[1, 1]
    assert c - 0.2 * (1 - c) == pytest.approx(plain[1, 1])
    r = moved[0, 1]
    assert (r - 0.1 * (1 - r)) / (1 + 0.1 * (1 - r)) == pytest.approx(plain[0, 1])


@pytest.mark.parametrize(
    ("scheme", "k", "w", "modulus"), [("all", 25, 26, 0), ("robust", 25, 1, 0), ("mod", 25, 26, 1)]
)
def test_a_scheme_that_keeps_every_k_gram_has_no_interval(scheme, k, w, modulus):
    assert sampling_of(scheme, k, w, modulus) is None


@pytest.mark.parametrize("scheme", ["robust", "open-closed", "mod"])
def test_intervals_hold_the_value_of_all_k_grams(scheme):
    k, w = 25, 26
    sampling = sampling_of(scheme, k, w, 0)
    makers = [fingerprinter(FingerprintSettings(scheme=each, k=k, w=w)) for each in (scheme, "all")]
    held = 0
    for seed in range(40):
        text = page(400, seed)
        other = edited(text, 0.005 + 0.002 * seed, seed)
        found = []
        for maker in makers:
            one, two = (
                np.unique(maker.fingerprint([Text().whole(each.encode())], spans=False).hashes)
                for each in (text, other)
            )
            s = len(np.intersect1d(one, two))
            found.append((s, s / (len(one) + len(two) - s), s / len(one), s / len(two)))
        sampled, exact = found
        (rows,) = ends(sampling, *(np.array([value]) for value in sampled))
        held += sum(low <= value <= high for (low, high), value in zip(rows, exact[1:], strict=True))
    assert held >= 0.93 * 3 * 40


def test_pairs_of_a_scan_have_intervals_and_exact_ones_have_none():
    text = page(400, 1)
    files = [("a", text), ("b", edited(text, 0.05, 2))]
    (sampled,) = copysift.scan(files, kind="text").pairs
    (exact,) = copysift.scan(files, kind="text", scheme="all").pairs
    assert exact.intervals is None
    for measure in ("resemblance", "containment_left", "containment_right"):
        low, high = getattr(sampled.intervals, measure)
        assert low < getattr(exact, measure) < high
        assert low <= getattr(sampled, measure) <= high


def test_short_files_are_compared_by_all_k_grams_and_have_no_interval():
    text = page(20, 1)
    (pair,) = copysift.scan([("a", text), ("b", text[: len(text) // 2 + 20] + page(8, 3))], kind="text").pairs
    assert pair.intervals is None


def test_equal_texts_have_no_interval():
    text = page(400, 1)
    (pair,) = copysift.scan([("a", text), ("b", text)], kind="text").pairs
    assert pair.equal
    assert pair.intervals is None


@pytest.mark.parametrize("scheme", ["min", "adaptive-mod"])
def test_sketches_have_intervals(scheme):
    text = page(2000, 1)
    (pair,) = copysift.scan([("a", text), ("b", edited(text, 0.01, 2))], kind="text", scheme=scheme).pairs
    low, high = pair.intervals.resemblance
    assert low < pair.resemblance < high
    assert high - low == pytest.approx(
        2 * 1.96 * math.sqrt(pair.resemblance * (1 - pair.resemblance) / 100), abs=0.1
    )


def test_a_sketch_of_all_k_grams_is_exact():
    text = page(100, 1)
    files = [("a", text), ("b", edited(text, 0.02, 2))]
    (pair,) = copysift.scan(files, kind="text", scheme="min", sketch=10_000).pairs
    assert pair.intervals is None


def test_hits_of_an_index_have_intervals_and_quick_ones_wider(tmp_path):
    text = page(1000, 1)
    with copysift.Index(tmp_path / "index.sift") as index:
        index.add([("b", edited(text, 0.06, 2))])
        (whole,) = index.query(text, text=True)
        (quick,) = index.query(text, text=True, quick=20)
    for hit in (whole, quick):
        assert hit.intervals.containment_left.low < hit.containment_left < hit.intervals.containment_left.high

    def width(interval: Interval) -> float:
        return interval.high - interval.low

    assert width(quick.intervals.containment_left) > 2 * width(whole.intervals.containment_left)


def test_estimates_of_a_run_have_intervals_and_measured_pairs_have_none():
    text = page(2000, 1)
    records = [{"id": "a", "text": text}, {"id": "b", "text": edited(text, 0.02, 2)}]
    estimated = copysift.cluster(records, estimate=True)
    measured = copysift.cluster(records)
    assert estimated.pairs[0].intervals is not None
    assert measured.pairs[0].intervals is None
    low, high = estimated.pairs[0].intervals.resemblance
    assert low < measured.pairs[0].resemblance < high
