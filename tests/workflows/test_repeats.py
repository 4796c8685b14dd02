import random

import numpy as np
import pytest

import copysift
from copysift.match.repeats import again, match_shares


def words(chance, count):
    return "".join(chance.choice("abcdefghij") for _ in range(count))


def passage(chance, length):
    """A run of characters that repeats itself more or less, with a period of its own."""
    period = chance.choice([1, 2, 3, 7, 26, 27, 30, 60, 100, 150, 500])
    piece = words(chance, period)
    return (piece * (length // period + 1))[:length]


def test_every_occurrence_after_the_first_is_a_hash_of_its_own():
    hashes = np.array([5, 9, 5, 5, 7, 9], np.uint64)
    found = again(hashes, 100)
    assert len(found) == len(set(found.tolist())) == 3
    assert set(again(np.array([9, 5, 9], np.uint64), 100).tolist()) < set(found.tolist())
    assert len(again(hashes, 2)) == 2
    assert len(again(hashes[:0], 5)) == 0


def test_the_number_is_that_of_whole_windows():
    limits = {"text": (25, 50)}.get
    assert match_shares(200, ["text"], limits, 1) == 5
    assert match_shares(50, ["text"], limits, 1) == 1
    assert match_shares(10, ["text"], limits, 1) == 1


@pytest.mark.parametrize("scheme", ["robust", "winnow", "open-closed"])
def test_every_pair_with_a_match_of_that_length_is_found_even_where_it_repeats_itself(tmp_path, scheme):
    chance = random.Random(f"repeats {scheme}")
    for number in range(40):
        shared = passage(chance, 200)
        folder = tmp_path / str(number)
        folder.mkdir()
        for name in ("a", "b"):
            before, after = (words(chance, chance.randint(1500, 3000)) for _ in range(2))
            (folder / f"{name}.txt").write_text(f"{before}{shared}{after}")
        (folder / "c.txt").write_text(words(chance, 3000))
        found = copysift.scan(folder, min_match=200, threshold=0.9, scheme=scheme)
        assert [(pair.left[-5:], pair.right[-5:]) for pair in found.pairs] == [("a.txt", "b.txt")], shared[
            :200
        ]


def test_nothing_to_compare_gives_nothing(tmp_path):
    (tmp_path / "empty.txt").write_text("")
    assert copysift.scan(tmp_path, min_match=200).pairs == ()
    (tmp_path / "one.txt").write_text("word " * 100)
    assert copysift.scan(tmp_path, min_match=200).pairs == ()
