"""What the writer does with a content that other documents may have, and with its text and postings."""

import numpy as np
import pytest

from copysift.model.values import Fingerprints
from copysift.store import writer as writers
from copysift.store.catalog import PIECES
from copysift.store.merge import Policy
from copysift.store.snapshot import Snapshot
from copysift.store.units import UnitRow
from copysift.store.writer import Views, Writer
from tests.store.crashes import SETTINGS, SMALL, entry, fingerprints, found_in, postings_of


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "x.sift"


def put(writer, name, number):
    return writer.put(entry(name, number), Views(fingerprints(number)), lambda: [b"text of %d" % number])


def rows(writer, statement):
    return [tuple(row) for row in writer.catalog.run(statement).fetchall()]


def texts(writer):
    """Give the contents that have a text."""
    return sorted({piece // PIECES for (piece,) in rows(writer, "SELECT piece FROM texts")})


def test_the_content_of_a_replaced_document_goes_with_its_text_and_no_other(folder):
    with Writer(folder, SETTINGS) as writer:
        for number in range(1, 5):
            put(writer, str(number), number)
        writer.commit()
        assert put(writer, "2", 20) == "changed"
        writer.commit()
        assert rows(writer, "SELECT number FROM contents ORDER BY number") == [(1,), (3,), (4,), (5,)]
        assert texts(writer) == [1, 3, 4, 5]
        assert rows(writer, "SELECT * FROM removed") == [(2, len(fingerprints(2).hashes))]
    assert found_in(folder) == postings_of({"1": 1, "2": 20, "3": 3, "4": 4})


def test_the_content_of_a_replaced_document_stays_while_another_has_it(folder):
    with Writer(folder, SETTINGS) as writer:
        put(writer, "1", 1)
        put(writer, "twin", 1)
        writer.commit()
        put(writer, "1", 2)
        writer.commit()
        assert rows(writer, "SELECT number FROM contents ORDER BY number") == [(1,), (2,)]
        assert not rows(writer, "SELECT * FROM removed")
        put(writer, "twin", 3)
        writer.commit()
        assert rows(writer, "SELECT number FROM contents ORDER BY number") == [(2,), (3,)]
        assert texts(writer) == [2, 3]


def test_a_removed_document_takes_only_its_own_text(folder):
    with Writer(folder, SETTINGS) as writer:
        for number in range(1, 5):
            put(writer, str(number), number)
        writer.remove("2")
        assert texts(writer) == [1, 3, 4]
        assert rows(writer, "SELECT * FROM removed") == [(2, len(fingerprints(2).hashes))]
        writer.commit()
    assert found_in(folder) == postings_of({"1": 1, "3": 3, "4": 4})


def test_a_content_without_fingerprints_leaves_nothing_to_merge_away(folder):
    with Writer(folder, SETTINGS) as writer:
        nothing = Fingerprints(np.zeros(0, np.uint64), *[np.zeros(0, np.uint32)] * 2, 0)
        writer.put(entry("empty", 1), Views(nothing))
        writer.remove("empty")
        assert not rows(writer, "SELECT * FROM removed")


@pytest.mark.parametrize("held", ["BUFFERED", "KEPT"])
def test_what_is_held_is_committed_on_the_way_when_it_is_much(folder, monkeypatch, held):
    most = {"BUFFERED": len(fingerprints(1).hashes) + len(fingerprints(2).hashes), "KEPT": 40}[held]
    monkeypatch.setattr(writers, held, most)
    with Writer(folder, SETTINGS, SMALL) as writer:
        put(writer, "1", 1)
        assert found_in(folder) == {}
        put(writer, "2", 2)
        assert len(found_in(folder)) == {"BUFFERED": 2, "KEPT": 0}[held]
        for number in range(3, 9):
            put(writer, str(number), number)
        seen = Snapshot(folder)
        committed = sorted(row.name for row in seen.documents())
        seen.close()
        assert committed
        assert committed == [str(number) for number in range(1, len(committed) + 1)]
    assert sorted(found_in(folder)) == committed


def test_a_commit_of_nothing_is_none(folder):
    with Writer(folder, SETTINGS) as writer:
        put(writer, "1", 1)
        writer.commit()
        before = rows(writer, "SELECT * FROM about"), rows(writer, "SELECT * FROM segments")
        assert not writer.changed
        writer.commit()
        assert not writer.remove("none")
        assert not writer.changed
        assert before == (rows(writer, "SELECT * FROM about"), rows(writer, "SELECT * FROM segments"))


def test_a_commit_without_merges_leaves_runs_as_they_are(folder):
    with Writer(folder, SETTINGS, SMALL) as writer:
        for number in range(1, 6):
            put(writer, str(number), number)
            writer.commit(merge=False)
        assert len({row.run for row in writer.catalog.segments()}) == 5
    assert found_in(folder) == postings_of({str(number): number for number in range(1, 6)})


def test_what_was_spilled_is_there_after_the_commit_and_goes_with_a_rollback(folder, monkeypatch):
    monkeypatch.setattr(writers, "BUFFERED", 1)
    with Writer(folder, SETTINGS) as writer:
        for number in (1, 2):
            views = Views(fingerprints(number))
            content = writer.put_content(entry(str(number), number), views, [b"text of %d" % number])
            assert content == number
            assert writer.next_content == number + 1
        assert len(list((folder / "postings").iterdir())) == 2
        assert not rows(writer, "SELECT * FROM documents")
        writer.rollback()
        assert not list((folder / "postings").iterdir())
        put(writer, "1", 1)
        writer.commit()
    assert found_in(folder) == postings_of({"1": 1})


def test_an_index_that_is_made_by_its_first_commit_is_not_there_without_one(folder):
    with Writer(folder, SETTINGS, at_once=False) as writer:
        put(writer, "1", 1)
    assert not folder.exists()
    with Writer(folder, SETTINGS, at_once=False) as writer:
        put(writer, "1", 1)
        writer.rollback()
        put(writer, "2", 2)
        writer.commit()
        assert found_in(folder) == postings_of({"2": 2})
    assert found_in(folder) == postings_of({"2": 2})
    with Writer(tmp := folder.with_name("y.sift"), SETTINGS):
        pass
    assert found_in(tmp) == {}
    assert (tmp / "catalog.sqlite").exists()


def test_a_compaction_that_has_nothing_to_do_writes_nothing(folder):
    with Writer(folder, SETTINGS) as writer:
        writer.compact()
        put(writer, "1", 1)
        writer.commit()
        before = writer.catalog.segments()
        writer.compact()
        assert writer.catalog.segments() == before
        put(writer, "2", 2)
        writer.compact()  # commits what was added, too
        (row,) = writer.catalog.segments()
        assert row.postings == len(fingerprints(1).hashes) + len(fingerprints(2).hashes)
        writer.remove("1")
        writer.compact()
        (row,) = writer.catalog.segments()
        assert row.postings == len(fingerprints(2).hashes)
        assert not rows(writer, "SELECT * FROM removed")
        assert not rows(writer, "SELECT * FROM merges")
    assert found_in(folder) == postings_of({"2": 2})


def test_a_document_that_is_there_is_put_into_a_unit_and_another_is_not(folder):
    with Writer(folder, SETTINGS) as writer:
        put(writer, "1", 1)
        anna = writer.put_unit(UnitRow("anna"))
        writer.commit()
        writer.assign("none", anna)
        assert not writer.changed
        writer.assign("1", anna)
        assert writer.changed
        writer.commit()
        assert rows(writer, "SELECT document, unit FROM members") == [(1, anna)]
        writer.assign("1", anna)
        assert not writer.changed


def test_a_small_commit_merges_a_whole_slice(folder):
    with Writer(folder, SETTINGS, Policy(fanout=2, floor=4, slice=10**6)) as writer:
        for number in range(1, 9):
            put(writer, str(number), 3 * number)  # all of one size
            writer.commit()
            assert not rows(writer, "SELECT * FROM merges")
        assert len({row.run for row in writer.catalog.segments()}) <= 4


def test_postings_are_spilled_when_they_are_as_many_as_may_be_held(folder, monkeypatch):
    sizes = [len(fingerprints(number).hashes) for number in (2, 5)]  # the same
    monkeypatch.setattr(writers, "BUFFERED", sizes[0])
    with Writer(folder, SETTINGS) as writer:
        writer.file_postings(1, fingerprints(2))
        assert len(list((folder / "postings").iterdir())) == 1
        full = fingerprints(5)
        one_less = Fingerprints(full.hashes[1:], full.starts[1:], full.ends[1:], full.grams)
        writer.file_postings(2, one_less)
        assert len(list((folder / "postings").iterdir())) == 1
