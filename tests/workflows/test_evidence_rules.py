"""What counts as evidence: many copies, few fingerprints, one long passage."""

from __future__ import annotations

import random

import pytest

import copysift


@pytest.fixture
def folder(tmp_path):
    def make(texts):
        for number, text in enumerate(texts):
            (tmp_path / f"{number}.txt").write_text(text)
        return tmp_path

    return make


def prose(rng: random.Random, words: int) -> str:
    return " ".join("".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(words))


def test_a_hundred_versions_of_one_text_are_all_found_alike(folder):
    rng = random.Random(1)
    text = prose(rng, 300)
    found = copysift.scan(folder(f"{text} {prose(rng, 15)}" for _ in range(100)))
    assert len(found.pairs) == 100 * 99 // 2
    assert min(pair.similarity for pair in found.pairs) > 0.7


def test_files_whose_text_too_many_share_are_named_and_not_silently_unlike(folder):
    rng = random.Random(2)
    text = prose(rng, 300)
    path = folder(f"{text} {prose(rng, 60)}" for _ in range(12))
    found = copysift.scan(path, max_shared=10)
    assert not found.pairs
    assert not found.skipped
    (note,) = found.notes
    assert note.startswith("12 files")
    assert "--max-shared 12" in note
    assert len(copysift.scan(path, max_shared=12).pairs) == 66


def test_two_short_files_that_differ_in_case_are_found(folder):
    found = copysift.scan(
        folder(["One sentence about the weather of today.", "one sentence, about THE weather of today"])
    )
    assert [pair.similarity for pair in found.pairs] == [1.0]


def test_one_passage_of_the_guarantee_threshold_is_found_by_its_length(folder):
    rng = random.Random(3)
    passage = prose(rng, 9)
    path = folder(f"{prose(rng, 500)} {passage} {prose(rng, 500)}" for _ in range(2))
    assert not copysift.scan(path).pairs
    assert len(copysift.scan(path, min_match=50).pairs) == 1
    assert len(copysift.scan(path, threshold=0).pairs) == 1
    assert not copysift.scan(path, threshold=0, min_shared=5).pairs
