"""What is durable, and in which order."""

import errno
import os
import sys
from pathlib import Path

import pytest

from copysift.errors import StoreError
from copysift.runtime import durable

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")


def test_every_new_folder_is_named_durably_in_the_one_above_it(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(durable, "sync", synced.append)
    durable.make_folder(tmp_path / "a" / "b" / "c")
    assert sorted(synced) == [tmp_path, tmp_path / "a", tmp_path / "a" / "b"]
    synced.clear()
    durable.make_folder(tmp_path / "a" / "b" / "c")
    assert synced == []


def test_a_file_is_replaced_whole_when_the_disk_has_it(tmp_path, monkeypatch):
    path, order = tmp_path / "file", []
    path.write_bytes(b"old")
    real = os.fsync

    def fsync(descriptor):
        place = Path(f"/proc/self/fd/{descriptor}").resolve()
        order.append(("folder", path.read_bytes()) if place == tmp_path else ("file", place.read_bytes()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    durable.replace(path, b"new")
    assert order == [("file", b"new"), ("folder", b"new")]
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_file_that_cannot_be_replaced_stays_and_leaves_nothing(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(
        os, "fsync", lambda descriptor: (_ for _ in ()).throw(OSError(5, "Input/output error"))
    )
    with pytest.raises(OSError, match="Input/output"):
        durable.replace(path, b"new")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"old"
    with pytest.raises(StoreError, match="Input/output"):
        durable.write_new(tmp_path / "other", [b"new"])
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_private_file_is_nobody_elses_and_others_are(tmp_path):
    old = os.umask(0o022)
    try:
        durable.replace(tmp_path / "private", b"", private=True)
        durable.replace(tmp_path / "public", b"")
        durable.write_new(tmp_path / "new", [b"ab", memoryview(b"c")])
    finally:
        os.umask(old)
    modes = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}
    assert modes == {"private": 0o600, "public": 0o644, "new": 0o644}
    assert (tmp_path / "new").read_bytes() == b"abc"


def test_a_new_file_replaces_no_other_and_leaves_no_file_open(tmp_path, monkeypatch):
    before = len([*Path("/proc/self/fd").iterdir()])
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    assert durable.write_new(tmp_path / "new", [b"ab"]) == 2
    assert len(synced) == 1
    durable.sync(tmp_path)
    assert len(synced) == 2
    assert len([*Path("/proc/self/fd").iterdir()]) == before
    monkeypatch.undo()
    with pytest.raises(StoreError, match="exists"):
        durable.write_new(tmp_path / "new", [b"cd"])
    assert (tmp_path / "new").read_bytes() == b"ab"  # which was removed once


def test_a_large_part_is_written_in_pieces(tmp_path, monkeypatch):
    written = []
    real = os.write
    monkeypatch.setattr(durable, "PIECE", 4)
    monkeypatch.setattr(
        os, "write", lambda descriptor, data: written.append(len(data)) or real(descriptor, data)
    )
    assert durable.write_new(tmp_path / "new", [b"0123456789"]) == 10
    assert written == [4, 4, 2]
    assert (tmp_path / "new").read_bytes() == b"0123456789"


def test_steps_are_told_to_a_test_that_watches(tmp_path, monkeypatch):
    steps = []
    monkeypatch.setattr(durable, "watch", steps.append)
    durable.write_new(tmp_path / "new", [b"ab"])
    durable.sync_folder(tmp_path)
    durable.remove(tmp_path / "new")
    durable.remove(tmp_path / "new")
    assert steps == ["create", "write", "sync file", "sync folder", "remove", "remove"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("many", [1, 2, 3, 20])
def test_every_one_of_many_files_is_synced(tmp_path, monkeypatch, many):
    paths = [tmp_path / f"{number}" for number in range(many)]
    for path in paths:
        path.write_bytes(b"x")
    synced = []
    monkeypatch.setattr(durable.os, "fsync", lambda descriptor: synced.append(os.fstat(descriptor).st_ino))
    durable.sync_all(paths)
    assert sorted(synced) == sorted(path.stat().st_ino for path in paths)


def test_a_new_file_has_the_size_that_is_given(tmp_path):
    assert durable.write_new(tmp_path / "x", [b"abc", b"", b"defg"]) == 7 == (tmp_path / "x").stat().st_size


@pytest.mark.parametrize(
    ("number", "hint"),
    [(errno.ENOSPC, "free some space"), (errno.EACCES, ""), (errno.EPERM, ""), (errno.EROFS, "")],
)
def test_only_a_disk_that_is_full_is_told_to_have_space_freed(number, hint):
    error = durable.failed(Path("a.sift"), OSError(number, os.strerror(number)))
    assert error.message == f"cannot write a.sift: {os.strerror(number)}"
    assert error.hint.startswith(hint)
    assert bool(error.hint) is bool(hint)
