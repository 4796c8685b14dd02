"""Numbers of every document, wide or narrow, from files or as they were written."""

import numpy as np
import pytest

from copysift.runs import facts
from copysift.runs.sets import Sets
from tests.corpus.texts import mixed, run, write_jsonl


@pytest.fixture
def folder(tmp_path):
    run(write_jsonl(tmp_path / "c.jsonl", mixed(60)), tmp_path / "run")
    return tmp_path / "run" / "sketches"


@pytest.mark.parametrize("name", ["words", "places", "shingles", "compared"])
def test_a_narrow_number_is_the_wide_one_in_four_bytes(folder, name):
    sets = Sets(folder)
    narrow, wide = sets.narrow(name), Sets(folder).column(name)
    assert narrow.dtype == np.uint32
    assert wide.dtype == np.int64
    assert narrow.tolist() == wide.tolist()
    assert sets.narrow(name) is narrow
    sets.forget(name)
    assert sets.narrow(name) is not narrow
    wide = sets.column(name)
    sets.forget(name)
    assert sets.column(name) is not wide


def test_a_number_of_more_than_four_bytes_is_not_cut(folder, monkeypatch):
    monkeypatch.setattr(facts.Facts, "_numbers", lambda *_: np.array([3, 1 << 32]))
    assert Sets(folder).narrow("words").tolist()[:2] == [3, 1 << 32]
