"""Indexes of every released format still open."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import copysift
from copysift.errors import StoreError
from copysift.settings.index import Query
from copysift.store.catalog import VERSION
from copysift.store.segment import hashes_of
from copysift.store.snapshot import Snapshot
from copysift.workflows.stored_settings import bits_in

FORMATS = sorted((Path(__file__).parent / "formats").iterdir())
HUNDRED = " ".join(f"word{number}" for number in range(100))


TINY = [*(folder / "tiny.sift" for folder in FORMATS), FORMATS[2] / "sweeps.sift"]
UNITS = FORMATS[2] / "units.sift"


@pytest.mark.parametrize("made", TINY, ids=lambda made: f"{made.parent.name}-{made.stem}")
def test_an_index_of_an_old_format_answers_and_grows(made, tmp_path):
    shutil.copytree(made, tmp_path / "tiny.sift")
    with copysift.Index(tmp_path / "tiny.sift") as index:
        assert index.check() == ([], [])
        assert index.info()["version"] == int(made.parent.name[1:])
        assert [each.name for each in index.documents()] == ["first", "second", "third"]
        first, second = index.query(HUNDRED, text=True, passages=True)
        assert (first.right, first.equal, first.shared) == ("first", True, 32)
        assert (second.right, second.equal, second.longest) == ("second", False, 590)
        fourth = ("fourth", " ".join(f"what was not there before {number}" for number in range(20)))
        assert index.stored()["scheme"] == "robust"  # which it keeps, whatever the default is
        if not index.swept:
            index.add([fourth])
        else:
            assert [sweep.date for sweep in index.sweeps()] == ["2026-01-01", "2026-02-01"]
            one, other = index.history("second").versions
            assert (one.last, other.to_previous is not None) == ("2026-01-01", True)
            assert index.locate("first").status == "here"
            texts = [(each.name, index.source(each.name)) for each in index.documents()]
            assert index.sweep([*texts, fourth], date="2026-03-01").unchanged == 3
            assert index.info()["version"] == (VERSION if made.parent.name == "v2" else 3)
        index.compact()
        assert index.check() == ([], [])
        assert len(list(index.documents())) == 4
        robust = copysift.fingerprint(fourth[1], kind="text", scheme="robust").hashes
        (found,) = index.query(fourth[1], text=True)
        assert (found.right, found.shared) == ("fourth", len(np.unique(robust)))


def test_an_index_of_submissions_knows_them_and_grows(tmp_path):
    shutil.copytree(UNITS, tmp_path / "units.sift")
    (tmp_path / "class/eve").mkdir(parents=True)
    (tmp_path / "class/eve/new.txt").write_text(HUNDRED + " and more", encoding="utf-8")
    with copysift.Index(tmp_path / "units.sift", by="dir") as index:
        assert index.check() == ([], [])
        units = [(Path(each.name).name, Path(each.unit).name) for each in index.documents()]
        assert sorted(units) == [
            ("one.txt", "ada"),
            ("one.txt", "bob"),
            ("sum.py", "bob"),
            ("two.txt", "ada"),
        ]
        assert index.add(tmp_path / "class").added == 1
        assert index.check() == ([], [])
        found = index.scan()
        named = {Path(each.name).name: (each.author, each.label) for each in found.submissions}
        assert named == {"ada": ("Ada", "first"), "bob": ("", ""), "eve": ("", "")}
        assert {(Path(each.left).name, Path(each.right).name) for each in found.pairs} == {("ada", "eve")}


def test_a_program_of_an_index_is_found_by_its_tokens(tmp_path):
    shutil.copytree(UNITS, tmp_path / "units.sift")
    renamed = """\
def add(them, top):
    s = 0
    for one in them:
        if one < top:
            s += one * one
        else:
            s -= top
    return s


def mean(them, top):
    if not them:
        return None
    return add(them, top) / len(them)
"""
    with copysift.Index(tmp_path / "units.sift") as index:
        question = index.question(renamed.encode(), name="renamed.py")
        hits, _ = index.ask(question, Query(threshold=0.5))
    assert [(Path(hit.right).name, hit.channel) for hit in hits] == [("sum.py", "code")]


@pytest.mark.parametrize(("version", "bits"), [("v3", 64), ("v4", 42), ("v5", 36)])
def test_an_index_keeps_as_many_bits_of_a_hash_as_when_it_was_made(version, bits, tmp_path):
    path = tmp_path / "tiny.sift"
    shutil.copytree(FORMATS[0].parent / version / "tiny.sift", path)
    with copysift.Index(path) as index:
        index.add([("fourth", " ".join(f"other{number}" for number in range(500)))])
        index.compact()
    snapshot = Snapshot(path)
    hashes = np.concatenate([hashes_of(columns.keys) for columns in snapshot.postings()])
    snapshot.close()
    assert len(hashes) > 300
    assert int(np.bitwise_or.reduce(hashes)) == 2**64 - 2 ** (64 - bits)


@pytest.mark.parametrize("bits", [0, 31, 65, -1, "44", None, 44.0, True])
def test_an_impossible_number_of_bits_is_refused(bits):
    with pytest.raises(StoreError, match="bits of a hash, and 32 to 64 are possible"):
        bits_in({"hash_bits": bits})


def test_there_is_an_index_of_the_present_format():
    assert f"v{VERSION}" in {folder.name for folder in FORMATS}
