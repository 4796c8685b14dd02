"""A damaged index: what is wrong is named, the rest answers, and what can be read again is."""

import os
import sqlite3
from pathlib import Path

import pytest

import copysift
from copysift.settings.index import Query
from copysift.store.merge import Policy
from tests.cli.program import copysift as copysift_command
from tests.cli.program import write
from tests.cli.texts import prose


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {f"{number}.txt": prose(number, 600) for number in range(1, 7)})
    return tmp_path


def made(**settings):
    with copysift.Index("x.sift", **settings) as index:
        for first in (1, 4):
            index.add([f"{number}.txt" for number in range(first, first + 3)])


def segments(here):
    return sorted((here / "x.sift" / "postings").iterdir())


def spoil(path, at):
    data = bytearray(path.read_bytes())
    data[at] ^= 0xFF
    path.write_bytes(data)


def found(index, number):
    return [hit.right for hit in index.query(prose(number, 600), text=True, threshold=0.9)]


DAMAGES = {
    "a page": (lambda path: spoil(path, 3000), "fails its checksum"),
    "the header": (lambda path: spoil(path, 20), "fails its checksum"),
    "the directory": (lambda path: spoil(path, path.stat().st_size - 20), "fails its checksum"),
    "the end": (lambda path: os.truncate(path, path.stat().st_size // 2), "truncated"),
    "all": (lambda path: path.write_bytes(b""), "truncated"),
    "the file": (lambda path: path.unlink(), "is missing"),
    "another": (lambda path: path.write_bytes(path.with_name("00000002.seg").read_bytes()), "not the file"),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_damage_is_named_and_the_rest_answers_and_repair_reads_the_files_again(here, what):
    made()
    spoiling, words = DAMAGES[what]
    spoiling(segments(here)[0])
    with copysift.Index("x.sift") as index:
        for number in (4, 5, 6):
            assert found(index, number) == [f"{number}.txt"]
        for number in (1, 2, 3):
            found(index, number)
        assert any(each.where == "postings/00000001.seg" and words in each.what for each in index.damages)
        damages, _ = index.check()
        assert any(each.where == "postings/00000001.seg" and words in each.what for each in damages)
        named = {each.where for each in damages if each.what.endswith("fingerprints")}
        assert named
        assert named <= {"1.txt", "2.txt", "3.txt"}
        damages, lost = index.check(repair=True)
        assert damages
        assert not lost
        assert index.check() == ([], [])
        assert index.damages == []
        for number in range(1, 7):
            assert found(index, number) == [f"{number}.txt"]
    assert "00000001.seg" not in {path.name for path in segments(here)}


def test_what_cannot_be_read_again_is_named_and_keeps_what_is_left(here):
    made()
    spoil(segments(here)[0], 3000)
    (here / "2.txt").unlink()
    with copysift.Index("x.sift") as index:
        damages, lost = index.check(repair=True)
        assert "2.txt" in {each.where for each in damages}
        (note,) = lost
        assert note.name == "2.txt"
        assert "lost" in note.reason
        (left,) = index.check()[0]
        assert (left.where, "is incomplete" in left.what) == ("2.txt", True)
        assert [hit.right for hit in index.query(prose(2, 600), text=True, threshold=0.3)] == ["2.txt"]
        assert found(index, 1) == ["1.txt"]


@pytest.mark.parametrize("how", ["update", "repair"])
def test_what_was_lost_is_read_when_its_file_is_back(here, how):
    for path in here.glob("*.txt"):
        os.utime(path, (1_600_000_000, 1_600_000_000))
    made()
    spoil(segments(here)[0], 3000)
    (here / "2.txt").rename(here / "away")
    with copysift.Index("x.sift") as index:
        index.check(repair=True)
        ((again,), _), (_, (note,)) = index.check(), index.check(repair=True)
        assert (again.where, note.name) == ("2.txt", "2.txt")
        assert not any(hit.equal for hit in index.query("away", threshold=0.1))
        (here / "away").rename(here / "2.txt")
        if how == "update":
            assert index.update().changed == 1
        else:
            assert index.check(repair=True)[1] == []
        assert index.check() == ([], [])
        assert index.update().unchanged == 6
        assert [hit.right for hit in index.query("2.txt", threshold=0.9) if hit.equal] == ["2.txt"]


def test_kept_texts_repair_what_no_file_can(here):
    made(keep_text=True)
    for path in here.glob("*.txt"):
        path.unlink()
    segments(here)[0].unlink()
    with copysift.Index("x.sift") as index:
        _, lost = index.check(repair=True)
        assert not lost
        assert index.check() == ([], [])
        for number in range(1, 7):
            assert found(index, number) == [f"{number}.txt"]
        (hit,) = index.query(prose(1, 600), text=True, passages=True)
        assert hit.lines


def test_damage_in_the_middle_of_a_merge_is_repaired_too(here):
    with copysift.Index("x.sift") as index:
        index._policy = Policy(fanout=2, floor=16, slice=50)
        for number in range(1, 7):
            index.add(f"{number}.txt")
        assert index._writing().catalog.one("SELECT 1 FROM merges")
    for path in segments(here):
        spoil(path, 100)
    with copysift.Index("x.sift") as index:
        assert index.check()[0]
        index.check(repair=True)
        assert index.check() == ([], [])
        index.compact()
        assert index.check() == ([], [])
        for number in range(1, 7):
            assert found(index, number) == [f"{number}.txt"]


def change(statement):
    with sqlite3.connect("x.sift/catalog.sqlite") as connection:
        connection.execute(statement)
    connection.close()
    Path("x.sift/catalog.sums").unlink(missing_ok=True)  # it would name the page at once


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM contents WHERE number = 2", "refers to content 2, which is not there"),
        ("DELETE FROM documents WHERE number = 2", "content 2 belongs to no document"),
        ("UPDATE contents SET fingerprints = 7 WHERE number = 2", "of its 7 fingerprints"),
        ("DELETE FROM segments WHERE number = 1", "has 0 of its"),
        ("UPDATE texts SET data = x'00' WHERE rowid = 4096", "kept text 4096 is damaged"),
    ],
)
def test_every_reference_of_the_catalog_is_checked(here, statement, words):
    made(keep_text=True)
    change(statement)
    with copysift.Index("x.sift") as index:
        damages, _ = index.check()
        assert any(words in each.what for each in damages), damages


def test_a_sound_index_needs_no_repair(here):
    made()
    before = [path.read_bytes() for path in segments(here)]
    with copysift.Index("x.sift") as index:
        assert index.check(repair=True) == ([], [])
    assert [path.read_bytes() for path in segments(here)] == before


def test_every_look_into_damaged_postings_names_them(here):
    """Base code and copies over time are looked up by other ways than a query."""
    with copysift.Index("s.sift") as index:
        index.sweep(
            [(f"http://a.org/{number}", prose(number, 600)) for number in range(1, 7)], date="2026-01-01"
        )
    (path,) = (here / "s.sift/postings").iterdir()
    spoil(path, 3000)
    for ask in ("copies", "seen"):
        with copysift.Index("s.sift") as index:
            given = getattr(index, ask)(prose(1, 600), text=True)
            assert [each.name for each in given.skipped] == ["postings/00000001.seg"]
            assert [each.where for each in index.damages] == ["postings/00000001.seg"]
    for command, status in (("copies", 3), ("locate", 3)):
        done = copysift_command(here, command, "s.sift", "1.txt")
        assert done.status == status
        assert "skipped postings/00000001.seg: page 5 of 15 fails its checksum" in done.err


def test_answers_name_damage_wherever_they_are_shown(here):
    made()
    spoil(segments(here)[0], 3000)
    with copysift.Index("x.sift") as index:
        answer = index.answer(index.questions("1.txt"), Query())
        assert "postings/00000001.seg" in {each.name for each in answer.skipped}


def test_base_code_that_is_looked_up_in_damaged_postings_names_them(here):
    made()
    write(here, {"base.txt": prose(1, 600)})
    spoil(segments(here)[0], 3000)
    with copysift.Index("x.sift") as index:
        list(index.query(prose(1, 600)[:2000] + prose(9, 600), text=True, base=["base.txt"]))
        assert [each.where for each in index.damages] == ["postings/00000001.seg"]
