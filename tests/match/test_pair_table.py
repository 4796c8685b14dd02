import numpy as np
import pytest

from copysift.match import pair_table
from copysift.match.counts import PairColumns, uncounted
from copysift.match.pair_table import ROW, PairTable, Ranking
from copysift.model.regions import UNKNOWN

COUNT = 5000
ROOMS = [0, 40 * ROW, 2000 * ROW, 2 * COUNT * ROW]


def columns(count=COUNT, seed=1, matched=False):
    """Make pairs in order, of which many have the same measures."""
    chance = np.random.default_rng(seed)
    codes = np.sort(chance.choice(300 * 300, count, replace=False))
    few = np.array([0.25, 0.5, 1.0])
    unknown = np.broadcast_to(np.int32(UNKNOWN), count)
    shares = [few[chance.integers(0, 3, count)] for _ in range(4)]
    longest, lines = (chance.integers(0, 9, count) for _ in range(2)) if matched else (unknown, unknown)
    place = np.arange(count) if matched else unknown
    channel = chance.integers(0, 2, count).astype(np.uint8)
    shared = chance.integers(1, 9, count).astype(np.uint32)
    left, right = (codes // 300).astype(np.uint32), (codes % 300).astype(np.uint32)
    sif = chance.random(count) if matched else uncounted(count)
    return PairColumns(left, right, shared, *shares, longest, lines, channel, place, sif)


def rows(pairs):
    names = PairColumns.__slots__
    return list(zip(*(getattr(pairs, name).tolist() for name in names), strict=True))


def table_of(pairs, room, folder, step=700):
    table = PairTable(room, folder)
    for start in range(0, len(pairs), step):
        table.append(pairs.rows(start, start + step))
    return table


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("matched", [False, True])
def test_a_table_gives_back_what_it_took_whatever_the_room(tmp_path, room, matched):
    pairs = columns(matched=matched)
    table = table_of(pairs, room, tmp_path)
    assert len(table) == COUNT
    assert [row for batch in table.batches() for row in rows(batch)] == rows(pairs)
    assert rows(table.rows(1234, 1300)) == rows(pairs)[1234:1300]
    assert rows(table.rows(COUNT - 3, COUNT + 9)) == rows(pairs)[-3:]
    assert max(map(len, table.batches())) <= max(room // ROW, pair_table.FEWEST)


def test_an_empty_table_has_no_pairs(tmp_path):
    table = PairTable(0, tmp_path)
    assert len(table) == 0
    assert [len(batch) for batch in table.batches()] == [0]
    assert len(Ranking(table, lambda pairs: -pairs.similarity).rows(0, 9)) == 0


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("head", [7, 1 << 14])
@pytest.mark.parametrize("measure", ["similarity", "left", "shared", "nothing"])
def test_the_order_is_that_of_one_sort_whatever_the_room(monkeypatch, tmp_path, room, head, measure):
    monkeypatch.setattr(pair_table, "FEWEST", 16)
    monkeypatch.setattr(pair_table, "HEAD", head)
    pairs = columns()

    def rank(some):
        return np.zeros(len(some)) if measure == "nothing" else -getattr(some, measure).astype(float)

    order = np.lexsort((pairs.right, pairs.left, -pairs.resemblance, rank(pairs)))
    expected = rows(pairs.take(order))
    ranking = Ranking(table_of(pairs, room, tmp_path), rank, room, tmp_path)
    assert rows(ranking.rows(0, 5)) == expected[:5]  # found without sorting all
    assert rows(ranking.rows(3, 7)) == expected[3:7]
    assert rows(ranking.rows(0, COUNT)) == expected
    assert rows(ranking.rows(2, 5)) == expected[2:5]
    assert len(ranking) == COUNT


def test_the_best_pairs_are_found_in_a_table_that_is_in_no_order(monkeypatch, tmp_path):
    monkeypatch.setattr(pair_table, "HEAD", 50)
    pairs = columns()
    mixed = pairs.take(np.random.default_rng(2).permutation(COUNT))
    ranking = Ranking(table_of(mixed, 0, tmp_path), lambda some: -some.similarity, 0, tmp_path)
    order = np.lexsort((pairs.right, pairs.left, -pairs.resemblance, -pairs.similarity))
    assert rows(ranking.rows(0, 50)) == rows(pairs.take(order[:50]))
    assert "_sorted" not in vars(ranking)
