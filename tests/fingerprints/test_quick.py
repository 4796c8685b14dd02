import numpy as np
import pytest

from copysift.fingerprints import FingerprintSettings, fingerprinter
from copysift.fingerprints.smallest import smallest
from copysift.kinds import canonicaliser
from tests.cli.texts import prose


def both(scheme, words=900, **more):
    canonical = canonicaliser("text").whole(prose(7, words).encode())
    settings = FingerprintSettings(scheme=scheme, k=10, w=12, **more)
    return canonical, settings, fingerprinter(settings).fingerprint([canonical])


@pytest.mark.parametrize("scheme", ["robust", "winnow", "open-closed"])
def test_the_smallest_are_those_that_larger_windows_keep(scheme):
    """The least of all k-grams is kept by every window; the order that selects is the order that ranks."""
    canonical, settings, found = both(scheme)
    ranked = smallest(canonical, found.hashes, settings, 10**6)
    assert sorted(ranked.tolist()) == np.unique(found.hashes).tolist()
    whole = FingerprintSettings(scheme=scheme, k=10, w=len(canonical.symbols) - 9)
    (least,) = fingerprinter(whole).fingerprint([canonical]).hashes
    assert ranked[0] == least
    for w in (40, 200, 1000):
        coarser = fingerprinter(FingerprintSettings(scheme=scheme, k=10, w=w)).fingerprint([canonical])
        places = [ranked.tolist().index(value) for value in set(coarser.hashes.tolist())]
        assert np.mean(places) < len(ranked) / 2  # larger windows keep smaller ones


@pytest.mark.parametrize("scheme", ["robust", "winnow", "open-closed"])
def test_a_larger_window_chooses_hashes_that_the_smaller_one_chose_too(scheme):
    canonical, _, found = both(scheme)
    for w in (13, 20, 100):
        coarser = fingerprinter(FingerprintSettings(scheme=scheme, k=10, w=w)).fingerprint([canonical])
        assert set(coarser.hashes.tolist()) < set(found.hashes.tolist())


def test_the_other_schemes_rank_by_the_hash():
    canonical, settings, found = both("mod", modulus=8)
    assert smallest(canonical, found.hashes, settings, 5).tolist() == np.unique(found.hashes)[:5].tolist()
