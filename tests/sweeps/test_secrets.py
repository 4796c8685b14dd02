import pytest

import copysift
from copysift.errors import StoreError
from tests.cli.program import copysift as run
from tests.cli.program import write
from tests.cli.texts import prose
from tests.sweeps import web
from tests.sweeps.test_sweep import make, state
from tests.sweeps.web import A


def hashes(path):
    import numpy as np

    from copysift.store.segment import hashes_of
    from copysift.store.snapshot import Snapshot

    snapshot = Snapshot(path)
    found = {
        int(each) for columns in snapshot.postings() for each in hashes_of(columns.keys).astype(np.uint64)
    }
    snapshot.close()
    return found


def test_another_sample_gives_the_state_of_an_index_that_was_made_with_that_seed(tmp_path):
    one = make(tmp_path / "one.sift", keep_text=True, seed="first secret")
    two = make(tmp_path / "two.sift", keep_text=True, seed="second secret")
    before = hashes(one)
    assert state(one) != state(two)
    with copysift.Index(one, seed="first secret") as index:
        assert index.resample("second secret") == index.info()["contents"]
        assert index.locate(f"{A}/news").status == "moved"
        assert index.seen(web.GUIDE, text=True).now.uri == f"{A}/new/guide"
        assert index.check() == ([], [])
    assert state(one) == state(two)
    assert hashes(one) == hashes(two)
    assert not before & hashes(one)
    with pytest.raises(StoreError, match="wrong seed"):
        copysift.Index(one, seed="first secret")


def test_without_texts_there_is_no_other_sample(tmp_path):
    path = make(tmp_path / "x.sift", range(2))
    usual = state(path)
    with copysift.Index(path) as index, pytest.raises(StoreError, match="stores no texts"):
        index.resample("anything")
    assert state(path) == usual


def test_a_plain_index_is_sampled_anew_too(tmp_path):
    with copysift.Index(tmp_path / "x.sift", keep_text=True) as index:
        index.add([("a", prose(1)), ("b", prose(2))])
        index.remove("b")
        index.resample("a secret")
        (hit,) = index.query(prose(1)[:500], text=True)
        assert hit.right == "a"
        assert index.check() == ([], [])


def test_the_seed_comes_from_a_file_and_is_asked_for(tmp_path):
    write(tmp_path, {"d/a.txt": prose(1), "seed": "one secret\n", "other": "another\n", "ask.txt": prose(1)})
    assert (
        run(
            tmp_path, "sweep", "x.sift", "d", "--date", "2026-01-01", "--seed-file", "seed", "--keep-text"
        ).status
        == 0
    )
    assert b"one secret" not in (tmp_path / "x.sift" / "catalog.sqlite").read_bytes()
    done = run(tmp_path, "locate", "x.sift", "ask.txt", "--file")
    assert (done.status, done.err.splitlines()[0]) == (2, "copysift: x.sift was created with a secret seed")
    assert run(tmp_path, "locate", "x.sift", "ask.txt", "--file", "--seed-file", "seed").status == 0
    assert run(tmp_path, "locate", "x.sift", "a.txt").status == 0  # needs no fingerprints
    done = run(tmp_path, "sweep", "x.sift", "d", "--date", "2026-01-02")
    assert done.status == 2
    done = run(tmp_path, "index", "resample", "x.sift", "--new-seed-file", "other")
    assert (done.status, done.out) == (0, "1 document resampled\n")
    assert (
        run(tmp_path, "copies", "x.sift", "ask.txt", "--seed-file", "other", "--original", "a.txt").status
        == 1
    )
    assert run(tmp_path, "locate", "x.sift", "ask.txt", "--file", "--seed-file", "seed").status == 2
