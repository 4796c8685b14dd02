"""Long lists are kept as lists: the pairs are those that lists give at once, and take space once."""

import numpy as np
import pytest

from copysift.engines import list_files, pairing
from copysift.join import lists, long_lists
from copysift.join.long_lists import LongLists, postings, same_lists
from copysift.runs import workspace
from tests.corpus.test_boilerplate import templated
from tests.corpus.texts import edited, mixed, rows, run, text, write_jsonl


def some_lists(seed: int) -> lists.Lists:
    chance = np.random.default_rng(seed)
    entries = {(int(a), int(b)) for a, b in chance.integers(0, 25, (220, 2))}
    hashes, docs = np.array(sorted(entries, key=lambda entry: entry[1]), np.uint64).T
    moduli = np.where(np.arange(25) % 3, 1, 2).astype(np.uint32)  # of every third only the even ones
    scrambled = np.ascontiguousarray(hashes) * lists.SCRAMBLE
    return lists.lists_of(scrambled, docs.astype(np.uint32), moduli, 50, np.zeros(25, np.uint32))


def total(chunks) -> dict[int, int]:
    found: dict[int, int] = {}
    for keys, weights in chunks:
        for key, weight in zip(keys.tolist(), weights.tolist(), strict=True):
            found[key] = found.get(key, 0) + weight
    return found


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
@pytest.mark.parametrize("seed", range(4))
def test_postings_of_long_lists_give_the_pairs_of_the_lists(monkeypatch, seed, chunk):
    monkeypatch.setattr(long_lists, "CHUNK", chunk)
    monkeypatch.setattr(long_lists, "LONG", 6)
    found = some_lists(seed)
    short, long, digests = long_lists.divided(found)
    assert len(digests) == len(long.lengths) > 0
    assert len(short.lengths) > 0
    assert short.lengths.max() < 6 <= long.lengths.min()
    pairs = [*lists.pairs_of(short), *long_lists.pairs_of(*postings(long, 0), long)]
    assert total(pairs) == total(lists.pairs_of(found)) != {}


def test_the_same_lists_are_kept_once_in_the_order_in_which_they_came():
    first, weights = same_lists(np.array([7, 3, 7, 9, 3, 7], np.uint64), np.arange(1, 7, dtype=np.uint32))
    assert first.tolist() == [0, 1, 3]
    assert weights.tolist() == [1 + 3 + 6, 2 + 5, 4]
    nothing, none = same_lists(np.zeros(0, np.uint64), np.zeros(0, np.uint32))
    assert nothing.tolist() == none.tolist() == []


def test_postings_come_by_document_with_their_place_in_the_list():
    marked = np.array([3, 4, 8, 3, 8], np.uint64)  # documents 1, 2, 4 and 1, 4
    keys, places = postings(LongLists.of(marked, np.array([3, 2]), np.ones(2, np.uint32)), 5)
    assert [(key >> 32, key & 0xFFFFFFFF) for key in keys.tolist()] == [
        (1, 5),
        (1, 6),
        (2, 5),
        (4, 5),
        (4, 6),
    ]
    assert places.tolist() == [0, 0, 1, 2, 1]


@pytest.mark.parametrize("long", [2, 5])
def test_a_run_is_the_same_whatever_lists_are_long(tmp_path, monkeypatch, long):
    records = [*templated(60), *mixed(90, seed=4)]
    source = write_jsonl(tmp_path / "c.jsonl", [{**each, "id": f"x{n}"} for n, each in enumerate(records)])
    monkeypatch.setattr(long_lists, "LONG", 1 << 30)
    usual = run(source, tmp_path / "usual", modulus=5)
    monkeypatch.setattr(long_lists, "LONG", long)
    monkeypatch.setattr(list_files, "AT_ONCE", 10)
    other = run(source, tmp_path / "other", modulus=5, jobs=3, memory="16MB")
    assert {**other.described, "seconds": 0} == {**usual.described, "seconds": 0}
    for name in ("documents", "pairs", "clusters"):
        assert rows(tmp_path / "usual", name) == rows(tmp_path / "other", name)


def test_records_of_a_template_do_not_write_their_pairs_for_every_shingle(tmp_path, monkeypatch):
    """A million records of a thousand templates wrote 52 times the size of their text."""
    written = []
    clean = pairing.Join.clean

    def noted(step):
        written.append(sum(path.stat().st_size for path in step.job.folder.glob("*.bin*")))
        clean(step)

    monkeypatch.setattr(pairing.Join, "clean", noted)
    source = write_jsonl(tmp_path / "c.jsonl", templated(300))
    run(source, tmp_path / "run", jobs=8, memory="16MB")
    assert written[0] < source.stat().st_size


def test_pairs_of_which_none_is_left_out_are_not_written_again(tmp_path, monkeypatch):
    counts = []
    drop = workspace.Work.drop

    def noted(work):
        counts.extend(path.stat().st_nlink for path in work.folder.glob("refine-*.pairs"))
        drop(work)

    monkeypatch.setattr(workspace.Work, "drop", noted)
    works = [text(300, ("work", number)) for number in range(12)]
    records = [
        {"id": f"{number}-{copy}", "text": edited(base, 0.01, 100 * number + copy)}
        for number, base in enumerate(works)
        for copy in range(13)
    ]
    made = run(write_jsonl(tmp_path / "c.jsonl", records), tmp_path / "run", jobs=1)
    assert made.described["counts"]["pairs"] > 12 * 60
    assert counts == [2]
