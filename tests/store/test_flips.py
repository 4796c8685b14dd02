"""A flipped bit in a catalog is harmless or a named error: never another answer, never a traceback."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from contextlib import suppress

import pytest

import copysift
from copysift.errors import CopysiftError, StoreError
from copysift.store import guard as guards
from copysift.store.snapshot import Snapshot
from copysift.store.writer import Writer
from tests.store.crashes import SETTINGS, SMALL, found_in, steps

pytestmark = pytest.mark.thorough

# Whether nobody else has SQLite's shared lock on a database: then its log may be removed.
LOCK = """
import fcntl, sys
try:
    with open(sys.argv[1], "r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000000 + 2)
except OSError:
    sys.exit(7)
"""
WORDS = [f"word{number}" for number in range(400)]


def essay(number):
    return " ".join(WORDS[number * 20 : number * 20 + 160])


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    path = tmp_path_factory.mktemp("flips") / "x.sift"
    with copysift.Index(path, keep_text=True) as made:
        made.add([(f"essay {number}", essay(number)) for number in range(12)])
        made.remove("essay 3")
        made.add([("twin", essay(1)), ("essay 5", essay(11) + " and more")])
    return path


def answers(path):
    """Give what an index says about its documents, and about a text that is like some of them."""
    with copysift.Index(path) as opened:
        listed = sorted((each.name, each.bytes, each.fingerprints) for each in opened.documents())
        found = opened.query(essay(1) + " " + essay(8), text=True)
        pairs = [(pair.right, pair.shared, pair.resemblance, pair.equal) for pair in found]
        return listed, pairs, opened.source("essay 7"), opened.source("twin"), opened.info()["documents"]


def flipped(source, target, name, bit):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    data = bytearray((target / name).read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    (target / name).write_bytes(data)
    return target


@pytest.mark.parametrize(("name", "flips"), [("catalog.sqlite", 250), ("catalog.sums", 60)])
def test_a_flipped_bit_of_a_catalog_is_harmless_or_named(index, tmp_path, name, flips):
    expected = answers(index)
    size = (index / name).stat().st_size
    rng = random.Random(17)
    named = 0
    for bit in rng.sample(range(8 * size), flips):
        broken = flipped(index, tmp_path / "broken.sift", name, bit)
        try:
            assert answers(broken) == expected, f"bit {bit}"
        except CopysiftError:
            named += 1
        with pytest.raises(StoreError, match="damaged"), copysift.Index(broken) as opened:
            opened.check()
    assert named == flips  # every page has a checksum, and so have the checksums


def test_a_flipped_bit_of_a_catalog_without_checksums_is_no_traceback(index, tmp_path):
    size = (index / "catalog.sqlite").stat().st_size
    rng = random.Random(18)
    for bit in rng.sample(range(8 * size), 60):
        broken = flipped(index, tmp_path / "broken.sift", "catalog.sqlite", bit)
        (broken / "catalog.sums").unlink()
        with suppress(CopysiftError), copysift.Index(broken) as opened:
            opened.check()


def test_a_catalog_that_lost_its_end_is_refused(index, tmp_path):
    broken = tmp_path / "broken.sift"
    shutil.copytree(index, broken)
    os.truncate(broken / "catalog.sqlite", (broken / "catalog.sqlite").stat().st_size - 4096)
    with pytest.raises(StoreError, match=r"fails? (its|their) checksum"):
        answers(broken)


def test_a_catalog_of_an_earlier_commit_beside_later_checksums_is_refused(tmp_path):
    path = tmp_path / "x.sift"
    with Writer(path, SETTINGS, SMALL) as writer:
        for do, _ in list(steps())[:2]:
            do(writer)
    shutil.copyfile(path / "catalog.sqlite", tmp_path / "earlier")
    with Writer(path, SETTINGS, SMALL) as writer:
        list(steps())[2][0](writer)
    shutil.copyfile(tmp_path / "earlier", path / "catalog.sqlite")
    with pytest.raises(StoreError, match="is damaged"):
        Snapshot(path)


def test_a_catalog_stays_sound_for_readers_while_a_writer_commits_and_after_it(tmp_path):
    path = tmp_path / "x.sift"
    every = list(steps())
    with Writer(path, SETTINGS, SMALL) as writer:
        every[0][0](writer)
        early = Snapshot(path)  # keeps the log from being emptied
        for do, state in every[1:]:
            do(writer)
            assert found_in(path) == state
    assert found_in(path) == every[-1][1]
    assert sorted(row.name for row in early.documents()) == ["1", "twin of 1"]
    early.close()
    assert found_in(path) == every[-1][1]
    with Writer(path, SETTINGS, SMALL) as writer:  # the next writer notes the checksums that are unknown
        every[-1][0](writer)
    assert found_in(path) == every[-1][1]
    assert (guards.read_sums(path).pages > 0).all()


@pytest.mark.skipif(os.name == "nt", reason="locks there belong to the open file")
def test_a_reader_beside_another_keeps_its_locks_when_one_is_closed(tmp_path):
    """Closing a file ends all locks of the process on it: others would then remove the log under a reader."""
    path = tmp_path / "x.sift"
    every = list(steps())
    with Writer(path, SETTINGS, SMALL) as writer:
        every[0][0](writer)
        early = Snapshot(path)
        Snapshot(path).close()
        done = subprocess.run([sys.executable, "-c", LOCK, path / "catalog.sqlite"], check=False)
        assert done.returncode == 7
        early.close()


def test_a_log_that_cannot_be_read_is_not_ignored(tmp_path, monkeypatch):
    """As on read-only media, where a log needs an index in shared memory that cannot be made."""
    path = tmp_path / "x.sift"
    every = list(steps())
    with Writer(path, SETTINGS, SMALL) as writer:
        every[0][0](writer)
        copied = tmp_path / "media.sift"
        shutil.copytree(path, copied, ignore=shutil.ignore_patterns("*-shm", "writer.lock"))
    assert (copied / "catalog.sqlite-wal").stat().st_size
    connect = sqlite3.connect

    def only_immutable(place, **options):
        if "immutable" not in place:
            raise sqlite3.OperationalError("unable to open database file")
        return connect(place, **options)

    monkeypatch.setattr(sqlite3, "connect", only_immutable)
    with pytest.raises(StoreError, match="commits in its write-ahead log"):
        Snapshot(copied)
    monkeypatch.undo()
    assert found_in(copied) == every[0][1]
    monkeypatch.setattr(sqlite3, "connect", only_immutable)
    assert found_in(copied) == every[0][1]  # the log is empty now
