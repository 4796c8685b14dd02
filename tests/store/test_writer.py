import multiprocessing
import os
import sqlite3
import subprocess
import sys

import numpy as np
import pytest

from copysift.errors import StoreError
from copysift.runtime import durable as disk
from copysift.store.check import verify
from copysift.store.merge import Policy
from copysift.store.snapshot import Snapshot
from copysift.store.units import UnitRow, has_units
from copysift.store.writer import Views, Writer
from tests.cli.program import ROOT, environment
from tests.store.crashes import SETTINGS, SMALL, entry, fingerprints, found_in, postings_of, steps


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "x.sift"


def put(writer, *numbers):
    for number in numbers:
        writer.put(
            entry(str(number), number),
            Views(fingerprints(number)),
            lambda number=number: [b"text of %d" % number],
        )


def test_every_commit_leaves_what_was_put_and_nothing_else(folder):
    with Writer(folder, SETTINGS, SMALL) as writer:
        for do, state in steps():
            do(writer)
            assert found_in(folder) == state


@pytest.mark.parametrize("most", [0, 3, 1 << 20])
def test_a_writer_of_an_empty_index_knows_what_it_has_put(folder, monkeypatch, most):
    monkeypatch.setattr("copysift.store.writer.REMEMBERED", most)
    with Writer(folder, SETTINGS, SMALL) as writer:
        assert writer.find("1") is None
        assert not writer.remove("1")
        put(writer, 1, 2)
        assert writer.put(entry("again", 1), lambda: pytest.fail("its content is there")) == "added"
        assert writer.put(entry("1", 2), lambda: pytest.fail("its content is there")) == "changed"
        assert writer.remove("2")
        writer.commit()
        put(writer, 3)
        writer.rollback()
        assert writer.find("3") is None
        put(writer, 3)
        writer.commit()
    assert found_in(folder) == postings_of({"again": 1, "1": 2, "3": 3})
    with Writer(folder) as writer:
        assert writer.find("1") is not None
        assert writer.put(entry("1", 2), lambda: pytest.fail("its content is there")) == "unchanged"


def test_what_is_not_committed_is_not_there(folder):
    with Writer(folder, SETTINGS, SMALL) as writer:
        put(writer, 1)
        writer.commit()
        put(writer, 2)
        assert found_in(folder) == postings_of({"1": 1})
    assert found_in(folder) == postings_of({"1": 1})


def test_a_reader_keeps_its_snapshot_while_the_writer_replaces_removes_and_compacts(folder):
    with Writer(folder, SETTINGS, SMALL) as writer:
        for number in range(1, 6):
            put(writer, number)
            writer.commit()
        snapshot = Snapshot(folder)
        before = {row.name for row in snapshot.documents()}
        hashes = np.unique(fingerprints(3).hashes)
        found = snapshot.find(hashes)
        writer.remove("3")
        writer.commit()
        writer.compact()
        put(writer, 7)
        writer.commit()
        again = snapshot.find(hashes)
        assert {row.name for row in snapshot.documents()} == before
        for ours, theirs in zip(found, again, strict=True):
            assert ours.tolist() == theirs.tolist()
        snapshot.close()
        fresh = Snapshot(folder)
        assert {row.name for row in fresh.documents()} == {"1", "2", "4", "5", "7"}
        fresh.close()


def test_a_reader_does_not_wait_for_a_writer_in_the_middle_of_its_commit(folder):
    with Writer(folder, SETTINGS, SMALL) as writer:
        put(writer, 1)
        writer.commit()
        seen = []

        def watch(name):
            seen.append(found_in(folder))  # it would wait for the thread that it runs in, and fail

        disk.watch = watch
        try:
            put(writer, 2)
            writer.commit()
        finally:
            disk.watch = None
    assert len(seen) > 5
    assert all(state in (postings_of({"1": 1}), postings_of({"1": 1, "2": 2})) for state in seen)
    assert seen[-1] == postings_of({"1": 1, "2": 2})


def test_readers_that_open_while_segments_come_and_go_always_find_one_whole_commit(folder):
    with Writer(folder, SETTINGS, SMALL) as writer:
        put(writer, 1)
        writer.commit()
    context = multiprocessing.get_context("spawn")
    child = context.Process(target=_write_many, args=(folder,))
    child.start()
    counts = set()
    while child.is_alive():
        state = found_in(folder)
        assert state == postings_of({str(number): number for number in range(1, len(state) + 1)})
        counts.add(len(state))
    child.join()
    assert child.exitcode == 0
    assert len(counts) > 1


def _write_many(folder):
    with Writer(folder, SETTINGS, SMALL) as writer:
        for number in range(2, 40):
            put(writer, number)
            writer.commit()


def test_a_second_writer_gets_an_error_that_names_the_first(folder):
    with Writer(folder, SETTINGS):
        with pytest.raises(StoreError) as caught:
            Writer(folder)
        assert f"is being written by process {os.getpid()} on " in caught.value.message
        code = (
            "from copysift.store.writer import Views, Writer; from pathlib import Path\n"
            f"Writer(Path({str(folder)!r}))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment(), cwd=ROOT, capture_output=True, text=True
        )
        assert f"is being written by process {os.getpid()} on " in done.stderr
    Writer(folder).close()


def test_a_killed_writer_leaves_no_lock(folder):
    code = (
        "import os, signal\nfrom pathlib import Path\nfrom copysift.store.writer import Views, Writer\n"
        f"Writer(Path({str(folder)!r}), {{}})\nos.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", code], env=environment(), check=False)
    Writer(folder).close()


def test_numbers_are_never_used_again(folder):
    with Writer(folder, SETTINGS, SMALL) as writer:
        put(writer, 1, 2)
        writer.commit()
        writer.remove("2")
        writer.commit()
        writer.compact()
        put(writer, 2)
        writer.commit()
        rows = {row.name: (row.number, row.content) for row in writer.catalog.documents()}
        assert rows == {"1": (1, 1), "2": (3, 3)}


def test_documents_of_the_same_bytes_share_their_postings(folder):
    with Writer(folder, SETTINGS) as writer:
        assert writer.put(entry("a", 1), Views(fingerprints(1))) == "added"
        assert writer.put(entry("b", 1), lambda: pytest.fail("known already")) == "added"
        assert writer.put(entry("b", 1), lambda: pytest.fail("known already")) == "unchanged"
        writer.commit()
        assert sum(row.postings for row in writer.catalog.segments()) == len(fingerprints(1).hashes)
        assert writer.remove("a")
        writer.commit()
        assert [row.name for row in writer.catalog.documents()] == ["b"]
        assert writer.catalog.one("SELECT count(*) FROM contents") == 1
        assert not writer.remove("a")


def test_runs_stay_few_however_many_adds_there_are(folder):
    policy = Policy(fanout=4, floor=16, slice=10**6)
    with Writer(folder, SETTINGS, policy) as writer:
        for number in range(1, 150):
            put(writer, number)
            writer.commit()
            assert len({row.run for row in writer.catalog.segments()}) <= 3 * 5
        assert not writer.catalog.one("SELECT 1 FROM merges")
    assert found_in(folder) == postings_of({str(number): number for number in range(1, 150)})


def test_an_add_moves_no_more_than_a_slice_however_large_the_merge(folder, monkeypatch):
    moved = []
    slicing = Writer.merge_slice

    def watched(self, run, wanted):
        moved.append(slicing(self, run, wanted))
        return moved[-1]

    monkeypatch.setattr(Writer, "merge_slice", watched)
    policy = Policy(fanout=2, floor=4, slice=40)
    between = False
    with Writer(folder, SETTINGS, policy) as writer:
        for number in range(1, 60):
            moved.clear()
            put(writer, number)
            writer.commit()
            assert sum(moved) <= 3 * 40
            between |= writer.catalog.one("SELECT 1 FROM merges") is not None
            assert len(found_in(folder)) == number
    assert between


def test_removed_postings_go_with_the_merges(folder):
    with Writer(folder, SETTINGS, SMALL) as writer:
        put(writer, *range(1, 9))
        writer.commit()
        for number in range(1, 5):
            writer.remove(str(number))
        writer.commit()
        assert writer.catalog.one("SELECT count(*) FROM removed") == 4
        writer.compact()
        assert writer.catalog.one("SELECT count(*) FROM removed") == 0
        live = sum(len(fingerprints(number).hashes) for number in range(5, 9))
        assert sum(row.postings for row in writer.catalog.segments()) == live
        writer.compact()  # nothing to do
    assert found_in(folder) == postings_of({str(number): number for number in range(5, 9)})


def test_files_that_no_commit_refers_to_are_removed_at_the_next_opening_for_writing(folder):
    with Writer(folder, SETTINGS) as writer:
        put(writer, 1)
        writer.commit()
    stray = folder / "postings" / "00000099.seg"
    stray.write_bytes(b"half a segment")
    Snapshot(folder).close()
    assert stray.exists()
    Writer(folder).close()
    assert not stray.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_index_in_a_folder_without_a_right_to_write_can_be_read(folder):
    with Writer(folder, SETTINGS) as writer:
        put(writer, 1)
        writer.commit()
    os.chmod(folder / "catalog.sqlite", 0o444)
    os.chmod(folder, 0o555)
    try:
        assert found_in(folder) == postings_of({"1": 1})
    finally:
        os.chmod(folder, 0o755)


def test_what_is_no_index_is_refused(tmp_path):
    with pytest.raises(StoreError, match="is not an index"):
        Snapshot(tmp_path / "none")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine")
    with pytest.raises(StoreError, match="already exists and is not an index"):
        Writer(tmp_path / "notes", SETTINGS)
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["mine.txt"]
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "catalog.sqlite").write_bytes(b"this is not a database" * 100)
    with pytest.raises(StoreError, match="not a database"):
        Snapshot(tmp_path / "broken")


def test_another_format_is_refused(folder):
    Writer(folder, SETTINGS).close()
    with sqlite3.connect(folder / "catalog.sqlite") as connection:
        connection.execute("UPDATE about SET value = '9' WHERE key = 'version'")
    connection.close()
    (folder / "catalog.sums").unlink()
    for opening in (lambda: Snapshot(folder), lambda: Writer(folder)):
        with pytest.raises(StoreError, match="has format 9, and this copysift reads formats up to 5"):
            opening()


def test_a_damaged_segment_does_not_stop_adds_and_is_not_merged(folder):
    with Writer(folder, SETTINGS, SMALL) as writer:
        put(writer, 1)
        writer.commit()
    (path,) = (folder / "postings").iterdir()
    data = bytearray(path.read_bytes())
    data[70] ^= 1
    path.write_bytes(data)
    with Writer(folder, None, SMALL) as writer:
        for number in range(2, 9):
            put(writer, number)
            writer.commit()
        with pytest.raises(StoreError, match="fails its checksum") as caught:
            writer.compact()
        assert "check --repair" in caught.value.hint
    snapshot = Snapshot(folder)
    assert len(snapshot.find(np.unique(fingerprints(8).hashes)).which) >= len(fingerprints(8).hashes)
    assert {damage.where for damage in verify(snapshot).damages} == {f"postings/{path.name}", "1"}
    snapshot.close()


def test_tables_that_were_made_and_taken_back_are_not_believed_in(folder):
    with Writer(folder, SETTINGS) as writer:
        assert not has_units(writer.catalog)
        writer.put_unit(UnitRow("anna"))
        assert has_units(writer.catalog)
        writer.rollback()
        assert not has_units(writer.catalog)
        writer.put_unit(UnitRow("anna"))
        writer.commit()
        assert has_units(writer.catalog)
