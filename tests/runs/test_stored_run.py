"""A run that is read back part by part says the same as one that is read whole."""

import numpy as np
import pyarrow as pa
import pytest

from copysift.engines.cluster_run import recluster
from copysift.runs import stored_run
from copysift.runs.stored_run import Numbers, StoredRun, numbers_of, open_corpus
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make
from tests.corpus.texts import mixed, rows, run, write_jsonl


@pytest.fixture
def made(tmp_path):
    run(write_jsonl(tmp_path / "c.jsonl", mixed(150, seed=4)), tmp_path / "run")
    return tmp_path / "run"


def test_pairs_in_parts_are_all_pairs(made, monkeypatch):
    whole = open_corpus(made).pairs
    monkeypatch.setattr(stored_run, "ROWS", 7)
    opened = open_corpus(made)
    assert max(len(part) for part in opened.parts) <= 7
    for _ in range(2):
        parts = list(opened.parts)
        assert len(parts) > 3
        for name in ("left", "right", "shared", "resemblance", "containment_right"):
            joined = np.concatenate([getattr(part, name) for part in parts])
            assert joined.tolist() == getattr(whole, name).tolist()


@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.9])
def test_recluster_takes_pairs_in_parts_and_never_all_of_them(made, tmp_path, monkeypatch, threshold):
    run(tmp_path / "c.jsonl", tmp_path / "other", threshold=threshold)
    monkeypatch.setattr(stored_run, "ROWS", 7)
    monkeypatch.setattr(StoredRun, "pairs", property(lambda _: pytest.fail("all pairs were read")))
    recluster(made, make(CorpusSettings, {"threshold": threshold}))
    assert rows(made, "clusters") == rows(tmp_path / "other", "clusters")


def test_numbers_of_ids_are_found_also_where_digests_are_the_same(monkeypatch):
    ids = pa.array(["a", "", "b", "c"])
    asked = pa.array(["c", "a", "", "c"])
    assert Numbers(ids).of(asked).tolist() == [3, 0, 1, 3]
    assert (
        Numbers(ids).of(pa.array(["b", "x"])).tolist()
        == [2, -1]
        == numbers_of(ids, pa.array(["b", "x"])).tolist()
    )
    assert Numbers(ids[:0]).of(asked).tolist() == [-1] * 4
    monkeypatch.setattr(stored_run, "digests", lambda names: np.zeros(len(names), np.uint64))
    assert Numbers(ids).of(asked).tolist() == [3, 0, 1, 3]
