"""Section 3: the estimators are unbiased. The permutation is the seed; the mean over seeds tells."""

import numpy as np
import pytest

from copysift.fingerprints import FingerprintSettings, fingerprinter
from copysift.fingerprints.shingles import samples, shingle_sets
from copysift.kinds import canonicaliser
from copysift.match.sets import measures, shared_by
from tests.corpus.texts import words

SEEDS = 150
A = words(1500, "a")
B = A[:900] + words(300, "b")  # shares 891 shingles of 10 words


def truth():
    sets = [{tuple(each[at : at + 10]) for at in range(len(each) - 9)} for each in (A, B)]
    shared = len(sets[0] & sets[1])
    return shared / len(sets[0] | sets[1]), shared / len(sets[0])


def packed():
    raw = [" ".join(each).encode() for each in (A, B)]
    return np.frombuffer(b"".join(raw), np.uint8), np.array([0, len(raw[0]), len(raw[0]) + len(raw[1])])


def near(estimates, value):
    error = np.std(estimates) / np.sqrt(len(estimates))
    assert error > 0
    assert abs(np.mean(estimates) - value) < 4 * error


def test_mod_estimates_resemblance_and_containment_without_bias():
    resemblances, containments = [], []
    for seed in range(1, SEEDS + 1):
        sets = shingle_sets(*packed(), 10, seed)
        values, bounds = samples(sets.values, sets.bounds, np.array([25, 25], np.uint32))
        shared = shared_by(values, bounds, np.array([0]), np.array([1]))
        n = np.diff(bounds)
        found = measures(np.array([0]), np.array([1]), shared, n[:1], n[1:])
        resemblances.append(found.resemblance[0])
        containments.append(found.containment_left[0])
    r, c = truth()
    near(resemblances, r)
    near(containments, c)


@pytest.mark.parametrize("scheme", ["min", "adaptive-mod"])
def test_sketches_of_fixed_size_estimate_resemblance_without_bias(scheme):
    canonical = [canonicaliser("words").whole(" ".join(each).encode()) for each in (A, B)]
    estimates = []
    for seed in range(1, SEEDS + 1):
        printer = fingerprinter(FingerprintSettings(scheme, k=10, w=1, size=100, seed=seed))
        one, other = (set(printer.fingerprint([each]).hashes.tolist()) for each in canonical)
        if scheme == "min":
            union = set(sorted(one | other)[:100])
        else:  # both at the coarser of their levels: the largest power of two that divides all of either
            level = max(min(value & -value for value in each) for each in (one, other))
            one, other = ({value for value in each if value % level == 0} for each in (one, other))
            union = one | other
        estimates.append(len(union & one & other) / len(union))
    near(estimates, truth()[0])
