"""A list in parts gives the pairs of the whole list."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from copysift import kernels
from copysift.join import heavy


def pairs_of_parts(docs, own, cuts):
    parts = [(docs[a:b], own[a:b]) for a, b in itertools.pairwise([0, *cuts, len(docs)]) if a < b]
    seen = heavy.looks([heavy.summary(*part) for part in parts])
    found = [heavy.few_pairs(*part, look) for part, look in zip(parts, seen, strict=False)]
    return seen, np.unique(np.concatenate([np.zeros(0, np.uint64), *found])).tolist()


def pairs_of_whole(docs, own):
    given = (docs.astype(np.uint32), own.astype(np.uint8), np.zeros(1, np.int64), np.array([len(docs)]))
    return np.unique(kernels.lists.few_pairs(*given)).tolist()


def test_every_way_to_cut_a_short_list_gives_its_pairs():
    for length in range(2, 7):
        docs = np.arange(length) * 1_000_003 + 7
        for marks in itertools.product([False, True], repeat=length):
            own = np.array(marks)
            for cuts in itertools.chain.from_iterable(
                itertools.combinations(range(1, length), some) for some in range(length)
            ):
                seen, found = pairs_of_parts(docs, own, cuts)
                assert found == (pairs_of_whole(docs, own) if own.any() else [])
                assert all(look.size == length and look.head == docs[0] for look in seen)


@given(
    entries=st.dictionaries(st.integers(0, 2**32 - 1), st.booleans(), min_size=2, max_size=60),
    cuts=st.lists(st.integers(0, 60), max_size=8),
)
def test_a_list_cut_anywhere_gives_its_pairs(entries, cuts):
    docs = np.array(sorted(entries))
    own = np.array([entries[doc] for doc in docs.tolist()])
    found = pairs_of_parts(docs, own, sorted(min(cut, len(docs)) for cut in cuts))[1]
    assert found == (pairs_of_whole(docs, own) if own.any() else [])
