import random

import numpy as np
import pytest

import copysift
from copysift.kinds import canonicaliser
from copysift.kinds.positions import Identity
from copysift.match import spans
from copysift.match.spans import spans_among
from copysift.model.regions import WIDTH, RegionColumns, RegionFile

TEXTS = ["Plain text, and much of it. " * 9, "Ein größerer Käse " * 5, "x", "UPPER, lower: 123; " * 20]


def columns(counts, seed=0):
    table = np.random.default_rng(seed).integers(0, 99, (sum(counts), WIDTH)).astype(np.uint32)
    longest = np.array([7 * (count > 0) for count in counts], np.int64)
    return RegionColumns.of(longest, longest + 1, np.array(counts, np.int64), table)


def rows(found):
    places = zip(found.firsts.tolist(), found.counts.tolist(), strict=True)
    return [found.table[first : first + count].tolist() for first, count in places]


def test_taken_regions_are_those_of_the_pairs_asked_for():
    whole = columns([2, 0, 3, 1])
    for which in ([], [3, 0], [1], [2, 2, 1]):
        some = whole.take(np.array(which, np.int64))
        assert rows(some) == [rows(whole)[at] for at in which]
        assert some.longest.tolist() == [whole.longest[at] for at in which]


@pytest.mark.parametrize("room", [0, 50, 1 << 20])
def test_parts_stand_one_behind_the_other(tmp_path, room):
    one, none, other = columns([1, 2]), columns([]), columns([0, 4], seed=1)
    found = RegionFile(tmp_path, room)
    for parts in ([one, none], [other]):
        found.append(RegionColumns.together([found.moved(part) for part in parts]))
    whole = found.columns()
    assert rows(whole) == rows(one) + rows(other)
    assert whole.longest.tolist() == [*one.longest.tolist(), *other.longest.tolist()]
    assert len(RegionFile(tmp_path, room).columns()) == 0


def test_what_is_lost_is_not_known_and_has_no_regions():
    found = columns([2, 1, 3]).without(np.array([False, True, False]))
    assert rows(found) == [rows(columns([2, 1, 3]))[0], [], rows(columns([2, 1, 3]))[2]]
    assert list(found.made([(["a"] * 99, ["b"] * 99)] * 3))[1] is None


@pytest.mark.parametrize("longest", [1 << 31, 300, 64])
def test_spans_among_documents_are_those_of_each(monkeypatch, longest):
    monkeypatch.setattr(spans, "LONGEST_ROW", longest)
    maps = [canonicaliser("text").whole(text.encode()).positions for text in TEXTS] + [Identity(40, 20)]
    sizes = [len(each.starts) for each in maps]
    draw = random.Random(1)
    which = [draw.randrange(len(maps)) for _ in range(200)]
    runs = [sorted(draw.randrange(sizes[number]) for _ in range(2)) for number in which]
    first, last = (np.array(side, np.int64) for side in zip(*runs, strict=True))
    found = spans_among(maps, np.array(which), first, last)
    for number, a, b, *span in zip(which, first, last, *found, strict=True):
        assert span == [each[0] for each in maps[number].spans(np.array([a]), np.array([b]))]
    assert [len(each) for each in spans_among(maps, *(np.empty(0, np.int64) for _ in range(3)))] == [0, 0]


def passage(seed, length):
    draw = random.Random(seed)
    words = ["".join(draw.choices("abcdefghijklmnoprstuvw", k=draw.randint(2, 9))) for _ in range(length)]
    lines = [" ".join(words[at : at + 8]) for at in range(0, length, 8)]
    return "\n".join(lines) + "\n"


def test_pairs_of_a_scan_have_the_regions_that_compare_finds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shared = [passage(100 + seed, 40) for seed in range(4)]
    for number in range(12):
        parts = [passage(number, 60), shared[number % 4], passage(50 + number, 30), shared[(number + 1) % 4]]
        (tmp_path / f"{number:02}.txt").write_text("Über\n" * (number % 3 == 0) + "".join(parts))
    found = copysift.scan(".", regions=True, min_match=100)
    assert len(found.pairs) > 20
    for pair in found.pairs:
        other = copysift.compare(pair.left, pair.right)
        assert (pair.longest, pair.lines, pair.regions) == (other.longest, other.lines, other.regions)
    bare = copysift.scan(".", min_match=100)
    assert [(pair.longest, pair.lines) for pair in bare.pairs] == [
        (pair.longest, pair.lines) for pair in found.pairs
    ]
    assert {pair.regions for pair in bare.pairs} == {None}
