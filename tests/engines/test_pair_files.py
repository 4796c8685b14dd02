"""Pairs on disk in chunks: nothing is lost, and what is made of them does not depend on the chunks."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from copysift.engines import pair_files, phases
from copysift.engines.pair_files import PairWriter, StoredPairs
from copysift.join import lists
from copysift.match.sets import MeasuredPairs, measures
from copysift.settings.corpus import CorpusSettings

DOCUMENTS = 40


def some_pairs(count: int, seed: int = 1, most: int = 91) -> MeasuredPairs:
    chance = np.random.default_rng(seed)
    left, right = np.sort(chance.integers(0, DOCUMENTS, (2, count)), axis=0)
    shared = chance.integers(0, 90, count)
    return measures(left, right, shared, chance.integers(90, most, count), np.full(count, 95))


def same(one: MeasuredPairs, other: MeasuredPairs) -> bool:
    names = [field.name for field in fields(MeasuredPairs)]
    return all((getattr(one, name) == getattr(other, name)).all() for name in names)


@pytest.mark.parametrize("sizes", [[], [0], [3], [5], [2, 0, 9, 1], [4, 4, 4, 4, 1]])
def test_pairs_come_back_in_their_order(tmp_path, monkeypatch, sizes):
    monkeypatch.setattr(pair_files, "CHUNK", 5)
    written = [some_pairs(size, seed, 10**8) for seed, size in enumerate(sizes)]
    with PairWriter(tmp_path / "a.pairs") as file:
        for pairs in written:
            file.write(pairs)
    stored = StoredPairs([tmp_path / "a.pairs"])
    assert len(stored) == sum(sizes)
    assert same(MeasuredPairs.joined([*stored]), MeasuredPairs.joined(written))
    assert all(len(part) < 5 + max(sizes) for part in stored)


@pytest.mark.parametrize("policy", ["component", "representative", "complete"])
def test_clusters_do_not_depend_on_the_parts_in_which_pairs_come(monkeypatch, policy):
    monkeypatch.setattr(phases, "AT_ONCE", 4)
    pairs, settings = some_pairs(60), CorpusSettings(policy=policy)
    first, how = np.arange(DOCUMENTS), np.zeros(DOCUMENTS, np.uint8)
    whole = phases.clustered([pairs], first, how, settings)
    parts = phases.clustered(
        [pairs.take(np.arange(at, at + 3)) for at in range(0, 60, 3)], first, how, settings
    )
    assert 1 < len(set(whole.root.tolist())) < DOCUMENTS
    assert parts.root.tolist() == whole.root.tolist()
    assert parts.joined.tolist() == whole.joined.tolist()


def test_pairs_of_lists_are_the_same_in_small_chunks():
    chance = np.random.default_rng(3)
    hashes = chance.integers(0, 12, 90).astype(np.uint64)
    docs = np.sort(chance.integers(0, 20, 90)).astype(np.uint32)
    sizes, moduli = np.zeros(20, np.uint32), np.ones(20, np.uint32)
    found = lists.lists_of(hashes * lists.SCRAMBLE, docs, moduli, 50, sizes)

    def summed(chunk: int) -> dict[int, int]:
        total: dict[int, int] = {}
        chunks = [*lists.pairs_of(found, chunk)]
        for keys, weights in chunks:
            for key, weight in zip(keys.tolist(), weights.tolist(), strict=True):
                total[key] = total.get(key, 0) + weight
        assert len(chunks) == 1 or chunk < lists.CHUNK
        return total

    assert summed(7) == summed(lists.CHUNK) != {}
